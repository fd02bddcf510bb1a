"""Chapters on the output's clock."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from saffa.core.timemap import TimeMap
from saffa.core.video import Chapter


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
