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
STRETCH, LONGEST = 1.2, 5.0
"""Seconds of lines that a moment may become for each second of room, and at most."""
SHORTEST, REACH = 2.0, 2.0
"""Seconds of lines that a moment needs at least (at 2x one second of output), and how far it may move for them."""
TOGETHER = 4
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

    def moments(self, centres: Doubles, seconds: float) -> Doubles:
        """Begin and end of each sentence's moment, (N, 2): the nearest whole lines that are short enough.

        Where there are none, `seconds` around the centre.
        """
        found = np.stack([centres - seconds / 2, centres + seconds / 2], axis=1)
        longest = min(STRETCH * self.room, LONGEST)
        starts, ends = self.lines[:, 0], self.lines[:, 1]
        for k, centre in enumerate(centres):
            first, last = np.searchsorted(ends, centre - REACH), np.searchsorted(starts, centre + REACH)
            runs = [
                (starts[i], ends[j])
                for i in range(first, last)
                for j in range(i, min(i + TOGETHER, last))
                if max(SHORTEST, seconds) <= ends[j] - starts[i] <= max(longest, seconds + SHORTEST)
            ]
            if runs:
                found[k] = min(runs, key=lambda run: abs(run[0] + run[1] - 2 * centre) / 2 + (run[1] - run[0]) / 4)
        return found


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
