"""The 8-bit copy of a backbone that the encoder's benchmark measures."""

from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.encoder_speed import quantize

from saffa.research.training.vdan.backbones import R2Plus1D34
from saffa.research.training.vdan.onnx_export import export_backbone
from saffa.storage.models import open_session
from tests.encoders.rule import fill


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
