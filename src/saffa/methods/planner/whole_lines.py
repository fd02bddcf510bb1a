"""Slow parts fit what is said: people hear whole sentences.

Where the spoken lines are known, two things bring the edges of slow stretches to the pauses between them. The planner
pays a toll for a slow stretch that begins or ends inside a line, and the moment of a sentence becomes whole lines where
there are short enough ones. How much either may cost follows the room that there is: the seconds of output for each
sentence. The length stays exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from saffa.core.types import Doubles

TOLL, HIGHEST_TOLL = 0.4, 8.0
"""Of an edge inside a line for each second of room, and at most; in deviations of the reward, at 25 frames a second."""
NEAR = 0.25
"""Seconds from the beginning or the end of a line within which an edge is not heard as inside."""
STRETCH, LONGEST = 5.0, 30.0
"""Seconds of lines that a moment may be for each second of room, and at most."""
SHORTEST, OUTSIDE = 1.0, 2.0
"""Seconds of lines that a moment needs at least, and how far it may reach beyond the time that is its sentence's."""
TOGETHER = 8
"""Lines that a moment may be made of."""


@dataclass(frozen=True, eq=False)
class WholeLines:
    """The spoken lines of a video, (L, 2) seconds in order, and the seconds of output for each sentence."""

    lines: Doubles
    room: float

    @classmethod
    def of(cls, lines: Doubles, room: float) -> WholeLines:
        """Lines in order, each ending where the next begins at the latest: rolling captions overlap."""
        ordered = lines[np.argsort(lines[:, 0], kind="stable")]
        ends = np.minimum(ordered[:, 1], np.append(ordered[1:, 0], np.inf))
        return cls(np.stack([ordered[:, 0], ends], axis=1)[ends > ordered[:, 0]], room)

    def tolls(self, frames: int, rate: float) -> Doubles:
        """What a slow stretch pays for beginning or ending at each frame, shape (frames,)."""
        toll = min(TOLL * self.room, HIGHEST_TOLL) * rate / 25
        return toll * inside_lines(self.lines, frames, rate, NEAR)

    def within(self, first: float, end: float) -> list[tuple[float, float]]:
        """Begin and end of each run of whole lines that lies within a stretch, up to OUTSIDE on either side."""
        starts, ends = self.lines[:, 0], self.lines[:, 1]
        low = int(np.searchsorted(starts, first - OUTSIDE))
        high = int(np.searchsorted(ends, end + OUTSIDE, side="right"))
        longest = min(STRETCH * self.room, LONGEST)
        return [
            (float(starts[i]), float(ends[j]))
            for i in range(low, high)
            for j in range(i, min(i + TOGETHER, high))
            if SHORTEST <= ends[j] - starts[i] <= longest
        ]

    def cut_off(self, times: Doubles) -> Doubles:
        """1 for each time inside a line further than NEAR from its ends, else 0, shape as `times`."""
        line = np.clip(np.searchsorted(self.lines[:, 0], times, side="right") - 1, 0, len(self.lines) - 1)
        inside = (times > self.lines[line, 0] + NEAR) & (times < self.lines[line, 1] - NEAR)
        return np.asarray(inside, np.float64)


def inside_lines(lines: Doubles, frames: int, rate: float, near: float) -> Doubles:
    """1 for frames inside a spoken line further than `near` seconds from its ends, else 0, shape (frames,)."""
    change = np.zeros(frames + 1)
    first = np.clip(np.floor((lines[:, 0] + near) * rate) + 1, 0, frames).astype(np.int64)
    last = np.clip(np.ceil((lines[:, 1] - near) * rate), 0, frames).astype(np.int64)
    whole = first < last
    np.add.at(change, first[whole], 1.0)
    np.add.at(change, last[whole], -1.0)
    inside = np.cumsum(change[:-1]) > 0
    inside[:1] = False  # the video has to begin somewhere
    return inside.astype(np.float64)
