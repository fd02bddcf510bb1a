"""A text in another language than the narration is told in one line, by every way there is to compare them."""

from fractions import Fraction
from pathlib import Path

import pytest

import saffa
from saffa.core.errors import InputError
from saffa.core.video import Cue, Narration
from saffa.media.probe import probe
from saffa.pipeline.finish import language_warning
from saffa.pipeline.study import study
from tests.screens.slides import film, texture

pytestmark = pytest.mark.usefixtures("one_process")

GERMAN = ["Die Zwiebeln hacken und in etwas Öl anbraten.", "Die Tomaten dazugeben und mit Salz abschmecken."]
ENGLISH = ["Chop the onions and fry them in some oil.", "Add the tomatoes and season with salt."]
SUBTITLES = """1
00:00:01,000 --> 00:00:08,000
First we chop the onions and then we fry them in a little bit of oil until they are soft

2
00:00:10,000 --> 00:00:16,000
Now the tomatoes go into the pan and you season all of it with salt
"""
TOLD = (
    "The text seems to be German, the narration English: their words cannot be compared. Give a text in English, or "
    "--subtitles in German."
)


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """A film with English subtitles."""
    path = film(tmp_path / "film.mp4", [(texture(k), 5) for k in range(4)])
    path.with_suffix(".srt").write_text(SUBTITLES, "utf-8")
    return path


def test_accelerate_warns_once(video: Path) -> None:
    assert saffa.accelerate(video, GERMAN, speed=2, encoder="narrated").warnings == (TOLD,)
    assert TOLD not in saffa.accelerate(video, ENGLISH, speed=2, encoder="narrated").warnings


def test_a_single_pass_warns(video: Path) -> None:
    for steps, told in ((GERMAN, True), (ENGLISH, False)):
        result = saffa.accelerate(video, steps, speed=2, encoder="narrated", method="saffa", single_pass=True)
        assert (TOLD in result.warnings) is told


def test_align_and_the_study_tell(video: Path) -> None:
    notes: list[str] = []
    saffa.align(video, GERMAN, encoder="narrated", cache=False, noted=notes.append)
    assert notes == [TOLD]
    found = study(probe(video), saffa.Document(tuple(GERMAN)), "off", lambda *_: None)
    assert TOLD in found.warnings


def test_who_does_not_compare_words_is_not_warned(video: Path) -> None:
    assert TOLD not in saffa.accelerate(video, GERMAN, speed=2, method="uniform").warnings
    assert TOLD not in saffa.accelerate(video, GERMAN, speed=2, encoder="visual").warnings


def test_strict_refuses_with_the_reason(video: Path) -> None:
    with pytest.raises(InputError, match="seems to be German"):
        saffa.accelerate(video, GERMAN, speed=2, encoder="narrated", strict=True)


def test_without_lines_nothing_is_told() -> None:
    assert language_warning(GERMAN, None) == ()
    shown = Narration((Cue(Fraction(0), Fraction(9), "Chop the onions and fry them in the pan", kind="shown"),))
    assert language_warning(GERMAN, shown) == (TOLD,)
