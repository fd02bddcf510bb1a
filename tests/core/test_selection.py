import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.core.selection import Selection, check_speed, wanted_frames


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


def test_wanted_frames_and_speeds() -> None:
    assert wanted_frames(9000, 12) == 750
    assert wanted_frames(5, 100) == 1
    for bad in (0.99, 0, -3, float("nan"), float("inf")):
        with pytest.raises(InputError, match="speed must be"):
            check_speed(bad)
