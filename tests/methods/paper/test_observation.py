import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.methods.paper.observation import Observation, Position, nrpe, position_scales, skip_index


@pytest.mark.parametrize(
    ("position", "skip", "width"), [(True, True, 356), (True, False, 306), (False, True, 306), (False, False, 256)]
)
def test_widths_of_the_ablation(position: bool, skip: bool, width: int) -> None:
    assert Observation(256, position, skip).width == width


def test_the_position_of_the_last_frame_is_zero_and_one() -> None:
    last = nrpe(100)[-1]
    assert last[0::2].tolist() == [0] * 25
    assert last[1::2].tolist() == [1] * 25


@pytest.mark.parametrize("frames", [1, 2, 601])
def test_a_moment_has_the_position_that_all_together_have(frames: int) -> None:
    position = Position(frames)
    one_by_one = [position.at(frames - 1 - frame).copy() for frame in range(frames)]
    np.testing.assert_array_equal(one_by_one, nrpe(frames))


def test_position_is_the_paper_formula() -> None:
    frames, frame, k = 500, 123, 7
    angle = (frames - 1 - frame) / frames ** (2 * k / 50)
    np.testing.assert_allclose(nrpe(frames)[frame, 2 * k : 2 * k + 2], [np.sin(angle), np.cos(angle)], atol=1e-6)


@pytest.mark.parametrize(
    ("average", "speed", "index"),
    [(12, 12, 25), (12.5, 12, 26), (13.5, 12, 26), (11.5, 12, 24), (10.5, 12, 24), (1, 25, 1), (25, 1, 49)],
)
def test_index_rounds_halves_to_even(average: float, speed: float, index: int) -> None:
    assert skip_index(average, speed) == index


@given(st.floats(1, 400), st.floats(1, 400))
def test_index_stays_in_the_vector(average: float, speed: float) -> None:
    assert 0 <= skip_index(average, speed) < 50


@pytest.mark.parametrize("view", [Observation(8), Observation(8, position=False), Observation(8, skip=False)])
def test_one_state_and_many_are_written_alike(view: Observation) -> None:
    frames, visited, index = 90, np.array([0, 17, 89]), np.array([25, 3, 49])
    many = view.tails(frames, visited, index)
    for row in range(3):
        one = np.full(view.width, 7, np.float32)
        view.write(one, position_scales(frames), frames - 1 - int(visited[row]), int(index[row]))
        np.testing.assert_array_equal(one[8:], many[row])
        assert one[:8].tolist() == [7] * 8


def test_refuses_odd_widths() -> None:
    with pytest.raises(ValueError, match="even"):
        Observation(7)
