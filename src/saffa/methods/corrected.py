"""A selection that obeys corrections: the planner within their bounds, exact in length or refused in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Protocol, runtime_checkable

from saffa.core.alignment import Alignment
from saffa.core.clock import format_length
from saffa.core.corrections import (
    Correction,
    Cut,
    Found,
    Here,
    Keep,
    Skip,
    Weight,
    check_sentences,
    describe,
)
from saffa.core.errors import InputError, LengthError
from saffa.core.selection import Selection, check_speed, wanted_frames
from saffa.core.types import Doubles
from saffa.methods.base import Sampler
from saffa.methods.dynamics import MAX_VELOCITY, SpeedLimits
from saffa.methods.planner.bounds import Bounds, placed, resolved, weighted
from saffa.methods.planner.plan import Plan
from saffa.methods.planner.search import Planner

HIGHEST_CEILING = 100
"""Velocity up to which the ceiling rises when little time is left for what is not kept."""


@runtime_checkable
class Correctable(Sampler, Protocol):
    """A method whose plan can be corrected: it says what it prefers, and how speed may change."""

    def preference(self, alignment: Alignment, speed: float) -> Doubles:
        """How much each frame is wanted, shape (frames,)."""

    def limits(self, speed: float, rate: Fraction) -> SpeedLimits:
        """How speed may change."""

    @property
    def may_rise(self) -> bool:
        """Whether the highest speed is nobody's choice, so that it may rise where little time is left."""


@dataclass(frozen=True)
class Corrected:
    """A method together with corrections: its own preference, planned within their bounds."""

    method: Correctable
    corrections: tuple[Correction, ...]

    @property
    def name(self) -> str:
        """Name in `--method`."""
        return self.method.name

    @property
    def reads_text(self) -> bool:
        """Also `step:3` and weights need to know what is shown where."""
        asks = (isinstance(c, Weight | Here) or isinstance(getattr(c, "place", None), Found) for c in self.corrections)
        return self.method.reads_text or any(asks)

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """The best selection that obeys the corrections, of exactly the wanted length; InputError if there is none."""
        check_sentences(self.corrections, len(alignment.document))
        alignment = placed(alignment, self.corrections)
        speed, corrections = check_speed(speed), resolved(self.corrections, alignment)
        heard = weighted(alignment, corrections)
        if not any(isinstance(c, Keep | Skip | Cut) for c in corrections):
            return replace(self.method.select(heard, speed), corrections=corrections)
        limits = self.method.limits(speed, alignment.rate)
        preference = self.method.preference(heard, speed)
        rise, toll = self.method.may_rise, self.method.toll(heard, speed) if isinstance(self.method, Plan) else None
        found = corrected_selection(heard, preference, speed, corrections, limits, self.name, may_rise=rise, toll=toll)
        return replace(found, corrections=corrections)


def corrected(method: Sampler, corrections: Sequence[Correction]) -> Sampler:
    """The method, with corrections if there are any; InputError for a method that takes none."""
    if not corrections:
        return method
    if not isinstance(method, Correctable):
        first = describe(corrections[0])
        raise InputError(f"{first}: --method {method.name} takes no corrections; use plan, saffa or uniform.")
    return Corrected(method, tuple(corrections))


def corrected_selection(
    alignment: Alignment,
    reward: Doubles,
    speed: float,
    corrections: Sequence[Correction],
    limits: SpeedLimits,
    method: str,
    *,
    may_rise: bool = True,
    toll: Doubles | None = None,
) -> Selection:
    """The best selection for a reward of shape (frames,) that obeys the corrections, which are `resolved`.

    The ceiling of `limits` rises, if it may, where little time is left for what is not kept.
    """
    wanted = wanted_frames(alignment.frames, speed)
    _check_limits(corrections, limits)
    bounds = Bounds.of(corrections, alignment, limits.max_velocity)
    rest = bounds.rest_speed(wanted, limits.max_velocity)
    if may_rise and limits.max_velocity < 2 * rest and rest > MAX_VELOCITY:
        limits = limits.raised(max(limits.max_velocity, min(ceil(2 * rest), HIGHEST_CEILING)))
        bounds = Bounds.of(corrections, alignment, limits.max_velocity)
    target = min(max(rest, limits.min_velocity), limits.max_velocity)
    planner = Planner(reward[bounds.source], target, limits, bounds, None if toll is None else toll[bounds.source])
    frames = planner.select(wanted)
    if len(frames) != wanted:
        raise _impossible(planner, wanted, alignment)
    return Selection(bounds.source[frames], alignment.frames, speed, method, bounds.cuts)


def _check_limits(corrections: Sequence[Correction], limits: SpeedLimits) -> None:
    for correction in corrections:
        if isinstance(correction, Keep) and correction.speed < limits.min_velocity:
            raise InputError(f"{describe(correction)} is slower than --min-speed {limits.min_velocity} allows.")


def _impossible(planner: Planner, wanted: int, alignment: Alignment) -> LengthError:
    extent = [frames / alignment.rate for frames in planner.extent()]
    shortest, longest, asked = (format_length(seconds) for seconds in (*extent, wanted / alignment.rate))
    return LengthError(
        f"These corrections allow an output of {shortest} to {longest}, not the {asked} asked for; "
        "change the length or the corrections.",
        *map(float, extent),
    )
