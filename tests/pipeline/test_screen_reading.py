"""Text on the screen guides where subtitles are missing; it is told, kept, and never shown as subtitles."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import saffa
from saffa.cli.main import run
from saffa.core.errors import InputError, SaffaError
from saffa.core.video import Cue
from saffa.media.probe import probe
from saffa.pipeline import narration
from saffa.pipeline.study import study
from saffa.screens.ocr import can_read
from saffa.screens.screen_text import ScreenText
from tests.screens.slides import film, slide, texture

pytestmark = pytest.mark.usefixtures("one_process")

STEPS = ["Boil the water in the kettle.", "Grind the coffee beans."]
SUBTITLES = "1\n00:00:01,000 --> 00:00:04,000\nhello and welcome\n"
READ = "read 2 lines on the screen"
NO_SOUND = "no subtitles and no sound: the pictures alone decide"


@pytest.fixture
def lecture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A silent film with two slides, and a cache that has not seen it yet."""
    monkeypatch.setenv("SAFFA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(narration, "can_read", lambda: True)
    shots = [(slide(["Boil the water"]), 12), (slide(["Grind the beans"]), 12)]
    return film(tmp_path / "lecture.mp4", shots)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A reader that finds both slides, and how often it was asked."""
    asked: list[Any] = []

    def reads(_work: Any, _progress: Any, video: Any, *_: Any) -> ScreenText:
        asked.append(video.path)
        lines = [(0, "boil the water in the kettle"), (12, "grind the coffee beans")]
        return ScreenText([Cue(Fraction(at), Fraction(at + 12), text, kind="shown") for at, text in lines])

    monkeypatch.setattr(narration, "run_in_worker", reads)
    return asked


def test_slides_guide_where_nothing_is_said_and_are_read_once(lecture: Path, read: list[Any]) -> None:
    for speed in (2, 3):
        result = saffa.accelerate(lecture, STEPS, speed=speed, encoder="narrated")
        assert result.notes == (READ,)
    assert len(read) == 1
    assert list(result.alignment.sentence_at([5, 18])) == [0, 1]


def test_align_reads_too(lecture: Path, read: list[Any]) -> None:
    notes: list[str] = []
    saffa.align(lecture, STEPS, encoder="narrated", noted=notes.append, cache=False)
    assert notes == [READ]
    assert len(read) == 1


def test_the_study_of_the_browser_reads_too(lecture: Path, read: list[Any]) -> None:
    found = study(probe(lecture), saffa.Document(tuple(STEPS)), "auto", lambda *_: None)
    assert found.notes == (READ,)
    assert len(read) == 1
    assert list(found.alignment.sentence_at([5, 18])) == [0, 1]
    assert found.lines == ()  # what is shown is no subtitle


def test_reading_can_be_left(lecture: Path, read: list[Any]) -> None:
    assert saffa.accelerate(lecture, STEPS, speed=2, read_screen="off").notes == (NO_SOUND,)
    saffa.accelerate(lecture, STEPS, speed=2, encoder="visual")
    saffa.accelerate(lecture, STEPS, speed=2, method="uniform")
    assert read == []


def test_subtitles_that_say_enough_are_not_helped_unless_asked(lecture: Path, read: list[Any]) -> None:
    lecture.with_suffix(".srt").write_text(SUBTITLES.replace("welcome", "welcome " * 20), "utf-8")
    assert saffa.accelerate(lecture, STEPS, speed=2, encoder="narrated").notes == ()
    assert read == []
    assert saffa.accelerate(lecture, STEPS, speed=2, encoder="narrated", read_screen="on").notes == (READ,)
    assert len(read) == 1


@pytest.mark.usefixtures("read")
def test_the_viewer_sees_subtitles_and_not_what_was_read(lecture: Path, tmp_path: Path) -> None:
    lecture.with_suffix(".srt").write_text(SUBTITLES, "utf-8")
    result = saffa.accelerate(lecture, STEPS, speed=2, encoder="narrated", output=tmp_path / "short.mp4")
    assert result.notes == (READ,)
    written = (tmp_path / "short.srt").read_text("utf-8").lower()
    assert "welcome" in written
    assert "kettle" not in written


def test_a_film_without_letters_is_not_read(tmp_path: Path, lecture: Path, read: list[Any]) -> None:
    plain = film(lecture.with_name("film.mp4"), [(texture(k), 3) for k in range(4)])
    assert saffa.accelerate(plain, STEPS, speed=2).notes == (NO_SOUND,)
    assert read == []
    assert list((tmp_path / "cache" / "results").glob("screen-*.json"))  # and that is kept


def test_without_the_extra(lecture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narration, "can_read", lambda: False)
    assert saffa.accelerate(lecture, STEPS, speed=2).notes == (NO_SOUND, narration.SCREEN_HELP)
    plain = film(lecture.with_name("film.mp4"), [(texture(k), 3) for k in range(4)])
    assert saffa.accelerate(plain, STEPS, speed=2).notes == (NO_SOUND,)
    with pytest.raises(InputError, match=r"saffa\[ocr\]"):
        saffa.accelerate(lecture, STEPS, speed=2, read_screen="on")


def test_a_reader_that_fails_stops_only_those_who_asked(lecture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> ScreenText:
        raise SaffaError("Reading the screen failed: no memory.")

    monkeypatch.setattr(narration, "run_in_worker", fails)
    notes = saffa.accelerate(lecture, STEPS, speed=2).notes
    assert notes == (
        NO_SOUND,
        "the screen was not read: Reading the screen failed: no memory.",
    )
    with pytest.raises(SaffaError, match="no memory"):
        saffa.accelerate(lecture, STEPS, speed=2, read_screen="on")


def test_what_changes_too_fast_to_be_read_is_told(lecture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [Cue(Fraction(2), Fraction(14), "boil the water in the kettle", kind="shown")]
    monkeypatch.setattr(narration, "run_in_worker", lambda *_: ScreenText(lines, unread=9.0))
    told = "read 1 line on the screen; it changes too fast to read all of it: 9 s were passed over"
    for _ in range(2):  # also when it is remembered
        assert told in saffa.accelerate(lecture, STEPS, speed=2).notes


def test_no_text_is_told_to_those_who_asked(lecture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(narration, "run_in_worker", lambda *_: ScreenText([]))
    assert saffa.accelerate(lecture, STEPS, speed=2, read_screen="on").notes == (NO_SOUND, "no text on the screen")


def test_one_pass_cannot_read(lecture: Path) -> None:
    with pytest.raises(InputError, match="--read-screen on looks at the video twice"):
        saffa.accelerate(lecture, STEPS, speed=2, method="saffa", read_screen="on", single_pass=True)


@pytest.mark.usefixtures("read")
def test_what_is_shown_is_no_narration_to_follow(lecture: Path) -> None:
    with pytest.raises(InputError, match="Nothing is said"):
        saffa.accelerate(lecture, "narration", speed=2)


@pytest.mark.skipif(not can_read(), reason="saffa[ocr] is not installed")
def test_the_command_reads_a_lecture(lecture: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--step", STEPS[0], "--step", STEPS[1], "--speed", "3", "--dry-run", "--no-cache", "--encoder", "narrated"]
    assert run(["accelerate", str(lecture), *flags]) == 0
    assert READ in capsys.readouterr().out
