"""Every sentence gets its moment.

The paper's objective collects relevance and so spends all slow time on the easiest steps. With `balance` above 0
each sentence offers a bonus for one short moment, where it is most likely shown. Its next second earns no bonus
(diminishing returns, saturated after the moment), so the exact planner buys many moments rather than one long
stretch, the surest and cheapest first, and spends what is left on relevance. It needs only an Alignment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import Alignment
from saffa.methods.planner.whole_lines import WholeLines

DEFAULT_BALANCE = 0.5
"""For people; docs/guide/balance.md shows the curve."""
SHORTEST_MOMENT = 1.5
"""Seconds of source per sentence: narrower is brittle, wider buys fewer moments."""
SHORTER_MOMENTS = (1.5, 0.8, 0.4, 0.2)
"""Seconds, tried in this order where balance 1 leaves a sentence without any."""
MOMENTS_SHARE = 0.4
"""Of the output, for the moments of all sentences together at balance 1: with more room each is longer."""
STRENGTH = 6.0
"""Bonus at balance 1, in standard deviations of relevance."""
LONGER = 1.4
"""Times as long as a moment has to be, a moment of whole lines is meant for 2x."""
CERTAIN = 9.0
"""Seconds: a moment is the centre of the likeliest stretch of this width, not a lone spike."""

Floats = NDArray[np.float64]


def balanced_reward(alignment: Alignment, balance: float, speed: float, lines: WholeLines | None = None) -> Floats:
    """Reward of every frame for the planner: standardised relevance + balance × the sentences' moments.

    Balance 0 is exactly the paper's objective: standardising is affine and changes no plan. With `lines` a moment is
    made of whole spoken lines where there are short ones, to be shown at 2x.
    """
    relevance = alignment.relevance_per_frame()
    reward: Floats = (relevance - relevance.mean()) / max(float(relevance.std()), 1e-9)
    if balance > 0:
        centres, bonus = moments(alignment)
        seconds = moment_seconds(balance * alignment.duration / speed, len(centres))
        curve = moment_curve(centres, bonus, alignment.frame_seconds(), seconds, lines)
        reward = reward + balance * STRENGTH * curve
    return reward


def moments(alignment: Alignment, block: int = 256) -> tuple[Floats, Floats]:
    """Per sentence the time where it is most likely shown, and a bonus in [0, 1], both of shape (N,).

    Likelihood = relevance (scaled to 0..1) × weight of the sentence, averaged over CERTAIN seconds; the bonus is
    √likelihood × peakedness. A sentence that is as likely everywhere has no moment, so weights that tell
    nothing leave the paper's objective as it is. Nor has one that was not found.
    """
    relevance, times = alignment.relevance.astype(np.float64), alignment.times
    scaled = (relevance - relevance.min()) / max(float(np.ptp(relevance)), 1e-9)
    cell = float(times[-1] - times[0]) / max(1, len(times) - 1) or 1.0
    half = min(round(CERTAIN / cell) // 2, (len(times) - 1) // 2)
    centres = np.zeros(len(alignment.document))
    bonus = np.zeros(len(alignment.document))
    for a in range(0, len(centres), block):  # in parts: times × sentences may be large
        likely = box_mean(scaled[:, None] * alignment.sentence_weights[:, a : a + block], half)
        top = likely.max(0)
        centres[a : a + block] = times[likely.argmax(0)]
        bonus[a : a + block] = np.sqrt(top) * (1 - likely.mean(0) / np.maximum(top, 1e-9))
    return centres, np.where(alignment.found(), bonus, 0.0)


def unseen(alignment: Alignment, frames: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which found sentences none of the frames shows at 2x or less, though some time belongs to them, shape (N,)."""
    owner = _owners(alignment)
    skips = np.diff(frames, append=alignment.frames)
    slow = alignment.frame_seconds()[frames[skips <= 2]]
    times = alignment.times.astype(np.float64)
    seen = owner[np.searchsorted((times[1:] + times[:-1]) / 2, slow)]
    sentences = np.arange(len(alignment.document))
    return np.asarray(alignment.found() & np.isin(sentences, owner) & ~np.isin(sentences, seen))


def last_chances(alignment: Alignment, seconds: float) -> Floats:
    """1 around the likeliest time that belongs to each found sentence, 0 elsewhere, shape (frames,)."""
    owner = _owners(alignment)
    centres = []
    for sentence in np.intersect1d(np.flatnonzero(alignment.found()), owner):
        own = np.flatnonzero(owner == sentence)
        likely = alignment.relevance[own] * alignment.sentence_weights[own, sentence]
        centres.append(float(alignment.times[own[likely.argmax()]]))
    return moment_curve(np.array(centres), np.ones(len(centres)), alignment.frame_seconds(), seconds)


def _owners(alignment: Alignment) -> NDArray[np.int64]:
    """The sentence that each time of the alignment belongs to, -1 for none, shape (T,)."""
    return np.array([-1 if one is None else one for one in alignment.sentence_at(alignment.times.tolist())], np.int64)


def box_mean(x: Floats, half: int) -> Floats:
    """Mean over 2·half + 1 rows, zeros outside."""
    width = 2 * half + 1
    total = np.cumsum(np.pad(x, ((half + 1, half), (0, 0))), axis=0)
    return np.maximum((total[width:] - total[:-width]) / width, 0.0)


def moment_seconds(output_seconds: float, sentences: int) -> float:
    """Source seconds of each sentence's moment when that much of the output is to be balanced."""
    return max(SHORTEST_MOMENT, MOMENTS_SHARE * output_seconds / sentences)


def moment_curve(
    centres: Floats, bonus: Floats, frame_seconds: Floats, seconds: float, lines: WholeLines | None = None
) -> Floats:
    """Bonus of every frame: within half a moment of a centre; moments that overlap do not add up, shape (frames,).

    Where whole lines make a moment longer, it earns little more: every second frame has a bonus, so that it is worth
    showing at 2x, and a smaller one.
    """
    earliest = frame_seconds[0] + seconds / 2
    centres = np.clip(centres, earliest, max(earliest, frame_seconds[-1] - seconds / 2))
    around = np.stack([centres - seconds / 2, centres + seconds / 2], axis=1)
    places = around if lines is None else lines.moments(centres, seconds)
    curve = np.zeros(len(frame_seconds))
    spans = zip(np.searchsorted(frame_seconds, around), np.searchsorted(frame_seconds, places), bonus, strict=True)
    for (first, end), (a, b), gain in spans:
        longer = (b - a) / max(1, end - first)
        every = 2 if longer > LONGER else 1
        part = curve[a:b:every]
        np.maximum(part, gain * min(1.0, (every / max(longer, 1.0)) ** 0.5), out=part)
    return curve
