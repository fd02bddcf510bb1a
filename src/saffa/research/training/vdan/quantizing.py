"""The backbone in 8-bit integers: a third of the work for slightly different features. Needs the `onnx` package."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.encoders.vdan.clips import ClipShape, Rgb
from saffa.storage.models import BACKBONE, INT8, MANIFEST, ModelFolder
from saffa.storage.published_models import file_sha256

Floats = NDArray[np.float32]


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
    try:
        from onnxruntime import quantization  # noqa: PLC0415
        from onnxruntime.quantization.shape_inference import quant_pre_process  # noqa: PLC0415
    except ImportError:
        raise InputError("Turning a backbone to int8 needs the onnx package: pip install 'saffa[train]'.") from None
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


def quantize_model(folder: ModelFolder, clips: Iterable[Rgb]) -> ModelFolder:
    """Put an int8 backbone into a model folder, calibrated on clips (T, size, size, 3); `NAME@int8` then uses it."""
    if not folder.has(BACKBONE):
        raise InputError(f"{folder.name} has no backbone.")
    shape = ClipShape(**folder.facts["clip"])
    quantize(folder.path / BACKBONE, (shape.normalised(clip) for clip in clips), folder.path / INT8)
    facts: dict[str, Any] = dict(folder.facts)
    facts["files"] = {**facts["files"], INT8: file_sha256(folder.path / INT8)}
    (folder.path / MANIFEST).write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return ModelFolder.open(folder.path)
