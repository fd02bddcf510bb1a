"""Chapters on the output's clock: those of the source, one for each step of the text, and how they go together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from saffa.core.segments import Segment, steps_of
from saffa.core.timemap import TimeMap
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


def retime_chapters(
    chapters: Iterable[Chapter], timemap: TimeMap, frame: Fraction | None = None
) -> tuple[Chapter, ...]:
    """The chapters through the map, in order and without overlaps; what gets shorter than a frame is left out.

    `frame` is the length of an output frame; without it, the map's first step (a selection's map has one
    step a frame).
    """
    least = frame if frame is not None else timemap.output[1] - timemap.output[0]
    moved = sorted(
        (Chapter(timemap.to_output(c.start), timemap.to_output(c.end), c.title) for c in chapters),
        key=lambda c: c.start,
    )
    kept: list[Chapter] = []
    for i, chapter in enumerate(moved):
        end = min([chapter.end, *(c.start for c in moved[i + 1 : i + 2] if c.start > chapter.start)])
        start = max(chapter.start, kept[-1].end) if kept else chapter.start
        if end - start >= least:
            kept.append(Chapter(start, end, chapter.title))
    return tuple(kept)
