"""The planner as a sampler: the best smooth selection for an alignment, of the wanted length.

The paper's objective collects relevance and so spends all slow time on the easiest steps. With `balance` above 0 a
share of the output is for moments, one for each sentence where it is most likely seen (`moments`), as many as there is
room for. The rest is spent on relevance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isfinite

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.selection import Selection, check_speed, wanted_frames
from saffa.core.types import Doubles, Flags, Ints
from saffa.methods.dynamics import Dynamics, SpeedLimits, Variant, limits_for
from saffa.methods.planner.moments import Moment, WholeLines, moments, owners
from saffa.methods.planner.search import Planner

LAST_CHANCE = 36.0
"""Bonus of a second of a sentence that would not be shown otherwise, in deviations of the reward."""
DEFAULT_BALANCE = 0.5
"""For people; docs/guide/balance.md shows the curve."""
SHORTER_MOMENTS = (1.5, 0.8, 0.4, 0.2)
"""Seconds, tried in this order where balance 1 leaves a sentence without any."""
MOMENTS_SHARE = 0.85
"""Of the output that the fastest speed would leave, for the moments of all sentences; less below balance 0.5."""
STRENGTH = 8.0
"""Bonus at balance 1, in standard deviations of relevance."""


@dataclass(frozen=True)
class Plan:
    """`balance` 0 is the paper's objective; 1 gives every sentence its share; None is the default for people."""

    balance: float | None = None
    min_speed: float | None = None
    max_speed: float | None = None
    variant: Variant = "code"
    ramp: str = "normal"
    whole_lines: bool = True
    name: str = "plan"
    reads_text: bool = True

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Plan over the whole video."""
        speed = check_speed(speed)
        limits, toll = self.limits(speed, alignment.rate), self.toll(alignment, speed)
        wanted, reward = wanted_frames(alignment.frames, speed), self.preference(alignment, speed)
        frames = Planner(reward, speed, limits, toll=toll).select(wanted)
        if self.balance == 1:
            frames = self._with_every_sentence(
                alignment, frames, reward, lambda r: Planner(r, speed, limits).select(wanted)
            )
        return Selection(frames, alignment.frames, speed, self.name)

    @staticmethod
    def _with_every_sentence(
        alignment: Alignment, frames: Ints, reward: Doubles, plan: Callable[[Doubles], Ints]
    ) -> Ints:
        """Plan again with more reward for a shorter moment of the sentences that were missed, while that helps."""
        fewest = missed = unseen(alignment, frames)
        for seconds in SHORTER_MOMENTS:
            if not fewest.any():
                break
            again = plan(reward + last_chances(alignment, missed, seconds) * LAST_CHANCE / seconds)
            missing = unseen(alignment, again)
            missed = missed | missing
            if missing.sum() < fewest.sum():
                frames, fewest = again, missing
        return frames

    def preference(self, alignment: Alignment, speed: float) -> Doubles:
        """Reward of each frame, shape (frames,)."""
        balance = DEFAULT_BALANCE if self.balance is None else self.balance
        if not 0 <= balance <= 1:
            raise InputError(f"--balance must be between 0 and 1, not {balance:g}.")
        return balanced_reward(
            alignment, balance, speed, self.dynamics(speed).max_velocity, self._lines(alignment, speed)
        )

    def toll(self, alignment: Alignment, speed: float) -> Doubles | None:
        """What a slow stretch pays for beginning or ending at each frame, (frames,); None where no lines are known."""
        lines = self._lines(alignment, speed)
        return None if lines is None else lines.tolls(alignment.frames, float(alignment.rate))

    def _lines(self, alignment: Alignment, speed: float) -> WholeLines | None:
        if not self.whole_lines or alignment.lines is None or not len(alignment.lines):
            return None
        return WholeLines.of(alignment.lines, alignment.duration / speed / len(alignment.document))

    def limits(self, speed: float, rate: Fraction) -> SpeedLimits:
        """How speed may change: the paper's rule, or that of another ramp within the same limits."""
        return limits_for(self.ramp, self.dynamics(speed), rate)

    @property
    def may_rise(self) -> bool:
        """Whether nobody has chosen the highest speed."""
        return self.max_speed is None

    def dynamics(self, speed: float) -> Dynamics:
        """Velocity bounds: the paper's, the raised ceiling above 25×, and the user's own limits."""
        default = Dynamics.for_speed(speed, self.variant)
        low = default.min_velocity if self.min_speed is None else ceil(_limit("--min-speed", self.min_speed))
        high = default.max_velocity if self.max_speed is None else floor(_limit("--max-speed", self.max_speed))
        if self.min_speed is not None and self.max_speed is not None and self.min_speed > self.max_speed:
            raise InputError(f"--min-speed {self.min_speed:g} is above --max-speed {self.max_speed:g}.")
        if not low <= speed <= high:
            raise InputError(
                f"A speed of {speed:g} cannot be reached between --min-speed {low} and --max-speed {high} "
                "(in whole frames). Widen them or change --speed."
            )
        return Dynamics(self.variant, low, high)


def prepare() -> None:
    """Compile what a plan needs, or load it, by planning a few seconds: work for the time in which a video is read."""
    row = np.zeros((8, 1), np.float32)
    times = np.arange(8, dtype=np.float32)
    made = Alignment(times, row, row, times, row + 1, ("",), 200, Fraction(25), "none")
    Plan().select(made, 7.3)


def _limit(option: str, speed: float) -> float:
    if not isfinite(speed) or speed < 1:
        raise InputError(f"{option} must be a number of 1 or more, not {speed:g}.")
    return speed


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


def unseen(alignment: Alignment, frames: Ints) -> Flags:
    """Which found sentences none of the frames shows at 2x or less, though some time belongs to them, shape (N,)."""
    owner = owners(alignment)
    skips = np.diff(frames, append=alignment.frames)
    slow = alignment.frame_seconds()[frames[skips <= 2]]
    times = alignment.times.astype(np.float64)
    seen = owner[np.searchsorted((times[1:] + times[:-1]) / 2, slow)]
    sentences = np.arange(len(alignment.document))
    return np.asarray(alignment.found() & np.isin(sentences, owner) & ~np.isin(sentences, seen))


def last_chances(alignment: Alignment, missing: Flags, seconds: float) -> Doubles:
    """1 around the likeliest time that belongs to each of the `missing` sentences, 0 elsewhere, shape (frames,)."""
    owner = owners(alignment)
    centres = []
    for sentence in np.intersect1d(np.flatnonzero(missing), owner):
        own = np.flatnonzero(owner == sentence)
        likely = alignment.relevance[own] * alignment.sentence_weights[own, sentence]
        centres.append(float(alignment.times[own[likely.argmax()]]))
    places = np.clip(np.array(centres) - seconds / 2, 0, max(0.0, alignment.duration - seconds)).tolist()
    return moment_curve([Moment(first, first + seconds, 1) for first in places], alignment.frame_seconds())
