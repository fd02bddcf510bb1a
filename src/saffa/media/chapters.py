"""Chapters on the output's clock: one for each step of the text, and how they go with those of the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from saffa.core.segments import Segment, steps_of
from saffa.core.video import Chapter


def step_chapters(segments: Sequence[Segment], document: Sequence[str], rate: Fraction) -> tuple[Chapter, ...]:
    """A chapter from where each step of the text begins to where the next one does, titled by its sentence."""
    steps = steps_of(segments, rate)
    total = sum(int(segment.slots(rate)) for segment in segments)
    ends = [step.start for step in steps[1:]] + [total] * bool(steps)
    named = zip(steps, ends, strict=True)
    return tuple(Chapter(step.start / rate, end / rate, document[step.sentence]) for step, end in named)


def chosen_chapters(mode: str, source: Sequence[Chapter], steps: Sequence[Chapter]) -> tuple[Chapter, ...]:
    """`source`, `steps`, `both` or `none` of them; of both, each lasts until another begins."""
    if mode == "both":
        starts = sorted([*source, *steps], key=lambda c: c.start)
        ends = [*(c.start for c in starts[1:]), max((c.end for c in starts), default=Fraction(0))]
        return tuple(replace(c, end=end) for c, end in zip(starts, ends, strict=True) if end > c.start)
    return tuple({"source": source, "steps": steps}.get(mode, ()))
