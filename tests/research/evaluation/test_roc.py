from pathlib import Path

import numpy as np
import pytest

from saffa.research.evaluation.roc import GRID, frame_auc, roc_curve
from saffa.research.reproduce.figures import draw_roc

TRUTH = np.array([False, True, False, True])


@pytest.mark.parametrize(
    ("relevance", "area"),
    [([0, 1, 0, 1], 1), ([1, 0, 1, 0], 0), ([5, 5, 5, 5], 0.5), ([0, 1, 2, 3], 0.75), ([0, 1, 1, 1], 0.75)],
)
def test_area(relevance: list[float], area: float) -> None:
    assert frame_auc(np.array(relevance), TRUTH) == area


def test_area_is_the_area_under_the_curve() -> None:
    random = np.random.default_rng(0)
    truth = random.random(3000) < 0.4
    relevance = truth + random.normal(size=3000)
    curve = roc_curve(relevance, truth)
    assert np.trapezoid(curve, GRID) == pytest.approx(frame_auc(relevance, truth), abs=2e-3)


def test_without_steps_there_is_no_area() -> None:
    assert np.isnan(frame_auc(np.zeros(4), np.zeros(4, bool)))


def test_figure(tmp_path: Path) -> None:
    png, svg = draw_roc({"a": [GRID, GRID**0.5]}, {"a": 0.6}, tmp_path / "roc")
    assert png.read_bytes()[:4] == b"\x89PNG"
    assert b"<svg" in svg.read_bytes()
