import numpy as np
import pytest

from saffa.research.baselines.sparse import EPSILON, PENALTIES, Descriptor, chosen, whitened
from tests.methods.made import alignment


def test_whitened_rows_have_unit_covariance() -> None:
    rows = np.random.default_rng(0).standard_normal((500, 6)) @ np.diag([1, 2, 3, 4, 5, 0.0])
    white = whitened(rows)
    assert white.shape == (500, 5)  # one direction has no variance
    np.testing.assert_allclose(white.T @ white / 500, np.eye(5), atol=10 * EPSILON)


def test_the_thin_solution_is_the_solution() -> None:
    """(Z Zᵀ + λ tr I) c = 1 solved plainly picks the same atoms."""
    away = np.random.default_rng(1).standard_normal((40, 8))
    gram = away @ away.T
    counts = {}
    for penalty in PENALTIES:
        code = np.linalg.solve(gram + penalty * np.trace(gram) * np.eye(40), np.ones(40))
        counts[penalty] = set(np.flatnonzero(code / code.sum() > 0).tolist())
    wanted = 22
    nearest = min(abs(len(found) - wanted) for found in counts.values())
    got = chosen(away, wanted)
    assert abs(len(got) - wanted) == nearest
    assert set(got.tolist()) in [found for found in counts.values() if abs(len(found) - wanted) == nearest]


def test_atoms_that_are_all_alike() -> None:
    assert chosen(np.zeros((10, 3)), 4).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("grid", [1, 30])
def test_about_half_of_the_wanted_frames_reconstruct_a_range(grid: int) -> None:
    descriptor = Descriptor.of_features(alignment(1200, grid=grid))
    found = descriptor.sparse_frames(300, 900, 10.0)
    assert 300 <= found[0] < found[-1] < 900
    assert np.all(np.diff(found) > 0)
    assert 20 <= len(found) <= 60


def test_weights_draw_frames_in() -> None:
    rows = np.random.default_rng(2).standard_normal((600, 5))
    weights = np.ones(600)
    weights[100:200] = 0.1
    plain, drawn = Descriptor.of(rows), Descriptor.of(rows, weights)
    inside = [np.mean((f >= 100) & (f < 200)) for f in (d.sparse_frames(0, 600, 6.0) for d in (plain, drawn))]
    assert inside[1] > 2 * inside[0]
