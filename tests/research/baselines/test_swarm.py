import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.research.baselines.graph_search import Swarm


def test_it_finds_the_bottom_of_a_bowl() -> None:
    place = Swarm().minimise(lambda x: ((x - 0.3) ** 2).sum(axis=1), 4)
    np.testing.assert_allclose(place, 0.3, atol=0.05)


def test_it_stays_in_the_box_and_repeats_itself() -> None:
    swarm = Swarm()
    once = swarm.minimise(lambda x: -x.sum(axis=1), 2, seed=5)
    assert once == pytest.approx([1, 1])
    np.testing.assert_array_equal(once, swarm.minimise(lambda x: -x.sum(axis=1), 2, seed=5))


def test_it_stops_when_nothing_gets_better() -> None:
    asked: list[int] = []

    def flat(places: NDArray[np.float64]) -> NDArray[np.float64]:
        asked.append(len(places))
        return np.ones(len(places))

    Swarm(particles=5, iterations=100, stall=3).minimise(flat, 2)
    assert asked == [5] * (1 + 3)
