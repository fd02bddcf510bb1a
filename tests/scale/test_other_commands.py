"""Research and transcripts on several processes: what comes out is that of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from saffa.cli.main import run
from saffa.core.strict_json import json_text
from saffa.core.whole_file import file_sha256
from saffa.pipeline.narration import VERSION
from saffa.speech.transcript import SCHEMA
from saffa.storage.fingerprint import fingerprint
from saffa.storage.store import user_cache
from tests.media.clicks import click_sound, make_video
from tests.media.movies import Movie, make
from tests.research.small_data import write_small_data


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_data(tmp_path_factory.mktemp("data"))


def without_times(facts: Any) -> Any:
    if isinstance(facts, dict):
        timed = ("seconds_per_video", "watching_per_video", "sampling", "watching")
        return {key: without_times(value) for key, value in facts.items() if key not in timed}
    return [without_times(one) for one in facts] if isinstance(facts, list) else facts


def test_evaluate_gives_the_numbers_of_one_process(data: Path, tmp_path: Path) -> None:
    told = []
    for jobs in ("1", "2"):
        out = tmp_path / f"{jobs}.json"
        asked = ["evaluate", "youcook2-narrated", "--data", str(data), "--methods", "uniform,saffa,plan", "--auc"]
        assert run([*asked, "--jobs", jobs, "--json", str(out)]) == 0
        told.append(without_times(json.loads(out.read_text("utf-8"))))
    assert told[0] == told[1]
    assert len(told[0]["per_video"]["plan"]) == 3


def test_extract_makes_the_files_of_one_process(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for jobs in ("1", "2"):
        asked = ["data", "extract", "youcook2-narrated", "--data", str(data), "--store", str(tmp_path / jobs)]
        assert run([*asked, "--encoder", "narrated", "--jobs", jobs, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["made"] == 3
    files = {
        jobs: {path.name: file_sha256(path) for path in (tmp_path / jobs / "objects").glob("*.npz")}
        for jobs in ("1", "2")
    }
    assert files["1"] == files["2"]
    assert len(files["1"]) == 3


@pytest.mark.slow
def test_reproduce_keeps_the_runs_of_one_process(data: Path, tmp_path: Path) -> None:
    kept = []
    for jobs in ("1", "2"):
        asked = ["reproduce", "table1", "--data", str(data), "-o", str(tmp_path / jobs), "--methods", "uniform,plan"]
        assert run([*asked, "--benchmarks", "youcook2-narrated", "--jobs", jobs]) == 0
        runs = sorted((tmp_path / jobs / "runs").rglob("*.json"))
        kept.append([(path.name, without_times(json.loads(path.read_text("utf-8")))) for path in runs])
    assert kept[0] == kept[1]
    assert {name for name, _ in kept[0]} == {"plan-12.json", "uniform-12.json"}


def test_transcribe_takes_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = {"start": 1.0, "end": 2.0, "text": "boil the water", "words": []}
    for name, seconds in (("a", 4), ("b", 5)):
        make_video(tmp_path / f"{name}.mp4", click_sound([1.0], seconds), frames=25 * seconds)
        heard = f"transcript-{fingerprint(VERSION, file_sha256(tmp_path / f'{name}.mp4'), None, None, 0)[:40]}.json"
        text = json_text({"schema": SCHEMA, "lines": [line]})
        user_cache().keep(heard, lambda part, text=text: part.write_text(text, "utf-8"))  # type: ignore[misc]
    make(tmp_path / "mute.mp4", Movie(frames=20))
    films = [str(tmp_path / f"{name}.mp4") for name in ("a", "b", "mute")]
    assert run(["transcribe", *films, "-o", str(tmp_path / "said"), "--to", "vtt", "--jobs", "2", "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert (facts["done"], facts["skipped"], facts["failed"]) == (2, 0, 1)
    assert "has no sound" in facts["results"][-1]["reason"]
    assert "boil the water" in (tmp_path / "said" / "a.vtt").read_text("utf-8")
    assert run(["transcribe", *films[:2], "-o", str(tmp_path / "said"), "--to", "vtt"]) == 0
    assert "0 done, 2 were there, 0 failed" in capsys.readouterr().out
