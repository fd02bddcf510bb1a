"""Where the text of `saffa accelerate` comes from: a file, steps, standard input; what is refused before any work."""

import io
from pathlib import Path

import pytest

from saffa.cli import app
from saffa.cli.main import run
from saffa.sample import VIDEO

Capture = pytest.CaptureFixture[str]


class Piped:
    """Standard input with these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def refusal(capsys: Capture, *arguments: str) -> str:
    """The one line of a command that is refused as bad input."""
    assert run(["accelerate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


def test_steps_in_words_are_the_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    steps = ["--step", "Grind the  coffee", "--step", "pour the water"]
    assert run(["accelerate", str(VIDEO), *steps, "--speed", "4", "--encoder", "narrated", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "Grind the coffee" in told and "pour the water" in told
    assert list(tmp_path.iterdir()) == []


def test_one_text_is_enough(capsys: Capture) -> None:
    assert "Give --text or --step, not both." in refusal(capsys, str(VIDEO), "--text", "a.txt", "--step", "boil")
    assert "There is no text to follow." in refusal(capsys, str(VIDEO))
    assert "Missing argument 'VIDEO'" in refusal(capsys, "--text", "a.txt")


def test_a_text_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", Piped(b"1. Boil the water\n2. Grind the coffee\n"))
    given = app._given_text("-", (), "steps")
    assert not isinstance(given, str | None)
    assert given.sentences == ("Boil the water", "Grind the coffee")
    monkeypatch.setattr(app, "MAX_BYTES", 10)
    monkeypatch.setattr("sys.stdin", Piped(b"x" * 11))
    assert "Standard input is too large for a text" in refusal(capsys, str(VIDEO), "--text", "-")
    assert "cannot both come through standard input" in refusal(capsys, "-", "--text", "-")


@pytest.mark.parametrize(
    ("duration", "told"),
    [
        ("-5", "--duration must be positive"),
        ("2.30", "Is 2.30 meant as 2:30 or as 2.3 seconds?"),
        ("soon", "Cannot read the length 'soon'"),
        ("1:00", "--duration is for videos that are read once"),
    ],
)
def test_durations_that_are_refused(capsys: Capture, duration: str, told: str) -> None:
    assert told in refusal(capsys, str(VIDEO), "--step", "boil", f"--duration={duration}", "--dry-run")


def test_a_model_needs_an_encoder_that_takes_one(capsys: Capture) -> None:
    asked = [str(VIDEO), "--step", "boil", "--dry-run", "--model", "somewhere"]
    assert "--model goes with --encoder clip" in refusal(capsys, *asked)
    assert "--model goes with --encoder clip" in refusal(capsys, *asked, "--encoder", "visual")
    assert "somewhere" in refusal(capsys, *asked, "--encoder", "clip")


@pytest.mark.parametrize(
    ("video", "output"),
    [("-", "video-short.mp4"), ("a/b.MKV", "b-short.mkv"), ("c.webm", "c-short.webm"), ("d.avi", "d-short.mp4")],
)
def test_the_output_without_a_name(video: str, output: str) -> None:
    assert app._default_output(Path(video)) == Path(output)
