import json
import re
from pathlib import Path
from typing import Any

import pytest

from saffa.cli.main import run
from saffa.core.errors import InputError
from saffa.research.datasets.narrated import load

ENTRY: dict[str, Any] = {
    "subset": "validation",
    "frames": 900,
    "fps": 29.97002997002997,
    "document": ["boil water", "add salt"],
    "segments": [[1, 10], [12, 40]],
    "cues": [[0.1, 1.5, "hi there"], [1.5, 4.0, "we boil the water"]],
}


def write(folder: Path, **changes: Any) -> Path:
    entry = {k: v for k, v in (ENTRY | changes).items() if v is not None}
    (folder / "youcook2_narrated").mkdir()
    (folder / "youcook2_narrated" / "youcook2_narrated.json").write_text(json.dumps({"videos": {"abc": entry}}))
    return folder


def test_reads_an_entry(tmp_path: Path) -> None:
    (video,) = load(write(tmp_path), "validation")
    assert str(video.rate) == "30000/1001"
    assert video.steps == ((29, 299), (359, 900))  # a step cannot go on after the video
    assert video.narration is not None
    assert video.narration.cues[1].text == "we boil the water"
    assert load(tmp_path, "train") == []


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("subset", None, "subset"),
        ("subset", "testing", "subset"),
        ("frames", None, "frames"),
        ("frames", 0, "frames"),
        ("frames", -3, "frames"),
        ("frames", 9.5, "frames"),
        ("fps", "fast", "fps"),
        ("fps", 0, "fps"),
        ("segments", [], "segments"),
        ("segments", [[1]], "segments[0]"),
        ("segments", [[1, 2], [5, 1]], "segments[1]"),
        ("segments", [[1e9, 2e9]], "segments[0]"),
        ("segments", [[1e307, 1e308]], "segments[0]"),
        ("cues", None, "cues"),
        ("cues", [[0, 1]], "cues[0]"),
        ("cues", [[3, 1, "backwards"]], "cues[0]"),
        ("cues", [[0, 1, 7]], "cues[0]"),
        ("document", None, "document"),
        ("document", [], "document"),
        ("document", "abc", "document"),
        ("document", ["boil", ""], "document[1]"),
        ("document", [None], "document[0]"),
    ],
)
def test_names_what_is_wrong(tmp_path: Path, field: str, value: object, named: str) -> None:
    with pytest.raises(InputError, match=rf"youcook2_narrated.json: video abc: field '{re.escape(named)}' is "):
        load(write(tmp_path, **{field: value}), "val")


@pytest.mark.parametrize("content", [{"videos": {"abc": [1]}}, {"videos": [ENTRY]}, {"videos": None}, [], 3])
def test_other_forms(tmp_path: Path, content: object) -> None:
    write(tmp_path)
    (tmp_path / "youcook2_narrated" / "youcook2_narrated.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"youcook2_narrated\.json"):
        load(tmp_path, "validation")


@pytest.mark.parametrize("changes", [{"segments": [[5, 1]]}, {"fps": 0}, {"frames": 0}, {"document": "abc"}])
def test_the_command_says_it_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: dict[str, Any]
) -> None:
    write(tmp_path, **changes)
    arguments = ["evaluate", "youcook2-narrated", "--data", str(tmp_path), "--split", "validation"]
    assert run([*arguments, "--methods", "uniform", "--encoder", "narrated"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "video abc: field" in line


def test_missing_and_unreadable(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--data must name"):
        load(tmp_path, "validation")
    with pytest.raises(InputError, match="splits training and validation"):
        load(tmp_path, "test")
    write(tmp_path)
    (tmp_path / "youcook2_narrated" / "youcook2_narrated.json").write_text("[")
    with pytest.raises(InputError, match="Cannot read"):
        load(tmp_path, "validation")


def test_real_file(shared_data: Path) -> None:
    assert len(load(shared_data, "training")) == 217
    videos = load(shared_data, "validation")
    assert len(videos) == 40
    assert all(0 <= start < end <= v.frames for v in videos for start, end in v.steps)


def write_other(folder: Path, other: dict[str, list[str]] | None = None) -> Path:
    (folder / "narrated_other").mkdir()
    videos = {"abc": ENTRY, "def": ENTRY | {"document": ["fold the map", "park the car"]}}
    (folder / "narrated_other" / "howto_chapters.json").write_text(json.dumps({"videos": videos}))
    if other is not None:
        (folder / "narrated_other" / "howto_chapters_other_half.json").write_text(json.dumps(other))
    return folder


def test_other_domains_are_read_by_their_names(tmp_path: Path) -> None:
    first, second = load(write_other(tmp_path), "val", "howto-chapters")
    assert (first.id, second.document.sentences) == ("abc", ("fold the map", "park the car"))
    with pytest.raises(InputError, match="the split validation, not 'training'"):
        load(tmp_path, "training", "howto-chapters")


def test_the_other_half_is_another_text_with_the_same_truth(tmp_path: Path) -> None:
    (video,) = load(write_other(tmp_path, {"def": ["open the door"]}), "validation", "howto-chapters", other_half=True)
    assert (video.id, video.document.sentences) == ("def", ("open the door",))
    assert video.steps == load(tmp_path, "validation", "howto-chapters")[1].steps


def test_a_set_without_the_other_half_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="without the other half"):
        load(write_other(tmp_path), "validation", "howto-chapters", other_half=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["msvd-long", "--other-half"], "--other-half is for"),
        (["howto-chapters", "--other-half", "--wrong-texts"], "Choose one of"),
        (["howto-chapters", "--texts", "third"], "whole, half, one"),
    ],
)
def test_texts_that_a_benchmark_does_not_have_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(["evaluate", *arguments, "--data", str(write_other(tmp_path))]) == 2
    assert said in capsys.readouterr().err
