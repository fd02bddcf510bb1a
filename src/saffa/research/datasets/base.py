"""What a benchmark gives: videos without pictures, with their text, narration and true steps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from saffa.core.document import Document
from saffa.core.narration import Narration


@dataclass(frozen=True)
class BenchmarkVideo:
    """One annotated video; `steps` are frame ranges [start, end), in order."""

    id: str
    frames: int
    rate: Fraction
    document: Document
    narration: Narration | None
    steps: tuple[tuple[int, int], ...]
