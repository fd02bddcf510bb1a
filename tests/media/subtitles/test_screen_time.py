"""Lines in free screen time: each near its own moment, none over another, none too short to be read."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from saffa.media.subtitles.retiming import READABLE_LINE, JoinedLines, ScreenTime

TEXT = "stir it well"


def line(start: object, seconds: object, text: str = TEXT, *, own: object = 0, slow: bool = False) -> JoinedLines:
    begin = Fraction(str(start))
    return JoinedLines(begin, begin + Fraction(str(own)), Fraction(str(seconds)), text, slow, rule=READABLE_LINE)


def shown(lines: list[JoinedLines], start: int = 0, end: int = 100) -> list[tuple[float, float] | None]:
    cues = ScreenTime(lines, Fraction(start), Fraction(end)).cues()
    return [None if cue is None else (float(cue.start), float(cue.end)) for cue in cues]


def test_a_line_with_room_stands_at_its_moment_for_a_second() -> None:
    assert shown([line("12.5", "0.4")]) == [(12.5, 13.5)]


def test_a_long_text_is_shown_as_long_as_reading_takes() -> None:
    assert shown([line(10, 9, "x" * 51)]) == [(10.0, 13.0)]  # 17 characters a second


def test_but_not_longer_than_it_was_said_if_that_can_be_read() -> None:
    assert shown([line(10, "2.5", "x" * 51)]) == [(10.0, 12.5)]
    # 25 characters a second at the most, and two milliseconds against rounding
    assert shown([line(10, 1, "x" * 100)]) == [(10.0, 14.002)]


def test_two_lines_of_one_moment_move_apart() -> None:
    first, second = shown([line(10, 1), line(10, 1)])
    assert first is not None and second is not None
    assert first[1] <= second[0]
    assert 8 <= first[0] <= 10 and 10 <= second[0] <= 13
    assert first[1] - first[0] == second[1] - second[0] == 1.0


def test_without_room_the_line_with_less_time_of_its_own_goes() -> None:
    assert shown([line(0, 1, own="0.2"), line(0, 1, own="0.5")], 0, 1) == [None, (0.0, 1.0)]
    assert shown([line(0, 1, own="0.5"), line(0, 1, own="0.2", slow=True)], 0, 1) == [None, (0.0, 1.0)]


def test_nothing_is_shown_where_no_line_can_be_read() -> None:
    assert shown([line(0, 1)], 0, 0) == [None]
    assert ScreenTime([line(0, 1)], Fraction(0), Fraction(79, 100)).cues() == [None]
    assert ScreenTime([line(0, 1)], Fraction(0), Fraction(81, 100)).cues() != [None]


def test_a_line_moves_three_seconds_later_or_two_earlier_at_most() -> None:
    crowd = [line(10, 1) for _ in range(12)]
    starts = [times[0] for times in shown(crowd) if times is not None]
    assert min(starts) >= 8.0 and max(starts) == 13.0
    assert len(starts) == 7  # of 0.802 s each


def test_one_line_counts_as_one() -> None:
    assert line(0, 1).lines == 1


@given(
    st.lists(
        st.tuples(st.integers(0, 300), st.integers(1, 40), st.integers(1, 80), st.integers(0, 20), st.booleans()),
        max_size=14,
    )
)
def test_lines_are_in_order_apart_and_readable(made: list[tuple[int, int, int, int, bool]]) -> None:
    lines = [
        line(Fraction(start, 10), Fraction(seconds, 10), "x" * length, own=Fraction(own, 10), slow=slow)
        for start, seconds, length, own, slow in sorted(made)
    ]
    cues = [cue for cue in ScreenTime(lines, Fraction(0), Fraction(30)).cues() if cue is not None]
    assert all(one.end <= other.start for one, other in pairwise(cues))
    assert all(cue.start >= 0 and cue.end <= 30 for cue in cues)
    assert all(cue.end - cue.start >= max(Fraction(4, 5), Fraction(len(cue.text), 25)) for cue in cues)


def test_a_line_moves_up_to_a_second_later_so_that_another_is_shown_longer() -> None:
    first, second = shown([line(0, 2, "x" * 17), line("0.802", 1)], 0, 4)
    assert first == (0.0, 1.0)
    assert second == (1.0, 2.0)
