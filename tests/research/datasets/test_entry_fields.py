import math
from collections.abc import Callable
from typing import Any

import pytest

from saffa.research.datasets import entry as fields


@pytest.mark.parametrize(
    ("convert", "value", "wanted"),
    [
        (fields.text, " boil \n water ", "boil water"),
        (fields.label, "113", "113"),
        (fields.label, 113, "113"),
        (fields.flag, False, False),
        (fields.positive, "12.5", 12.5),
        (fields.whole, 0, 0),
        (fields.count, "900.0", 900),
        (fields.count_or_none, "0", None),
        (fields.count_or_none, None, None),
        (fields.rate_or_none, 0, None),
        (fields.rate_or_none, 25, 25.0),
        (fields.segment, [0, 2.5], (0.0, 2.5)),
    ],
)
def test_what_is_right(convert: Callable[[Any], object], value: object, wanted: object) -> None:
    assert convert(value) == wanted


@pytest.mark.parametrize(
    ("convert", "values"),
    [
        (fields.text, (None, "", " ", 3, ["a"])),
        (fields.label, (None, True, 1.5, "")),
        (fields.flag, (None, 1, "true")),
        (fields.positive, (None, 0, -1, True, "x", math.nan, math.inf, 10**400, [1])),
        (fields.whole, (-1, 1.5, None)),
        (fields.count, (0, -5, 7.5, "abc", False)),
        (fields.count_or_none, (-5, "-5", 7.5, "")),
        (fields.rate, (0, -1, 1e-9)),
        (fields.rate_or_none, (-1, 1e-9, "fast")),
        (fields.segment, (None, "ab", [1], [1, 2, 3], [5, 1], [2, 2], [-1, 2], [0, math.inf], [0, "x"], {"a": 1})),
    ],
)
def test_what_is_wrong_is_shown(convert: Callable[[Any], object], values: tuple[object, ...]) -> None:
    for value in values:
        with pytest.raises(ValueError, match=r"^expected "):
            convert(value)


def test_long_values_are_cut() -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        fields.text(list(range(10_000)))
    assert len(str(caught.value)) < 100


def test_exact_rate() -> None:
    assert str(fields.exact_rate(29.97002997002997)) == "30000/1001"
