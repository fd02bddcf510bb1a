"""Chapters on the output's clock."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from saffa.core.timeline import TimeMap, segments_between
from saffa.core.video import Chapter
from saffa.pipeline.finish import chosen_chapters, retime_chapters, step_chapters

RATE = Fraction(25)


def selection(step: int, frames: int = 250) -> TimeMap:
    return TimeMap.from_frames([i / RATE for i in range(0, frames, step)], frames / RATE, RATE)


def chapter(start: float, end: float, title: str) -> Chapter:
    return Chapter(Fraction(start), Fraction(end), title)


def test_chapters_follow_the_map() -> None:
    chapters = [chapter(0, 4, "One"), chapter(4, 10, "Two")]
    assert retime_chapters(chapters, selection(2)) == (chapter(0, 2, "One"), chapter(2, 5, "Two"))


def test_what_gets_shorter_than_a_frame_is_left_out() -> None:
    chapters = [chapter(0, 4, "One"), chapter(4, 4.125, "Blink"), chapter(4.125, 10, "Two")]
    kept = retime_chapters(chapters, selection(10))
    assert [c.title for c in kept] == ["One", "Two"]


def test_none() -> None:
    assert retime_chapters([], selection(2)) == ()


times = st.fractions(0, 12, max_denominator=50)


@given(st.lists(st.tuples(times, times), max_size=12), st.integers(1, 25))
def test_always_in_order_apart_and_visible(spans: list[tuple[Fraction, Fraction]], step: int) -> None:
    chapters = [Chapter(min(s), max(s), str(i)) for i, s in enumerate(spans)]
    timemap = selection(step)
    kept = retime_chapters(chapters, timemap)
    assert all(a.end <= b.start for a, b in pairwise(kept))
    assert all(c.end - c.start >= 1 / RATE for c in kept)
    assert all(c.start >= 0 and c.end <= timemap.duration for c in kept)


def test_steps_are_chapters_and_can_be_mixed_with_those_of_the_source() -> None:
    rate = Fraction(10)
    edges = [Fraction(k, 5) for k in range(31)]
    shown = segments_between(edges, rate, [None] * 5 + [1] * 10 + [0] * 15)
    steps = step_chapters(shown, ("mix", "bake"), rate)
    assert steps == (Chapter(Fraction(1, 2), Fraction(3, 2), "bake"), Chapter(Fraction(3, 2), Fraction(3), "mix"))
    assert step_chapters(segments_between(edges, rate, [None] * 30), ("mix", "bake"), rate) == ()
    source = (Chapter(Fraction(0), Fraction(1), "intro"), Chapter(Fraction(1), Fraction(3), "cooking"))
    assert chosen_chapters("none", source, steps) == ()
    assert chosen_chapters("both", (), ()) == ()
    assert chosen_chapters("both", source, ()) == source
    assert chosen_chapters("source", source, steps) == source
    assert chosen_chapters("steps", source, steps) == steps
    both = chosen_chapters("both", source, steps)
    assert [(c.title, float(c.start), float(c.end)) for c in both] == [
        ("intro", 0, 0.5),
        ("bake", 0.5, 1),
        ("cooking", 1, 1.5),
        ("mix", 1.5, 3),
    ]
