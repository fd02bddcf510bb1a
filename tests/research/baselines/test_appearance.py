import numpy as np
import pytest

from saffa.research.baselines.appearance import Appearance
from tests.methods.made import alignment


def test_histograms_cost_their_earth_movers_distance() -> None:
    pile = np.cumsum([[1, 0, 0, 0], [0, 0, 0, 1]], axis=1).astype(np.float32)
    seen = Appearance(pile, np.array([0, 0, 1]), cumulative=True)
    assert seen.cost(0, 2) == 3  # everything moves by three bins
    assert seen.cost(0, 1) == 0


def test_features_cost_one_minus_their_cosine() -> None:
    rows = np.array([[1, 0], [0.6, 0.8]], np.float32)
    assert Appearance(rows, np.array([0, 1])).cost(0, 1) == pytest.approx(0.4)


def test_the_band_holds_every_jump() -> None:
    seen = Appearance.of_features(alignment(200, grid=7))
    band = seen.band(20)
    for j, d in ((1, 1), (60, 20), (199, 13)):
        assert band[j, d - 1] == pytest.approx(seen.cost(j - d, j), abs=1e-6)
    assert not band[3, 3:].any()
