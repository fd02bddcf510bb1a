import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.errors import InputError
from saffa.selection import Selection, check_speed, wanted_frames


def selection(frames: list[int], total: int) -> Selection:
    return Selection(np.array(frames), total, 2.0, "test")


def test_speed_and_skips() -> None:
    chosen = selection([0, 3, 4, 9], 12)
    assert chosen.speed == 3
    assert chosen.skips().tolist() == [3, 1, 5, 3]


@pytest.mark.parametrize("frames", [[], [3, 3], [4, 2], [-1, 2], [0, 12]])
def test_refuses_what_is_no_selection(frames: list[int]) -> None:
    with pytest.raises(ValueError, match="select"):
        selection(frames, 12)


@given(st.data())
def test_snapping_keeps_the_count_and_strict_order(data: st.DataObject) -> None:
    total = data.draw(st.integers(2, 200))
    gaps = data.draw(st.lists(st.floats(0.005, 3), min_size=total, max_size=total))
    seconds = np.concatenate([[0.0], np.cumsum(gaps)[:-1]])
    rate = total / sum(gaps)
    chosen = sorted(data.draw(st.sets(st.integers(1, total - 1)))) if total > 2 else []
    snapped = selection([0, *chosen], total).snapped(seconds, rate)
    assert len(snapped.frames) == 1 + len(chosen)
    assert snapped.frames[0] == 0  # the constructor checks the order


def test_snapping_finds_the_frame_on_screen() -> None:
    seconds = np.array([0, 0.1, 0.2, 0.3, 1.0, 2.0, 3.0, 3.1, 3.2, 3.9])
    snapped = selection([0, 4, 8], 10).snapped(seconds, 10 / 4)  # slots at 0, 1.6 and 3.2 s
    assert snapped.frames.tolist() == [0, 4, 8]


def test_wanted_frames_and_speeds() -> None:
    assert wanted_frames(9000, 12) == 750
    assert wanted_frames(5, 100) == 1
    for bad in (0.99, 0, -3, float("nan"), float("inf")):
        with pytest.raises(InputError, match="speed must be"):
            check_speed(bad)
