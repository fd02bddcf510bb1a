"""Even spacing: the row that every comparison needs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.selection import Selection, even_frames, wanted_frames
from saffa.core.types import Doubles
from saffa.methods.dynamics import Dynamics, SpeedLimits


@dataclass(frozen=True)
class Uniform:
    """Every speed-th frame, also for speeds that are no whole number."""

    name: str = "uniform"
    reads_text: bool = False

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Ignores the text."""
        frames = even_frames(alignment.frames, wanted_frames(alignment.frames, speed))
        return Selection(frames, alignment.frames, speed, self.name)

    def preference(self, alignment: Alignment, speed: float) -> Doubles:  # noqa: ARG002
        """No frame is better than another, so that corrections leave even spacing where they say nothing."""
        return np.zeros(alignment.frames)

    def limits(self, speed: float, rate: Fraction) -> SpeedLimits:  # noqa: ARG002
        """The paper's rule, where corrections change the speed."""
        return Dynamics.for_speed(speed)

    @property
    def may_rise(self) -> bool:
        """The highest speed is nobody's choice."""
        return True
