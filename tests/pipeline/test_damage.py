"""The same rule everywhere: with more than 5 % of the wanted frames missing nothing is written, unless asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from saffa.cli.main import run
from tests.media.movies import Movie, make, numbers

UNIFORM = ("--speed", "4", "--method", "uniform", "--encoder", "none")


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A video that lacks a third, and a text."""
    (tmp_path / "t.txt").write_text("Boil water.\n", encoding="utf-8")
    (tmp_path / "videos").mkdir()
    path = make(tmp_path / "videos" / "a.mkv", Movie(frames=300, options={"g": "10"}))
    os.truncate(path, path.stat().st_size * 2 // 3)
    return path


def test_accelerate_and_render(tmp_path: Path, cut: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output, timeline = tmp_path / "o.mp4", tmp_path / "o.json"
    shorten = ["accelerate", str(cut), "--text", str(tmp_path / "t.txt"), *UNIFORM, "-o", str(output)]
    again = ["render", str(timeline), "-o", str(tmp_path / "again.mp4")]
    assert run([*shorten, "--timeline", str(timeline)]) == 1
    assert "more than 5% of the 300 frames wanted are missing" in capsys.readouterr().err
    assert not output.exists() and not timeline.exists()
    assert run([*shorten, "--timeline", str(timeline), "--allow-damage"]) == 0
    assert run(again) == 1
    assert not (tmp_path / "again.mp4").exists()
    assert run([*again, "--allow-damage"]) == 0
    assert numbers(tmp_path / "again.mp4") == numbers(output)


def test_batch(tmp_path: Path, cut: Path) -> None:
    make(cut.with_name("b.mkv"), Movie(frames=40))
    out = tmp_path / "out"
    batch = ["batch", str(cut.parent), "--text", str(tmp_path / "t.txt"), "-o", str(out), *UNIFORM]
    assert run(batch) == 1
    assert sorted(p.name for p in out.iterdir() if p.suffix == ".mkv") == ["b-short.mkv"]
    (tmp_path / "list.csv").write_text("video,allow_damage\nvideos/a.mkv,yes\n", encoding="utf-8")
    batch[1] = str(tmp_path / "list.csv")
    assert run(batch) == 0
    assert sorted(p.name for p in out.iterdir() if p.suffix == ".mkv") == ["a-short.mkv", "b-short.mkv"]
