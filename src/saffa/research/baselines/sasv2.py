"""SASv2 (Silva et al., TPAMI 2021; method.md E): SAS with the gaps between its ranges filled.

From the second range on, smoothing stays between the first and the last frame that the sparse step chose there. The gap
before it gets the mean speed of both ranges and is filled if it is wide or looks worse than the range's own
transitions. That adds frames: the speed falls below the target (the paper: 10.32 at 12).

The rule says nothing about what lies behind the last frame that the sparse step chose, which can be a third of a video.
Here the end of the video closes a gap like any other, at the last range's speed: a fast-forward leaves nothing out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from saffa.core.types import Ints
from saffa.research.baselines.sas import Sas, SasVideo
from saffa.research.baselines.smoothing import WIDEST, smoothed


@dataclass(frozen=True, eq=False)
class SasV2(Sas):
    """SAS with fill-gap correction."""

    name: str = "sasv2"

    def sample(self, video: SasVideo) -> Ints:
        """Range by range, each joined to what was selected before it; then the end."""
        joined = inner = np.zeros(0, np.intp)
        for number, (r, speed, frames) in enumerate(zip(video.ranges, video.speeds, video.sparse(), strict=True)):
            if number == 0:
                joined = inner = smoothed(frames, r.end, max(1, round(r.frames / speed)), speed, video.appearance)
                continue
            last = int(frames[-1])
            inner = frames
            if len(frames) > 1:
                wanted = round((last - int(frames[0])) / speed)
                inner = np.append(smoothed(frames[:-1], last, wanted, speed, video.appearance), last)
            pace = round((video.speeds[number - 1] + speed) / 2)
            joined = np.concatenate([filled(joined, inner, pace, video), inner])
        return closed(joined, inner, round(video.speeds[-1]), video)


def filled(before: Ints, after: Ints, pace: int, video: SasVideo) -> Ints:
    """`before` with the gap to `after` filled to round(gap / pace) frames, where it needs to be."""
    first = int(after[0])
    if _looks_well(int(before[-1]), first, first, after, video):
        return before
    return _filled(before, first, pace, video)


def closed(selected: Ints, within: Ints, pace: int, video: SasVideo) -> Ints:
    """`selected` with the gap to the end of the video filled by the same rule; `within` is the last range's part."""
    end = video.ranges[-1].end
    if _looks_well(int(selected[-1]), end - 1, end, within, video):
        return selected
    return _filled(selected, end, pace, video)


def _looks_well(last: int, shown: int, stop: int, within: Ints, video: SasVideo) -> bool:
    """Whether the jump from `last` to the picture `shown` may stay: narrow, no worse than those `within` a range."""
    costs = [video.appearance.cost(a, b) for a, b in zip(within.tolist(), within[1:].tolist(), strict=False)]
    mean = float(np.mean(costs)) if costs else 0.0
    return stop - last < WIDEST and video.appearance.cost(last, shown) <= mean


def _filled(before: Ints, stop: int, pace: int, video: SasVideo) -> Ints:
    gap = stop - int(before[-1])
    between = smoothed(before[-1:], stop, max(1, round(gap / max(pace, 1))), float(pace), video.appearance)
    return np.concatenate([before[:-1], between])
