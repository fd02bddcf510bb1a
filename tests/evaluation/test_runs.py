"""Runs of several benches as one."""

from __future__ import annotations

from math import isnan, nan
from pathlib import Path

import pytest

from saffa.evaluation import runs
from saffa.evaluation.bench import NARRATED, Material
from saffa.evaluation.metrics import Scores
from saffa.evaluation.runs import JoinedRun, Run, RunStore
from saffa.evaluation.variants import variants
from tests.evaluation.small_data import write_small_data


def run(speed: float, **speeds: float) -> Run:
    return Run("plan", None, speed, {video: Scores(50, 10, 20, own, 0.5) for video, own in speeds.items()}, speed)


def test_every_video_is_held_to_its_own_target() -> None:
    joined = JoinedRun.of([run(10, a=10, b=10.5), run(20, c=20)], 13.3)
    assert joined.row.n == 3
    assert joined.row.os == pytest.approx(40.5 / 3)
    assert joined.row.os_abs_error == pytest.approx(0.5 / 3)
    assert joined.sampling == 15


def test_a_kept_run_without_a_number_is_json_and_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    material = Material(NARRATED, write_small_data(tmp_path / "data"))
    odd = Run("uniform", None, 5, {"video3": Scores(50, nan, 0, 5, nan)}, 0.1)
    monkeypatch.setattr(runs, "_score", lambda *_: odd)
    (variant,) = variants("uniform", NARRATED, tmp_path)
    store = RunStore(tmp_path / "runs")
    store.perform(material, variant, 5, lambda _stage, _share: None)
    (path,) = (tmp_path / "runs").rglob("*.json")
    assert "NaN" not in path.read_text()
    monkeypatch.setattr(runs, "_score", lambda *_: pytest.fail("scored again"))
    kept = store.perform(material, variant, 5, lambda _stage, _share: None)
    assert str(kept.per_video) == str(odd.per_video)
    path.write_text(path.read_text().replace("null", "NaN"))  # as older versions wrote it
    assert isnan(store.perform(material, variant, 5, lambda _stage, _share: None).per_video["video3"].recall)
