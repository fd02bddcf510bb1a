"""The benchmark of held-out videos: no network is scored on what it has learned from."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs saffa[train]")

from benchmarks.plus_share import METHODS, outcomes

from benchmarks import plus_heldout
from saffa.encoders.registry import load_encoder
from saffa.methods.plus.moves import Network
from saffa.methods.plus.plus import shipped_agent
from saffa.methods.plus.saffa_plus import SaffaPlus
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.training.plus.curves import School
from saffa.research.training.plus.training import Course
from tests.research.training.plus.test_crops import video


def videos(count: int) -> list[BenchmarkVideo]:
    """Known apart by their lengths."""
    return [replace(video(), id=f"v{k}", frames=9000 + k) for k in range(count)]


def test_every_video_is_in_one_fold() -> None:
    folds = plus_heldout.dealt(videos(7), 3)
    assert sorted(len(fold) for fold in folds) == [2, 2, 3]
    assert Counter(v.id for fold in folds for v in fold) == {f"v{k}": 1 for k in range(7)}


def test_an_agent_learns_from_the_other_folds_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = videos(4)
    met: list[int] = []

    def teach_all(schools: list[School], _course: Course, _seeds: list[int], _members: Path) -> Network:
        met.extend(curve.frames for school in schools for curve in school.curves)
        return shipped_agent().network

    monkeypatch.setattr(plus_heldout, "teach_all", teach_all)
    agent = plus_heldout.agent_without(made[:2], made, [0], tmp_path)
    whole = [frames for frames in met if frames >= 9000]
    assert {9002, 9003} <= set(whole)
    assert not {9000, 9001} & set(whole)
    assert agent.agent.network is shipped_agent().network
    assert agent.agent.network_for("narrated") is shipped_agent().network


def test_folds_are_joined_video_by_video() -> None:
    encoder = load_encoder("narrated")
    seen = [(v, encoder.encode(v, v.document, v.narration)) for v in videos(3)]
    parts = [outcomes(seen[:1], 12, SaffaPlus()), outcomes(seen[1:], 12, SaffaPlus())]
    whole = outcomes(seen, 12)
    joined = plus_heldout.joined(parts)
    for method in METHODS:
        assert joined[method].scores == whole[method].scores
        np.testing.assert_array_equal(joined[method].relevance, whole[method].relevance)
