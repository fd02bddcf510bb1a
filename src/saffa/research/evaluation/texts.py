"""Other texts for the same videos: some of the steps, or the text of another video. They show what the text is worth.

On whole recipes position is a good guess and any recipe finds cooking talk; with some of the steps as text, and only
these as truth, only reading the text helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.research.datasets.base import BenchmarkVideo

KINDS = ("whole", "half", "one")
DISTANCE = 17
"""How much further in the list the video stands whose text is the wrong one."""
HALVES = (("odd", slice(0, None, 2)), ("even", slice(1, None, 2)))
"""Steps count from 1."""

VideoT = TypeVar("VideoT", bound=BenchmarkVideo)


def with_texts(videos: Sequence[VideoT], texts: str = "whole", *, wrong: bool = False) -> tuple[VideoT, ...]:
    """The videos with parts of their texts (and of their true steps), or with the same parts of another's text."""
    if texts not in KINDS:
        raise InputError(f"--texts is one of {', '.join(KINDS)}, not {texts!r}.")
    if wrong and len(videos) < 2:
        raise InputError("--wrong-texts needs two videos at least: one's text is the other's wrong one.")
    shift = DISTANCE if DISTANCE % len(videos) else 1
    found: list[VideoT] = []
    for place, video in enumerate(videos):
        source = videos[(place + shift) % len(videos)] if wrong else video
        if texts == "whole":
            found.append(replace(video, document=source.document))
            continue
        _check_pairs(video)
        for name, part in _parts(texts, len(video.steps)):
            sentences = source.document.sentences
            own = sentences[part] or sentences if texts == "half" else sentences[_middle(len(sentences))]
            kept = replace(video, id=f"{video.id}-{name}", document=Document(own), steps=video.steps[part])
            found.append(kept)
    return tuple(found)


def _parts(texts: str, steps: int) -> list[tuple[str, slice]]:
    if texts == "one":
        return [("middle", _middle(steps))]
    return [(name, part) for name, part in HALVES if range(steps)[part]]


def _middle(count: int) -> slice:
    return slice(count // 2, count // 2 + 1)


def _check_pairs(video: BenchmarkVideo) -> None:
    if len(video.steps) != len(video.document):
        raise InputError(
            f"{video.id} has {len(video.document)} sentences and {len(video.steps)} steps; "
            "--texts half and one need a sentence for each step."
        )
