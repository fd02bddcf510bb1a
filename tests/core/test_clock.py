from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.core.clock import format_length, parse_length, parse_typed_length
from saffa.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2:30", 150),
        ("1:02:03", 3723),
        ("1:02:03.5", Fraction(7447, 2)),
        ("90", 90),
        ("0.5", Fraction(1, 2)),
        ("45s", 45),
        ("2m30s", 150),
        ("2 min", 120),
        ("1h", 3600),
        ("1h2m", 3720),
        (" 3:05 ", 185),
        ("90:00", 5400),
    ],
)
def test_parses_what_people_write(text: str, seconds: Fraction) -> None:
    assert parse_length(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "-5",
        "1:2:3:4",
        "2:",
        "s",
        "nan",
        "inf",
        "1e3",
        "5 apples",
        "2:99",
        "1:60:00",
        "9" * 400,
        "0." + "1" * 400,
    ],
)
def test_refuses_the_rest(text: str) -> None:
    with pytest.raises(InputError, match="Write it like"):
        parse_length(text)


@pytest.mark.parametrize(("text", "says"), [("2.30", "2:30 or as 2.3 seconds"), ("12.05", "Write 12:05 or 12.05s")])
def test_asks_when_a_point_may_be_a_colon(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        parse_typed_length(text)


def test_a_number_of_hundreds_of_digits_is_told_in_one_short_line() -> None:
    with pytest.raises(InputError, match="has 403 letters") as told:
        parse_typed_length("9" * 400 + ".30")
    assert len(str(told.value)) < 120


@pytest.mark.parametrize("text", ["2:30", "2.3", "2.30s", "2.75", "90", "0.5", "1:02:03.50"])
def test_what_is_clear_is_not_asked(text: str) -> None:
    assert parse_typed_length(text) == parse_length(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0:00.0"),
        (39.44, "0:39.4"),
        (59.96, "1:00.0"),
        (599.94, "9:59.9"),
        (725, "12:05"),
        (3599.9, "1:00:00"),
        (7384, "2:03:04"),
    ],
)
def test_formats(seconds: float, text: str) -> None:
    assert format_length(seconds) == text


@given(st.integers(0, 400_000))
def test_whole_seconds_survive(seconds: int) -> None:
    assert parse_length(format_length(seconds)) == seconds
