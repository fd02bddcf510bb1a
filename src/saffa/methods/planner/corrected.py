"""A selection that obeys corrections: the planner within their bounds, exact in length or refused in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.clock import format_length
from saffa.core.corrections import Correction, Cut, Keep, Skip, describe
from saffa.core.errors import InputError
from saffa.core.selection import Selection, wanted_frames
from saffa.core.types import Doubles
from saffa.methods.dynamics import MAX_VELOCITY, Limits
from saffa.methods.planner.bounds import Bounds
from saffa.methods.planner.search import Planner

HIGHEST_CEILING = 100
"""Velocity up to which the ceiling rises when little time is left for what is not kept."""


def bounds_the_path(corrections: Sequence[Correction]) -> bool:
    """Whether any correction says something about a range: weights alone do not."""
    return any(isinstance(c, Keep | Skip | Cut) for c in corrections)


def corrected_selection(
    alignment: Alignment,
    reward: Doubles,
    speed: float,
    corrections: Sequence[Correction],
    limits: Limits,
    method: str,
    *,
    may_rise: bool = True,
) -> Selection:
    """The best selection for a reward of shape (frames,) that obeys the corrections, which are `resolved`.

    The ceiling of `limits` rises, if it may, where little time is left for what is not kept.
    """
    wanted = wanted_frames(alignment.frames, speed)
    _check_limits(corrections, limits)
    bounds = Bounds.of(corrections, alignment, limits.max_velocity)
    rest = bounds.rest_speed(wanted, limits.max_velocity)
    if may_rise and limits.max_velocity < 2 * rest and rest > MAX_VELOCITY:
        limits = replace(limits, max_velocity=max(limits.max_velocity, min(ceil(2 * rest), HIGHEST_CEILING)))
        bounds = Bounds.of(corrections, alignment, limits.max_velocity)
    target = min(max(rest, limits.min_velocity), limits.max_velocity)
    planner = Planner(reward[bounds.source], target, limits, bounds)
    frames = planner.select(wanted)
    if len(frames) != wanted:
        raise _impossible(planner, wanted, alignment)
    return Selection(bounds.source[frames], alignment.frames, speed, method, bounds.cuts)


def _check_limits(corrections: Sequence[Correction], limits: Limits) -> None:
    for correction in corrections:
        if isinstance(correction, Keep) and correction.speed < limits.min_velocity:
            raise InputError(f"{describe(correction)} is slower than --min-speed {limits.min_velocity} allows.")


def _impossible(planner: Planner, wanted: int, alignment: Alignment) -> InputError:
    fewest, most = planner.extent()
    shortest, longest, asked = (format_length(frames / alignment.rate) for frames in (fewest, most, wanted))
    return InputError(
        f"These corrections allow an output of {shortest} to {longest}, not the {asked} asked for; "
        "change the length or the corrections."
    )


def shared_frames(selection: Selection) -> Doubles:
    """Reward of 1 for each frame of another selection, shape (frames,): the path that shares the most is best."""
    reward = np.zeros(selection.source_frames)
    reward[selection.frames] = 1.0
    return reward
