from pathlib import Path

import numpy as np
import pytest
import torch

from saffa.core.errors import InputError
from saffa.encoders.onnx_runtime import open_session
from saffa.encoders.vdan.clips import ClipShape
from saffa.encoders.vdan.encoder import VdanPlusEncoder, open_encoder
from saffa.research.training.backbones.r2plus1d import R2Plus1D34
from saffa.research.training.vdan.onnx_export import export_backbone
from saffa.research.training.vdan.quantizing import quantize, quantize_model
from saffa.storage.models import BACKBONE, INT8, ModelFolder
from tests.encoders.rule import fill
from tests.encoders.small import small_folder


@pytest.mark.filterwarnings("ignore")  # of ONNX Runtime's own tools
def test_int8_features_are_near(tmp_path: Path) -> None:
    backbone = R2Plus1D34(widths=(8, 8, 16, 16)).eval()
    fill(backbone)
    export_backbone(backbone, tmp_path / "b.onnx", 8, 32)
    clips = torch.randn(4, 3, 8, 32, 32).numpy()
    quantize(tmp_path / "b.onnx", clips[:3], tmp_path / "q.onnx")
    exact, near = (open_session(tmp_path / n, 1).run(None, {"clips": clips[3:]})[0][0] for n in ("b.onnx", "q.onnx"))
    assert float(exact @ near / np.linalg.norm(exact) / np.linalg.norm(near)) > 0.98
    assert (tmp_path / "q.onnx").stat().st_size < 0.6 * (tmp_path / "b.onnx").stat().st_size


@pytest.mark.filterwarnings("ignore")
def test_a_model_can_have_both(tmp_path: Path) -> None:
    folder = small_folder(tmp_path)
    shape = ClipShape(**folder.facts["clip"])
    clips = np.random.default_rng(0).integers(0, 256, (2, shape.frames, shape.size, shape.size, 3), np.uint8)
    made = quantize_model(folder, clips)
    assert made.has(INT8)
    assert made.has(BACKBONE)
    made.verify()
    encoder = open_encoder(f"{folder.path}@int8")
    assert isinstance(encoder, VdanPlusEncoder)
    assert encoder.name == "small@int8"
    assert encoder.onnx.features(clips[0]).shape == (6,)


def test_nothing_to_quantize(tmp_path: Path) -> None:
    folder: ModelFolder = small_folder(tmp_path, backbone=False)
    with pytest.raises(InputError, match="no backbone"):
        quantize_model(folder, [])
