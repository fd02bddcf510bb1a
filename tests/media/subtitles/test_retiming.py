"""Subtitle lines on the output's clock."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.core.timeline import TimeMap
from saffa.core.video import Cue
from saffa.media.subtitles.lines import READABLE
from saffa.media.subtitles.retiming import Retimed, retime
from saffa.media.writer import LineMode


def at_speed(speed: int, seconds: int = 100) -> TimeMap:
    return TimeMap((Fraction(0), Fraction(seconds)), (Fraction(0), Fraction(seconds, speed)))


def at_speeds(*pieces: tuple[Fraction | int, int]) -> TimeMap:
    """Source seconds and speed of each piece."""
    source, output = [Fraction(0)], [Fraction(0)]
    for seconds, speed in pieces:
        source.append(source[-1] + seconds)
        output.append(output[-1] + Fraction(seconds) / speed)
    return TimeMap(tuple(source), tuple(output))


def cue(start: float, end: float, text: str) -> Cue:
    return Cue(Fraction(str(start)), Fraction(str(end)), text)


def shown(cues: list[Cue], timemap: TimeMap) -> list[Cue]:
    return list(retime(cues, timemap).cues)


def long(letter: str, letters: int = READABLE - 10) -> str:
    """Too long to share the screen with another one."""
    return letter * letters


def test_normal_speed_changes_nothing() -> None:
    cues = [cue(1, 2.5, "Fry the eggs"), cue(3, 4, "Stir\nwell"), cue(4, 4.6, long("x"))]
    assert shown(cues, at_speed(1)) == cues


def test_short_cues_linger_in_silence() -> None:
    assert shown([cue(0, 2, "a"), cue(50, 52, "b")], at_speed(10)) == [cue(0, 1, "a"), cue(5, 6, "b")]


def test_long_lines_linger_longer_but_not_longer_than_they_did() -> None:
    cues = [cue(0, 9, "x" * 51), cue(50, 52, "y" * 51)]
    assert shown(cues, at_speed(10)) == [cue(0, 3, "x" * 51), cue(5, 7, "y" * 51)]


def test_short_neighbours_share_the_screen() -> None:
    cues = [cue(0, 2, "Chop"), cue(2, 4, "Fry"), cue(4, 6, "Eat"), cue(60, 80, "Rest")]
    assert shown(cues, at_speed(10)) == [cue(0, 1, "Chop\nFry\nEat"), cue(6, 8, "Rest")]


def test_rolling_captions_are_not_repeated() -> None:
    cues = [cue(0, 3, "one"), cue(2, 5, "one\ntwo")]
    assert retime(cues, at_speed(10)) == Retimed((cue(0, 1, "one\ntwo"),), 2, 0)


def test_what_lies_outside_is_left_out_and_not_counted() -> None:
    assert retime([cue(200, 300, "late")], at_speed(2)) == Retimed((), 0, 0)
    outside = [cue(-2, -0.5, "before"), cue(-2, 0, "up to the start"), cue(100, 101, "at the end")]
    assert retime(outside, at_speed(2)) == Retimed((), 0, 0)


def test_lines_that_begin_together_are_counted_one_by_one() -> None:
    cues = [cue(0, 1, long("a")), cue(0, 1, long("b")), cue(0, 2, long("c")), cue(2, 9, long("d"))]
    done = retime(cues, at_speeds((2, 20), (8, 1)), "slow")
    assert (done.said, done.left_out) == (4, 3)


def test_a_last_line_begins_earlier_if_the_end_is_too_near() -> None:
    assert shown([cue(96, 98, "Serve it.")], at_speed(20)) == [cue(4, 5, "Serve it.")]


def test_lines_take_turns_where_the_screen_is_free() -> None:
    cues = [cue(0, 2, long("a")), cue(2, 4, long("b")), cue(4, 30, long("c"))]
    done = shown(cues, at_speed(10))
    assert [c.text[0] for c in done] == ["a", "b", "c"]
    assert all(c.end - c.start >= Fraction(3, 4) for c in done)


def test_the_line_with_the_least_time_of_its_own_gives_way() -> None:
    # Two seconds at 20x, then normal speed with a line from its first moment on.
    cues = [cue(0, 9, long("a")), cue(10, 22, long("b")), cue(23, 28, long("c")), cue(32, 40, long("d"))]
    done = retime([*cues, cue(40, 45, long("e"))], at_speeds((40, 20), (10, 1)))
    assert [c.text[0] for c in done.cues] == ["a", "b", "d", "e"]
    assert done.notes == ("1 of 5 subtitle lines is left out: the fast parts leave no time for more.",)


def test_a_line_of_a_step_never_gives_way() -> None:
    step = cue(40, 40.6, long("s"))
    chat = [cue(k * 10, k * 10 + 9, long("abcdefghij"[k])) for k in range(10) if k != 4]
    timemap = at_speeds((40, 25), (1, 1), (59, 25))
    done = shown(sorted([*chat, step], key=lambda c: c.start), timemap)
    assert [c for c in done if c.text == step.text] == [cue(1.6, 2.2, step.text)]


def test_a_dropped_line_joins_a_neighbour_that_is_read_easily() -> None:
    cues = [cue(0, 4, "Put it down."), cue(4, 8, "Wait."), cue(8, 12, long("x"))]
    done = retime(cues, at_speeds((4, 1), (4, 20), (4, 1)))
    assert done == Retimed((cue(0, 4, "Put it down.\nWait."), cue(4.2, 8.2, long("x"))), 3, 0)


@pytest.mark.parametrize(("many", "words"), [(2, "1 of 2 subtitle lines is"), (3, "2 of 3 subtitle lines are")])
def test_who_is_left_out_is_told_in_numbers(many: int, words: str) -> None:
    done = retime([cue(k, k + 1, long("abc"[k])) for k in range(many)], at_speed(4, 4))
    assert [note.split(" left")[0] for note in done.notes] == [words]
    assert retime([cue(0, 1, "a")], at_speed(4, 4)).notes == ()


def fractions(low: int, high: int, parts: int) -> st.SearchStrategy[Fraction]:
    """Whole numbers of such parts; far quicker to draw than any fraction."""
    return st.integers(low * parts, high * parts).map(lambda whole: Fraction(whole, parts))


moments = st.one_of(fractions(0, 60, 100), fractions(0, 60, 24))
lines = st.text("ab c", min_size=1, max_size=60)
some_cues = st.lists(st.builds(lambda s, d, t: Cue(s, s + d, t), moments, fractions(0, 8, 100), lines), max_size=25)
pieces_of_maps = st.tuples(fractions(0, 10, 30).map(lambda seconds: seconds + Fraction(1, 10)), st.integers(1, 25))
maps = st.lists(pieces_of_maps, min_size=1, max_size=8)


@given(some_cues, maps)
def test_retimed_cues_always_are_in_order_apart_and_long_enough(
    cues: list[Cue], pieces: list[tuple[Fraction, int]]
) -> None:
    timemap = at_speeds(*pieces)
    done = shown(cues, timemap)
    assert all(c.end - c.start >= Fraction(1, 2) for c in done)
    assert all(a.end <= b.start for a, b in pairwise(done))
    assert all(c.start >= 0 and c.end <= timemap.duration for c in done)
    said = {line for c in cues for line in c.text.split("\n")}
    assert all(line in said for c in done for line in c.text.split("\n"))


# One line after the other, each with a number of its own; silence between them.
talks = st.lists(
    st.tuples(
        fractions(0, 3, 20),
        fractions(0, 4, 20).map(lambda seconds: seconds + Fraction(1, 2)),
        st.integers(0, READABLE - 6),
    ),
    max_size=20,
).map(lambda parts: list(_talk(parts)))


def _talk(parts: list[tuple[Fraction, Fraction, int]]) -> list[Cue]:
    at, cues = Fraction(0), []
    for number, (silence, seconds, letters) in enumerate(parts):
        cues.append(Cue(at + silence, at + silence + seconds, f"{number} {'x' * letters}".strip()))
        at += silence + seconds
    return cues


@given(talks, maps)
def test_lines_at_normal_speed_keep_their_times_and_all_their_order(
    cues: list[Cue], pieces: list[tuple[Fraction, int]]
) -> None:
    timemap = at_speeds(*pieces)
    done = retime(cues, timemap)
    slow = [
        (timemap.source[k], timemap.source[k + 1], timemap.output[k]) for k, piece in enumerate(pieces) if piece[1] == 1
    ]
    for line in cues:
        for start, end, output in slow:
            if start <= line.start and line.end <= end:
                there = [c for c in done.cues if line.text in c.text.split("\n")]
                assert [(c.start, c.end) for c in there] == [(line.start - start + output, line.end - start + output)]
    spoken = [row for c in done.cues for row in c.text.split("\n")]
    order = [c.text for c in cues if c.text in spoken]
    assert spoken == order
    assert done.left_out == done.said - len(order)


@given(talks, maps)
def test_nobody_is_left_out_beside_an_empty_screen(cues: list[Cue], pieces: list[tuple[Fraction, int]]) -> None:
    timemap = at_speeds(*pieces)
    done = retime(cues, timemap)
    spoken = [row for c in done.cues for row in c.text.split("\n")]
    edges = [Fraction(0), *(t for c in done.cues for t in (c.start, c.end)), timemap.duration]
    free = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a >= 1]
    for line in cues:
        if line.text not in spoken and line.start < timemap.source[-1]:
            moment = timemap.to_output(line.start)
            assert not any(a <= moment <= b - 1 for a, b in free)


@given(some_cues)
def test_saved_cues_never_overlap(cues: list[Cue]) -> None:
    rounded = [(round(c.start * 1000), round(c.end * 1000)) for c in shown(cues, at_speed(7, 70))]
    assert all(a[1] <= b[0] for a, b in pairwise(rounded))
    assert all(a < b for a, b in rounded)


def speeds_of_reading(cues: Sequence[Cue]) -> list[float]:
    """Characters a second as files have them: times are rounded to milliseconds."""
    return [1000 * len(c.text) / (round(c.end * 1000) - round(c.start * 1000)) for c in cues]


@given(talks, maps, st.sampled_from(["readable", "slow"]))
def test_every_line_can_be_read(cues: list[Cue], pieces: list[tuple[Fraction, int]], lines: LineMode) -> None:
    timemap = at_speeds(*pieces)
    done = retime(cues, timemap, lines)
    assert all(round(c.end * 1000) - round(c.start * 1000) >= 800 for c in done.cues)
    assert max(speeds_of_reading(done.cues), default=0) <= 25
    assert all(a.end <= b.start for a, b in pairwise(done.cues))
    spoken = [row for c in done.cues for row in c.text.split("\n")]
    assert done.left_out == done.said - len(spoken)


def narration(minutes: int = 20) -> list[Cue]:
    """Lines of three seconds and 20 to 80 characters, without a pause."""
    return [cue(3 * k, 3 * k + 3, f"{k} {'x' * (18 + 7 * k % 60)}") for k in range(20 * minutes)]


def stepwise(speed: int) -> TimeMap:
    """Twenty minutes with six slow steps; all in all about so many times faster."""
    slow = Fraction(1200 // speed, 12)
    fast = Fraction(1200, 6) - slow
    pieces = [(seconds, s) for _ in range(6) for seconds, s in ((fast, 2 * speed), (slow, 1))]
    return at_speeds(*pieces)


@pytest.mark.parametrize("speed", [4, 10, 25])
def test_a_long_narration_stays_readable_at_any_speed(speed: int) -> None:
    for timemap in (at_speed(speed, 1200), stepwise(speed)):
        everything, readable = (retime(narration(), timemap, mode) for mode in ("all", "readable"))
        assert max(speeds_of_reading(readable.cues)) <= 25
        assert max(speeds_of_reading(everything.cues)) > 40
        assert readable.said == 400
        assert readable.left_out > 0
        filled = sum(float(c.end - c.start) for c in readable.cues) / float(timemap.duration)
        assert filled > 0.7


def test_only_slow_lines_on_demand() -> None:
    cues = [cue(1, 3, "slow words here"), cue(12, 14, "said in a hurry")]
    timemap = at_speeds((10, 1), (10, 5), (10, 1))
    assert [c.text for c in retime(cues, timemap, "readable").cues] == ["slow words here", "said in a hurry"]
    assert [c.text for c in retime(cues, timemap, "slow").cues] == ["slow words here"]
    assert retime(cues, timemap, "slow").left_out == 1
