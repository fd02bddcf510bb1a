"""The recogniser of letters: RapidOCR (Apache-2.0), whose models lie inside its package."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError, SaffaError
from saffa.core.types import Rgb

NO_OCR = "Nothing is installed that reads text in pictures. Install it with `pip install 'saffa[ocr]'` (no download)."
_SURE = 0.6  # least certainty of a line
_LETTERS = 3  # a line of fewer tells nothing
_MOST_LENGTH = 300.0  # of all lines that are read in one picture: fifteen lines of a slide, 1 to 2 CPU seconds
_WIDEST = 1280  # pixels of the longer side in which lines are looked for; they are read in the picture as it is


@dataclass(frozen=True)
class WrittenLine:
    """A line of text and its place: left, top, right, bottom in pixels."""

    text: str
    box: tuple[float, float, float, float]

    @property
    def length(self) -> float:
        """How many times as wide as high it is: what reading it costs."""
        left, top, right, bottom = self.box
        return (right - left) / max(1.0, bottom - top)


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
        image = np.ascontiguousarray(picture[:, :, ::-1])
        try:
            boxes, _ = engine(image, use_cls=False, use_rec=False)
            chosen = _affordable(boxes or [])
            read_as, _ = engine.text_rec(engine.get_crop_img_list(image, chosen)) if chosen else ((), 0.0)
            found = [(box, text, score) for box, (text, score) in zip(chosen, read_as, strict=True)]
        except Exception as error:  # OpenCV and ONNX Runtime each raise their own
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise SaffaError(f"Reading the screen failed: {reason[:200]}.") from None
        lines = [_line(corners, text) for corners, text, score in found if float(score) >= _SURE]
        return [line for line in lines if sum(c.isalpha() for c in line.text) >= _LETTERS]

    return read


def _affordable(boxes: Sequence[Sequence[Sequence[float]]]) -> list[NDArray[np.float32]]:
    """Lines to read, in order: of a page full of letters the highest ones, which a viewer reads first."""
    lines = [_line(corners, "") for corners in boxes]
    by_height = sorted(range(len(lines)), key=lambda place: lines[place].box[1] - lines[place].box[3])
    spent, chosen = 0.0, list[int]()
    for place in by_height:
        spent += lines[place].length
        if chosen and spent > _MOST_LENGTH:
            break
        chosen.append(place)
    return [np.asarray(boxes[place], np.float32) for place in sorted(chosen)]


def _line(corners: Sequence[Sequence[float]] | NDArray[np.float32], text: str) -> WrittenLine:
    across, down = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return WrittenLine(text.strip(), (min(across), min(down), max(across), max(down)))
