"""Corrections from the command line to the file: one command, exact, watched by its frames."""

import json
from pathlib import Path

import av
import pytest

from saffa.cli.main import run
from saffa.core.timeline import Timeline
from saffa.sample import RECIPE, VIDEO

pytestmark = pytest.mark.usefixtures("one_process")

Capture = pytest.CaptureFixture[str]
GIVEN = (str(VIDEO), "--text", str(RECIPE), "--encoder", "narrated")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def accelerated(capsys: Capture, *flags: str) -> dict[str, object]:
    assert run(["accelerate", *flags, "--json"]) == 0
    printed: dict[str, object] = json.loads(capsys.readouterr().out)
    return printed


def test_keep_and_cut_reach_the_file(here: Path, capsys: Capture) -> None:
    flags = (
        "--length",
        "0:20",
        "--cut",
        "0:00-0:20",
        "--cut",
        "1:40-1:45",
        "--keep",
        "1:05-1:10",
        "--chapters",
        "steps",
    )
    told = accelerated(capsys, *GIVEN, *flags, "-o", "short.mp4", "--timeline", "t.json")
    assert told["warnings"] == []
    timeline = Timeline.load(here / "t.json")
    rate = timeline.source.rate
    assert len(timeline.frames) == 20 * rate
    assert timeline.frames[0] == 20 * rate
    assert not any(100 * rate <= frame < 105 * rate for frame in timeline.frames)
    assert set(range(int(65 * rate), int(70 * rate))) <= set(timeline.frames)
    assert [(float(a), float(b)) for a, b in timeline.splice.cuts] == [(0, 20), (100, 105)]
    with av.open(str(here / "short.mp4")) as movie:
        assert movie.streams.video[0].frames == 20 * rate
        titles = [chapter["metadata"]["title"] for chapter in movie.chapters()]
        assert "Wet a paper filter in the cone with hot water, then throw that water out." in titles
        heard = sum(frame.samples / frame.sample_rate for frame in movie.decode(audio=0))
        assert abs(heard - 20) < 0.05


def test_planning_again_from_a_timeline(here: Path, capsys: Capture) -> None:
    accelerated(capsys, *GIVEN, "--speed", "8", "--cut", "0:00-0:20", "--dry-run", "--timeline", "a.json")
    accelerated(capsys, "--from", "a.json", "--keep", "1:05-1:07", "--dry-run", "--timeline", "b.json")
    first, second = Timeline.load(here / "a.json"), Timeline.load(here / "b.json")
    assert len(first.frames) == len(second.frames)
    assert second.corrections[:1] == first.corrections
    assert second.splice == first.splice
    rate = second.source.rate
    assert set(range(int(65 * rate), int(67 * rate))) <= set(second.frames)


def test_only_chooses_the_text(here: Path, capsys: Capture) -> None:
    accelerated(capsys, *GIVEN, "--only", "2,4-5", "--weight", "4=3", "--dry-run", "--timeline", "t.json")
    timeline = Timeline.load(here / "t.json")
    assert len(timeline.document) == 3
    assert timeline.document[1].startswith("Add the grounds")
    assert [c.number for c in timeline.corrections] == [2]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--keep", "5:00-6:00"), "lies outside the video"),
        (("--keep", "1:00-1:30", "--cut", "1:20-1:40"), "contradict each other"),
        (("--keep", "0:10-2:30"), "These corrections allow an output of"),
        (("--keep", "step:12"), "there is no sentence 12"),
        (("--only", "9"), "--only names sentence 9, but the text has 7"),
        (("--only", "6-2"), "runs backwards"),
        (("--weight", "2"), "write it like 3=2"),
        (("--here", "2"), "write it like 3=10:40-11:15"),
        (("--here", "2=step:3"), "write it like 3=10:40-11:15"),
        (("--here", "9=0:10-0:20"), "there is no sentence 9"),
        (("--here", "2=5:00-6:00"), "lies outside the video"),
        (("--weight", "2=heavy"), "is not a number"),
        (("--keep", "1:30-1:00"), "its end must come after its start"),
        (("--keep", "soon"), "Cannot read the range"),
        (("--keep", "0:10-0:20@fast"), "is not a number"),
        (("--cut", "0:10-0:20", "--method", "sas"), "takes no corrections; use plan, saffa or uniform"),
        (("--cut", "0:10-0:20", "--method", "saffa", "--single-pass"), "Corrections need the whole video"),
    ],
)
def test_bad_corrections_get_one_line(flags: tuple[str, ...], words: str, here: Path, capsys: Capture) -> None:
    assert run(["accelerate", *GIVEN, "--length", "0:20", *flags, "-o", "o.mp4"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line
    assert list(here.iterdir()) == []
