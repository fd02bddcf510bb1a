"""Videos without subtitles are listened to, once; what is heard guides and is told."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saffa
from saffa.cli.main import run
from saffa.core.errors import InputError
from saffa.core.video import Cue, Word
from saffa.media.probe import probe
from saffa.pipeline import narration
from saffa.sample import RECIPE, VIDEO
from saffa.speech.backend import can_listen
from saffa.storage.store import user_cache
from tests.speech.sounds import RATE, film

STEPS = ["Boil the water in the kettle.", "Grind the coffee beans."]


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A film with sound and no subtitles, and a cache that has not heard it yet."""
    monkeypatch.setenv("SAFFA_CACHE", str(tmp_path / "cache"))
    time = np.arange(24 * RATE) / RATE
    return film(tmp_path / "talk.mp4", (0.2 * np.sin(2 * np.pi * 200 * time)).astype(np.float32))


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A recogniser that hears both steps, and how often it was asked."""
    asked: list[Any] = []

    def hears(_work: Any, _progress: Any, video: Any, *_: Any) -> list[Cue]:
        asked.append(video.path)
        lines = [(2, "boil the water in the kettle"), (15, "grind the coffee beans")]
        return [Cue(Fraction(at), Fraction(at + 3), text, (Word(at, at + 3.0, text),)) for at, text in lines]

    monkeypatch.setattr(narration, "run_in_worker", hears)
    monkeypatch.setattr(narration, "can_listen", lambda: True)
    return asked


def test_a_video_without_subtitles_is_listened_to_once(talk: Path, heard: list[Any]) -> None:
    for speed in (2, 3):
        result = saffa.accelerate(talk, STEPS, speed=speed, encoder="narrated")
        assert result.notes == ("no subtitles: heard 2 lines",)
    assert len(heard) == 1
    assert list(result.alignment.sentence_at([3.5, 16.5])) == [0, 1]


def test_what_was_heard_before_an_interruption_is_not_listened_to_again(
    talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def hears(
        _work: Any, _progress: Any, _video: Any, _model: Any, _language: Any, _offline: Any, hour: int
    ) -> list[Cue]:
        asked.append(hour)
        if asked == [0, 1]:
            raise KeyboardInterrupt
        return [Cue(Fraction(10 * hour + 1), Fraction(10 * hour + 3), f"part {hour}", (Word(1.0, 3.0, "part"),))]

    monkeypatch.setattr(narration, "run_in_worker", hears)
    monkeypatch.setattr(narration, "AT_ONCE", 10)
    store, video = user_cache(), probe(talk)
    with pytest.raises(KeyboardInterrupt):
        narration.heard_lines(video, None, None, False, store, lambda *_: None)
    lines = narration.heard_lines(video, None, None, False, store, lambda *_: None)
    assert [line.text for line in lines] == ["part 0", "part 1", "part 2"]
    assert asked == [0, 1, 1, 2]


def test_listening_can_be_left(talk: Path, heard: list[Any]) -> None:
    result = saffa.accelerate(talk, STEPS, speed=2, listen="off")
    assert result.notes == ()
    saffa.accelerate(talk, STEPS, speed=2, encoder="visual")
    saffa.accelerate(talk, STEPS, speed=2, method="uniform")
    assert heard == []


def test_subtitles_are_better_than_ears_unless_asked(talk: Path, heard: list[Any]) -> None:
    talk.with_suffix(".srt").write_text("1\n00:00:01,000 --> 00:00:04,000\nBoil the water.\n", "utf-8")
    assert saffa.accelerate(talk, STEPS, speed=2, encoder="narrated").notes == ()
    assert heard == []
    assert saffa.accelerate(talk, STEPS, speed=2, encoder="narrated", listen="on").notes == ("heard 2 lines",)
    assert len(heard) == 1


@pytest.mark.usefixtures("heard")
def test_what_was_heard_is_not_shown_as_subtitles(talk: Path, tmp_path: Path) -> None:
    result = saffa.accelerate(talk, STEPS, speed=2, encoder="narrated", output=tmp_path / "short.mp4")
    assert result.rendered is not None
    assert result.rendered.subtitles is None
    assert not (tmp_path / "short.srt").exists()


def test_no_speech_goes_by_the_pictures(talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narration, "run_in_worker", lambda *_: [])
    monkeypatch.setattr(narration, "can_listen", lambda: True)
    result = saffa.accelerate(talk, STEPS, speed=2)
    assert result.notes == ("no subtitles, and no speech to be heard: the pictures alone decide",)


def test_without_a_recogniser_one_line_helps(talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narration, "can_listen", lambda: False)
    (note,) = saffa.accelerate(talk, STEPS, speed=2).notes
    assert "saffa[asr]" in note
    with pytest.raises(InputError, match=r"saffa\[asr\]"):
        saffa.accelerate(talk, STEPS, speed=2, listen="on")


@pytest.mark.usefixtures("heard")
def test_the_narration_can_be_the_text(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["accelerate", str(talk), "--text", "narration", "--speed", "2", "--encoder", "narrated", "--dry-run"]
    assert run([*command, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [one["text"] for one in facts["sentences"]] == ["boil the water in the kettle grind the coffee beans"]
    assert any("narration" in note for note in facts["notes"])


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("suffix", [".srt", ".vtt", ".txt", ".json"])
def test_transcribe(talk: Path, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"said{suffix}"
    assert run(["transcribe", str(talk), "-o", str(output)]) == 0
    text = output.read_text("utf-8")
    assert "boil the water in the kettle" in text
    if suffix == ".json":
        assert json.loads(text)["lines"][1]["words"] == [[15.0, 18.0, "grind the coffee beans"]]


@pytest.mark.usefixtures("heard")
def test_a_transcript_tells_where_the_speech_stops(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["transcribe", str(talk), "-o", str(tmp_path / "whole.srt")]) == 0
    assert "none after" not in capsys.readouterr().out
    line = Cue(Fraction(2), Fraction(5), "boil the water", (Word(2.0, 5.0, "boil the water"),))
    monkeypatch.setattr(narration, "run_in_worker", lambda *_: [line])
    assert run(["transcribe", str(talk), "-o", str(tmp_path / "part.srt"), "--no-cache"]) == 0
    assert "1 line, 3 words, none after 0:05.0: the sound may break off" in capsys.readouterr().out


def test_transcribe_refuses_in_one_line(talk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mute = film(tmp_path / "mute.mp4", None)
    for video, output, said in (
        (mute, "a.srt", "has no sound"),
        (talk, "a.docx", "transcripts are written as"),
        (tmp_path / "none.mp4", "a.srt", "none.mp4"),
    ):
        assert run(["transcribe", str(video), "-o", str(tmp_path / output)]) == 2
        error = capsys.readouterr().err
        assert said in error
        assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(not can_listen(), reason="moonshine-voice is not installed (saffa[asr])")
def test_the_sample_without_its_subtitles_keeps_its_sentences_in_place() -> None:
    """At least 6 of 7 have most of their output inside the chapter that shows them, give or take a second."""
    video = probe(VIDEO)
    shown = [chapter for chapter in video.chapters if chapter.title[:1].isdigit()]
    result = saffa.accelerate(VIDEO, RECIPE, speed=4, listen="on")
    times = np.array([float(video.frame_time(int(frame))) for frame in result.selection.frames])
    sentences = np.array([-1 if s is None else s for s in result.alignment.sentence_at(times.tolist())])
    places = [times[sentences == k] for k in range(len(shown))]
    inside = [
        bool(np.mean((own >= chapter.start - 1) & (own <= chapter.end + 1)) > 0.5)
        for own, chapter in zip(places, shown, strict=True)
    ]
    assert sum(inside) >= 6
