import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.research.baselines.block_flow import CENTRE, BlockFlow

BLOCKS = np.array([(x, y) for y in range(1, 6) for x in range(1, 11)], np.float32)


def moving(frames: int, step: NDArray[np.floating]) -> BlockFlow:
    return BlockFlow(np.tile(step.astype(np.float32), (frames, 1, 1)))


@pytest.mark.parametrize("place", [(5, 3), (2, 1), (-4, 9)])
def test_the_focus_of_an_expanding_picture_is_found(place: tuple[int, int]) -> None:
    away = BLOCKS - np.array(place)
    focus = moving(6, 0.3 * away).focus(3)
    assert focus[3:].reshape(-1, 2).tolist() == [list(place)] * 9


def test_instability_is_the_distance_from_the_centre() -> None:
    focus = np.array([[[0, 0]], [[5, 3]], [[20, 3]]], np.int8)
    shaking = BlockFlow.instability(focus)
    assert CENTRE == (5.5, 3)
    np.testing.assert_allclose(shaking[:, 0], [0, 0.5, 14.5])  # no jump lands on frame 0


def test_velocity_is_zero_at_the_target_speed() -> None:
    term = moving(40, np.tile([3.0, 4.0], (50, 1))).velocity(10, 4.0)
    np.testing.assert_allclose(term[20:, 3], 0, atol=1e-3)
    np.testing.assert_allclose(term[20:, 5], 2 * 50 * 5, rtol=1e-4)  # two frames more, 50 blocks, 5 pixels each


def test_flow_adds_up() -> None:
    steps = np.random.default_rng(0).standard_normal((9, 50, 2)).astype(np.float32)
    total = BlockFlow(steps).cumulative()
    np.testing.assert_allclose(total[7] - total[2], steps[2:7].sum(0), atol=1e-5)


def test_coarse_blocks_are_means_of_neighbours() -> None:
    steps = np.zeros((1, 50, 2), np.float32)
    steps[0, 0], steps[0, 1] = (2, 0), (4, 0)
    assert BlockFlow(steps).coarse()[0, 0].tolist() == [3, 0]
    assert BlockFlow(steps).coarse().shape == (1, 25, 2)
