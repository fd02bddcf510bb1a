"""What people call in Python: what it refuses, each in one line, and that a plan is what is selected."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saffa
from saffa import api
from saffa.core.document import Document
from saffa.core.timeline import Segment, Source, Timeline
from saffa.core.whole_file import file_sha256
from saffa.sample import RECIPE, VIDEO
from tests.methods.made import alignment

MADE = alignment(3000)
FRAMES = Source(str(VIDEO), file_sha256(VIDEO), 100, Fraction(25), Fraction(4))


def timeline(**changes: Any) -> Timeline:
    """A timeline of four seconds, one frame in two."""
    segment = Segment(Fraction(0), Fraction(4), Fraction(2), None)
    made = Timeline(FRAMES, ("boil",), "plan", "narrated", 2.0, 2.0, tuple(range(0, 100, 2)), (segment,))
    return replace(made, **changes)


def refused(call: Callable[[], object]) -> str:
    """The one line of an InputError."""
    with pytest.raises(saffa.InputError) as told:
        call()
    assert "\n" not in str(told.value)
    return str(told.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "The text has no name"), ("  ", "The text has no name"), (7, "The text must be a file, a list of sentences")],
)
def test_texts_that_are_none(text: Any, told: str) -> None:
    assert told in refused(lambda: api.read_document(text))
    assert told in refused(lambda: saffa.accelerate(VIDEO, text))


def test_texts_in_every_form(tmp_path: Path) -> None:
    document = Document(("Boil the water.", "Pour it."))
    (tmp_path / "steps.txt").write_text("1. Boil the water.\n2. Pour it.\n", "utf-8")
    assert api.read_document(document) is document
    assert api.read_document(["Boil the water.", "Pour it."]) == document
    assert api.read_document(tmp_path / "steps.txt") == api.read_document(str(tmp_path / "steps.txt")) == document


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"speed": 8, "length": 10}, "Give --speed or --length, not both."),
        ({"speed": 0.5}, "The speed must be a number of 1 or more"),
        ({"speed": float("nan")}, "The speed must be a number of 1 or more"),
        ({"speed": 1e9}, "nothing is left of a video of 1:40.0"),
        ({"length": 101}, "--length 1:41.0 would stretch it"),
        ({"length": 0.01}, "shorter than one frame"),
        ({"corrections": [saffa.Only((1,))]}, "belongs to align or accelerate, not to select or plan"),
        ({"corrections": [saffa.Keep("step:9")]}, "there is no sentence 9; the text has 1 sentence."),
        ({"balance": 2.0}, "--balance must be between 0 and 1"),
    ],
)
def test_select_and_plan_refuse_the_same(wanted: dict[str, Any], told: str) -> None:
    assert told in refused(lambda: saffa.select(MADE, **wanted))
    assert told in refused(lambda: api.plan(MADE, **wanted))


def test_a_plan_is_what_is_selected() -> None:
    chosen = saffa.select(MADE, length=20, balance=0.3)
    shown = api.plan(MADE, length=20, balance=0.3)
    np.testing.assert_array_equal(shown.selection.frames, chosen.frames)
    assert len(chosen.frames) == 600
    assert shown.segments[-1, 3] == pytest.approx(20)
    again = saffa.select(MADE, speed=5, balance=0.3)
    np.testing.assert_array_equal(again.frames, chosen.frames)


def test_what_a_run_needs() -> None:
    assert "Give a video and a text (--text FILE)" in refused(lambda: saffa.accelerate(VIDEO))
    assert "Give a video and a text (--text FILE)" in refused(lambda: saffa.accelerate(None, RECIPE))
    told = refused(lambda: saffa.accelerate("-", "narration"))
    assert told.startswith("The narration of a pipe is not known before it was read")


def test_timelines_of_pipes_and_of_other_files(tmp_path: Path) -> None:
    piped = timeline(source=replace(FRAMES, path="-"))
    assert "put the path of the video into its source.path" in refused(lambda: saffa.render(piped, tmp_path / "a.mp4"))
    assert "--from needs one that was made from a file" in refused(lambda: saffa.accelerate(start_from=piped))
    other = timeline(source=replace(FRAMES, sha256="ab" * 32))
    assert "(its contents differ)" in refused(lambda: saffa.accelerate(start_from=other))
    assert "(its contents differ)" in refused(lambda: saffa.render(other, tmp_path / "a.mp4"))
    gone = timeline(source=replace(FRAMES, path=str(tmp_path / "gone.mp4")))
    assert "gone.mp4" in refused(lambda: saffa.accelerate(start_from=gone))
    assert list(tmp_path.iterdir()) == []


def test_an_export_without_a_name_is_called_after_its_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = api.export(timeline(), "csv", relative=True)
    assert (done.path, done.clips, done.frames) == (Path("timeline.csv"), 1, 50)
    assert "timeline.csv exists; use --overwrite" in refused(lambda: api.export(timeline(), "csv"))
    timeline().save(tmp_path / "cut.json")
    assert api.export(tmp_path / "cut.json", "edl").path == Path("cut.edl")
    missing = api.export(timeline(source=replace(FRAMES, path="gone.mp4")), "edl", "b.edl")
    assert missing.warnings[0].startswith("gone.mp4 is not there or cannot be read")
