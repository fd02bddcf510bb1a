"""`grid`: points that change one value, trained and put beside the agents of all other tables."""

from pathlib import Path

import pytest

from saffa.research.evaluation.protocol import NARRATED
from saffa.research.reproduce import grid as room
from saffa.research.reproduce.context import Context
from saffa.research.reproduce.grid import PAPERS, POINTS, PUBLISHED, Point, grid
from tests.research.small_data import write_small_data


def test_each_point_changes_one_of_the_published_values() -> None:
    assert (PUBLISHED.sigma, PUBLISHED.gamma, PUBLISHED.lr) == (0.5, 0.99, 5e-5)
    changed = [[a != b for a, b in zip((p.sigma, p.gamma, p.lr), (0.5, 0.99, 5e-5), strict=True)] for p in POINTS]
    assert all(sum(one) == 1 for one in changed)
    assert len({point.name for point in POINTS}) == len(POINTS)


def test_the_values_of_the_papers_grid_are_tried() -> None:
    assert {p.sigma for p in (PUBLISHED, *PAPERS)} == {0.5, 1.0, 2.0}
    assert {p.gamma for p in (PUBLISHED, *PAPERS)} == {0.8, 0.9, 0.99}
    assert {p.lr for p in (PUBLISHED, *PAPERS)} == {1e-5, 5e-5, 1e-4}


def test_a_point_is_trained_once_and_stands_beside_the_published_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = write_small_data(tmp_path / "data"), tmp_path / "out"
    monkeypatch.setattr(room, "POINTS", (Point(gamma=0.9),))
    trained = grid(Context(data, out, benches=(NARRATED,), epochs=1, seeds=1, videos=2))
    monkeypatch.setattr(room, "POINTS", (Point(gamma=0.9), Point(sigma=2.0)))
    shown = grid(Context(data, out, benches=(NARRATED,), seeds=1))
    table = shown.sheets["grid-youcook2-narrated"]
    assert table == trained.sheets["grid-youcook2-narrated"]
    published, other = (dict(zip(table.heading, row, strict=True)) for row in table.rows)
    assert (published["γ"], other["γ"]) == ("0.99", "0.9")
    assert "(shipped)" in published["seeds × epochs, videos"]
    assert other["seeds × epochs, videos"].startswith("1 × 1, ")
    assert float(other["F1"]) > 0 and other["gain, wrong text"][0] in "+-"
