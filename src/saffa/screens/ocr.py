"""The recogniser of letters: RapidOCR (Apache-2.0), whose models lie inside its package."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from saffa.core.errors import InputError, SaffaError
from saffa.core.types import Rgb

NO_OCR = "Nothing is installed that reads text in pictures. Install it with `pip install 'saffa[ocr]'` (no download)."
_SURE = 0.6  # least certainty of a line
_LETTERS = 3  # a line of fewer tells nothing
_WIDEST = 1280  # pixels of the longer side in which lines are looked for; they are read in the picture as it is


@dataclass(frozen=True)
class WrittenLine:
    """A line of text and its place: left, top, right, bottom in pixels."""

    text: str
    box: tuple[float, float, float, float]


Reader = Callable[[Rgb], Sequence[WrittenLine]]
"""The lines written in a picture (height, width, 3), from top to bottom."""


def can_read() -> bool:
    """Whether the recogniser is installed."""
    return find_spec("rapidocr_onnxruntime") is not None


def load_reader(threads: int = 2) -> Reader:
    """The recogniser, loaded; InputError where it is not installed or does not work."""
    if not can_read():
        raise InputError(NO_OCR)
    try:
        from rapidocr_onnxruntime import RapidOCR  # noqa: PLC0415
    except ImportError as error:  # OpenCV without the system's libraries
        raise InputError(f"saffa[ocr] is installed but cannot be loaded ({error}).") from None
    for name in ("RapidOCR", "OrtInferSession"):
        logging.getLogger(name).setLevel(logging.ERROR)
    engine = RapidOCR(intra_op_num_threads=threads, det_limit_type="max", det_limit_side_len=_WIDEST)

    def read(picture: Rgb) -> list[WrittenLine]:
        try:
            found, _ = engine(picture[:, :, ::-1], use_cls=False)
        except Exception as error:  # OpenCV and ONNX Runtime each raise their own
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise SaffaError(f"Reading the screen failed: {reason[:200]}.") from None
        lines = [_line(corners, text) for corners, text, score in found or () if float(score) >= _SURE]
        return [line for line in lines if sum(c.isalpha() for c in line.text) >= _LETTERS]

    return read


def _line(corners: Sequence[Sequence[float]], text: str) -> WrittenLine:
    across, down = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return WrittenLine(text.strip(), (min(across), min(down), max(across), max(down)))
