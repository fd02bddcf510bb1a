"""Even spacing: the row that every comparison needs."""

from __future__ import annotations

from dataclasses import dataclass

from saffa.core.alignment import Alignment
from saffa.core.selection import Selection, even_frames, wanted_frames


@dataclass(frozen=True)
class Uniform:
    """Every speed-th frame, also for speeds that are no whole number."""

    name: str = "uniform"
    reads_text: bool = False

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Ignores the text."""
        frames = even_frames(alignment.frames, wanted_frames(alignment.frames, speed))
        return Selection(frames, alignment.frames, speed, self.name)
