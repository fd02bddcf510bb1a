"""Every sentence gets its moment.

The paper's objective collects relevance and so spends all slow time on the easiest steps. With `balance` above 0 a
share of the output is for moments, one for each sentence where it is most likely seen (`moments`), as many as there is
room for. The rest is spent on relevance. It needs only an Alignment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import Alignment
from saffa.core.types import Doubles, Ints
from saffa.methods.planner.moments import Moment, moments, owners
from saffa.methods.planner.whole_lines import WholeLines

DEFAULT_BALANCE = 0.5
"""For people; docs/guide/balance.md shows the curve."""
SHORTER_MOMENTS = (1.5, 0.8, 0.4, 0.2)
"""Seconds, tried in this order where balance 1 leaves a sentence without any."""
MOMENTS_SHARE = 0.85
"""Of the output that the fastest speed would leave, for the moments of all sentences; less below balance 0.5."""
STRENGTH = 8.0
"""Bonus at balance 1, in standard deviations of relevance."""


def balanced_reward(
    alignment: Alignment, balance: float, speed: float, fastest: int, lines: WholeLines | None = None
) -> Doubles:
    """Reward of every frame for the planner: standardised relevance + balance × the sentences' moments.

    Balance 0 is exactly the paper's objective: standardising is affine and changes no plan. `fastest` is the highest
    speed that the plan may have. With `lines` moments are of whole spoken lines where that is worth it. At balance 1
    a sentence for which there is no room for a moment gets a glimpse at least.
    """
    relevance = alignment.relevance_per_frame()
    reward: Doubles = (relevance - relevance.mean()) / max(float(relevance.std()), 1e-9)
    if balance > 0:
        share = MOMENTS_SHARE * min(1.0, balance / DEFAULT_BALANCE) ** 0.5
        room = share * alignment.duration * max(0.0, 1 / speed - 1 / fastest)
        found = moments(alignment, room, fastest, lines, every=balance == 1)
        reward = reward + balance * STRENGTH * moment_curve(list(found.values()), alignment.frame_seconds())
    return reward


def moment_curve(wanted: list[Moment], frame_seconds: Doubles) -> Doubles:
    """1 for the frames of the moments, 0 elsewhere, shape (frames,).

    In a moment for 2x every second frame has a bonus, so that the next one is shown only for its relevance.
    """
    curve = np.zeros(len(frame_seconds))
    for moment in wanted:
        first, end = np.searchsorted(frame_seconds, (moment.first, moment.end))
        curve[first : end : moment.skip] = 1.0
    return curve


def unseen(alignment: Alignment, frames: Ints) -> NDArray[np.bool_]:
    """Which found sentences none of the frames shows at 2x or less, though some time belongs to them, shape (N,)."""
    owner = owners(alignment)
    skips = np.diff(frames, append=alignment.frames)
    slow = alignment.frame_seconds()[frames[skips <= 2]]
    times = alignment.times.astype(np.float64)
    seen = owner[np.searchsorted((times[1:] + times[:-1]) / 2, slow)]
    sentences = np.arange(len(alignment.document))
    return np.asarray(alignment.found() & np.isin(sentences, owner) & ~np.isin(sentences, seen))


def last_chances(alignment: Alignment, missing: NDArray[np.bool_], seconds: float) -> Doubles:
    """1 around the likeliest time that belongs to each of the `missing` sentences, 0 elsewhere, shape (frames,)."""
    owner = owners(alignment)
    centres = []
    for sentence in np.intersect1d(np.flatnonzero(missing), owner):
        own = np.flatnonzero(owner == sentence)
        likely = alignment.relevance[own] * alignment.sentence_weights[own, sentence]
        centres.append(float(alignment.times[own[likely.argmax()]]))
    places = np.clip(np.array(centres) - seconds / 2, 0, max(0.0, alignment.duration - seconds)).tolist()
    return moment_curve([Moment(first, first + seconds, 1) for first in places], alignment.frame_seconds())
