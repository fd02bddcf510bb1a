"""Runs of several benches as one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isnan, nan
from pathlib import Path

import pytest

from saffa.core.alignment import Alignment
from saffa.core.selection import Selection
from saffa.core.video import Axis, Narration
from saffa.encoders.stored import StoredEncoder
from saffa.encoders.visual.encoder import VisualEncoder
from saffa.methods.uniform import Uniform
from saffa.research.evaluation import kept_runs as runs
from saffa.research.evaluation.kept_runs import JoinedRun, Run, RunStore, encoding_time
from saffa.research.evaluation.metrics import Scores
from saffa.research.evaluation.protocol import NARRATED, YOUCOOK2, Material
from saffa.research.evaluation.variants import Variant, variants
from saffa.research.reproduce.times import stages
from tests.research.small_data import write_small_data, write_youcook2_files


def run(speed: float, **speeds: float) -> Run:
    return Run("plan", None, speed, {video: Scores(50, 10, 20, own, 0.5) for video, own in speeds.items()}, speed)


def test_every_video_is_held_to_its_own_target() -> None:
    joined = JoinedRun.of([run(10, a=10, b=10.5), run(20, c=20)], 13.3)
    assert joined.row.n == 3
    assert joined.row.os == pytest.approx(40.5 / 3)
    assert joined.row.os_abs_error == pytest.approx(0.5 / 3)
    assert joined.sampling == 15


@dataclass(frozen=True)
class Looking:
    """A sampler that takes three ticks to look at a video and one to choose."""

    clock: list[float]
    name: str = "looking"
    reads_text: bool = False

    def watching(self, _video: Axis, _narration: Narration | None, _progress: Callable[[float], None]) -> Looking:
        self.clock[0] += 3
        return self

    def select(self, alignment: Alignment, speed: float) -> Selection:
        self.clock[0] += 1
        return Uniform().select(alignment, speed)


def test_watching_is_a_stage_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    bench = replace(YOUCOOK2, encoder="narrated")
    files = Material(bench, write_youcook2_files(tmp_path / "files"))
    variant, store = Variant("looking", Looking(clock)), RunStore(tmp_path / "runs")
    made = store.perform(files, variant, 5, lambda _stage, _share: None)
    assert (made.watching, made.sampling) == pytest.approx((3 / 500, 1 / 500))
    monkeypatch.setattr(runs, "_score", lambda *_: pytest.fail("scored again"))
    assert store.perform(files, variant, 5, lambda _stage, _share: None) == made
    (path,) = (tmp_path / "runs").rglob("*.json")
    facts = json.loads(path.read_text())
    del facts["watching"]
    path.write_text(json.dumps(facts))  # as older versions wrote it
    old = store.perform(files, variant, 5, lambda _stage, _share: None)
    assert old == replace(made, watching=None)
    assert stages([old]) == ["–", "2.0000"]
    assert stages([made]) == ["6.0000", "2.0000"]
    assert JoinedRun.of([made, made], 5).watching == made.watching
    assert JoinedRun.of([made, old], 5).watching is None


def test_features_are_not_watched(tmp_path: Path) -> None:
    material = Material(NARRATED, write_small_data(tmp_path / "data"))
    (variant,) = variants("uniform", NARRATED, tmp_path)
    run = RunStore(tmp_path / "runs").perform(material, variant, 5, lambda _stage, _share: None)
    assert run.watching is None


def test_encoding_is_timed_without_store_and_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_youcook2_files(tmp_path / "files")
    material = Material(replace(YOUCOOK2, encoder="narrated"), data, tmp_path / "store")
    assert isinstance(material.encoder, StoredEncoder)
    monkeypatch.setattr(StoredEncoder, "encode", lambda *_: pytest.fail("reads or writes the store"))
    assert encoding_time(material) > 0
    seeing = Material(replace(YOUCOOK2, encoder="visual"), data)
    assert isinstance(seeing.encoder, VisualEncoder)
    assert seeing.encoder.cache is not None
    bare = seeing.bare_encoder()
    assert isinstance(bare, VisualEncoder)
    assert bare.cache is None


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
