"""A text that does not fit is told before anything is written, and refused with --strict."""

import json
from pathlib import Path

import pytest

from saffa.cli.main import run
from saffa.sample import RECIPE, VIDEO
from tests.media.movies import Movie, make

pytestmark = pytest.mark.usefixtures("one_process")


@pytest.fixture
def tyre(tmp_path: Path) -> Path:
    path = tmp_path / "tyre.txt"
    path.write_text("Loosen the wheel nuts.\nJack up the car and take off the flat tyre.\nMount the spare wheel.\n")
    return path


def arguments(text: Path, *more: str) -> list[str]:
    return ["accelerate", str(VIDEO), "--text", str(text), "--encoder", "narrated", "--speed", "8", *more]


def test_a_foreign_text_is_told_and_nothing_is_claimed(tyre: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments(tyre, "--dry-run", "--json")) == 0
    told = capsys.readouterr()
    facts = json.loads(told.out)
    assert facts["fit"] < 0.3
    assert [s["found"] for s in facts["sentences"]] == [False, False, False]
    assert all(s["confidence"] < 0.2 for s in facts["sentences"])
    assert facts["watchable_sentences"] == 0
    assert "fit" in told.err


def test_the_own_text_is_not_doubted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments(RECIPE, "--dry-run", "--json")) == 0
    told = capsys.readouterr()
    facts = json.loads(told.out)
    assert facts["fit"] > 0.5
    assert sum(s["found"] for s in facts["sentences"]) >= 6
    assert "fit" not in told.err


def test_strict_refuses_before_anything_is_written(
    tyre: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.mp4"
    assert run(arguments(tyre, "--strict", "-o", str(output))) == 2
    assert "does not seem to fit" in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize("encoder", ["fused", "narrated-plain", "narrated-live", "visual", "vdan"])
def test_every_encoder_tells_a_foreign_text(
    encoder: str, tyre: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.mp4"
    told = ["accelerate", str(VIDEO), "--text", str(tyre), "--encoder", encoder, "--speed", "8", "--strict"]
    assert run([*told, "-o", str(output)]) == 2
    assert "does not seem to fit" in capsys.readouterr().err
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("encoder", ["auto", "narrated-live", "visual"])
def test_a_single_pass_tells_it_in_the_end_and_leaves_nothing(
    encoder: str, tyre: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, short = tmp_path / "out.mp4", tmp_path / "short.mp4"
    make(short, Movie(frames=100))
    lines = tmp_path / "lines.srt"
    lines.write_text("1\n00:00:00,100 --> 00:00:03,500\nwhisk the eggs with sugar and pour the milk into the pan\n")
    spoken = [] if encoder == "visual" else ["--subtitles", str(lines)]
    told = ["accelerate", str(short), "--text", str(tyre), "--encoder", encoder, "--speed", "4", "--single-pass"]
    told += ["--method", "saffa"]
    assert run([*told, *spoken, "--dry-run", "--json"]) == 0
    answer = capsys.readouterr()
    assert json.loads(answer.out)["fit"] < 0.3
    assert json.loads(answer.out)["fit_by"] == ("pictures" if encoder == "visual" else "narration")
    assert "does not seem to fit" in answer.err
    assert run([*told, *spoken, "--strict", "-o", str(output)]) == 2
    assert "does not seem to fit" in capsys.readouterr().err
    assert not list(tmp_path.glob("out*"))
