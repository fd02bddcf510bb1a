"""What an alignment refuses, and what it tells of each frame."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from saffa.core.alignment import Alignment, follows
from saffa.core.selection import Selection, chosen_frames, even_frames

ONES = np.ones((3, 2), np.float32)


def alignment() -> Alignment:
    """Six frames at two a second, three times of the grid, two sentences."""
    times = np.array([0.25, 1.25, 2.25], np.float32)
    weights = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], np.float32)
    e_v = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    return Alignment(times, e_v, ONES, np.array([0, 1, 0.5], np.float32), weights, ("a", "b"), 6, Fraction(2), "test")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"e_v": np.ones((2, 2), np.float32)}, "must both be"),
        ({"e_v": np.ones((3, 3), np.float32)}, "must both be"),
        ({"relevance": np.ones(2, np.float32)}, "relevance must be"),
        ({"sentence_weights": np.ones((3, 3), np.float32)}, "relevance must be"),
        ({"frames": 0}, "at least one frame"),
        ({"rate": Fraction(0)}, "at least one frame"),
        ({"times": np.array([0, 1, 1], np.float32)}, "increasing"),
        ({"times": np.array([0, 1, np.inf], np.float32)}, "increasing"),
        ({"relevance": np.array([0, np.nan, 1], np.float32)}, "must be finite"),
        ({"sentence_weights": np.full((3, 2), np.inf, np.float32)}, "must be finite"),
        ({"lines": np.ones((2, 3))}, "lines must be finite"),
        ({"lines": np.array([[0, np.nan]])}, "lines must be finite"),
        ({"confidence": np.zeros(3, np.float32)}, "confidence must be"),
        ({"confidence": np.array([0, 1.1], np.float32)}, "between 0 and 1"),
        ({"confidence": np.array([-0.1, 1], np.float32)}, "between 0 and 1"),
        ({"fit": 1.5}, "between 0 and 1"),
        ({"fit": float("nan")}, "between 0 and 1"),
    ],
)
def test_what_is_no_alignment(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(alignment(), **change)


def test_the_limits_themselves_are_allowed() -> None:
    replace(alignment(), confidence=np.array([0, 1], np.float32), fit=1.0, lines=np.zeros((0, 2)))


def test_values_of_each_frame() -> None:
    made = alignment()
    assert made.duration == 3
    assert made.frame_seconds().tolist() == [0, 0.5, 1, 1.5, 2, 2.5]
    assert made.relevance_per_frame().tolist() == [0, 0.25, 0.75, 0.875, 0.625, 0.5]
    assert made.row_of_frame().tolist() == [0, 0, 1, 1, 2, 2]
    rows, shown = made.held_features()
    assert rows.tolist() == [[1, 0], [0, 1]]
    assert shown.tolist() == [0, 0, 0, 0, 1, 1]


def test_sentences_are_told_where_the_text_is_followed() -> None:
    made = alignment()
    assert follows(made.relevance).tolist() == [False, True, True]
    assert made.sentence_at([0.0, 1.0, 2.0, 99.0]) == [None, 0, 1, 1]
    assert made.found().tolist() == [True, True]
    assert replace(made, confidence=np.array([0.01, 0.9], np.float32)).found().tolist() == [False, True]


def test_a_selection_with_cuts() -> None:
    chosen = Selection(np.array([2, 4, 8, 9]), 12, 2.0, "test", cuts=((0, 2), (5, 8)))
    assert chosen.skips().tolist() == [2, 1, 1, 3]
    assert chosen.ends().tolist() == [4, 5, 9, 12]
    assert np.flatnonzero(chosen_frames(chosen)).tolist() == [2, 4, 8, 9]
    with pytest.raises(ValueError, match="no selected frame may lie in a cut"):
        Selection(np.array([2, 4]), 12, 2.0, "test", cuts=((4, 5),))
    assert even_frames(10, 4).tolist() == [0, 2, 5, 7]
