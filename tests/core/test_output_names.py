"""Where outputs may go, and what is said of those that were finished before a Ctrl-C."""

import errno
import os
from pathlib import Path

import pytest

from saffa.core.errors import InputError, SaffaError, StoppedError
from saffa.core.whole_file import (
    check_distinct,
    check_output_file,
    put_in_place,
    told_what_is_whole,
    whole_file,
    write_failure,
)


def test_places_that_can_be_written(tmp_path: Path) -> None:
    check_output_file(tmp_path / "new.mp4", (), overwrite=False)
    (tmp_path / "old.mp4").touch()
    check_output_file(tmp_path / "old.mp4", (tmp_path / "gone.mp4",), overwrite=True)


def test_places_that_cannot(tmp_path: Path) -> None:
    taken, link = tmp_path / "a.mp4", tmp_path / "link.mp4"
    taken.touch()
    link.symlink_to(taken)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    for path, words in (
        (tmp_path, "is a folder; give a file name"),
        (tmp_path / "none" / "a.mp4", "does not exist; create it"),
        (taken, "exists; use --overwrite"),
        (tmp_path / "nowhere", "exists; use --overwrite"),
        (tmp_path / "pipe", "is a pipe or a device"),
    ):
        with pytest.raises(InputError, match=words):
            check_output_file(path, (), overwrite=False)
    for name in (taken, link):
        with pytest.raises(InputError, match="is an input itself; saffa never writes over what it reads"):
            check_output_file(name, (taken,), overwrite=True)


@pytest.mark.parametrize(("name", "says"), [("x" * 256, "longer than names of files"), ("a\0.mp4", "not a name")])
def test_names_that_no_file_can_have(tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as told:
        check_output_file(tmp_path / name, (), overwrite=True)
    assert len(str(told.value)) < 150


def test_a_folder_that_is_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="is not writable; choose another place"):
        check_output_file(tmp_path / "a.mp4", (), overwrite=False)


def test_two_outputs_of_one_name(tmp_path: Path) -> None:
    check_distinct([tmp_path / "a", tmp_path / "b"])
    with pytest.raises(InputError, match="is named for two outputs"):
        check_distinct([tmp_path / "a", tmp_path / "b", tmp_path / "b" / ".." / "a"])


def test_a_ctrl_c_tells_what_is_whole(tmp_path: Path) -> None:
    video, timeline, old = tmp_path / "v.mp4", tmp_path / "t.json", tmp_path / "old.srt"
    old.touch()
    with pytest.raises(StoppedError) as told, told_what_is_whole([video, timeline], [old]):
        video.touch()
        raise KeyboardInterrupt
    assert str(told.value) == f"Interrupted. Finished before: {video}; not written: {timeline}."
    with pytest.raises(StoppedError) as told, told_what_is_whole([timeline], [old]):
        timeline.touch()
        raise KeyboardInterrupt
    assert str(told.value) == f"Interrupted. Finished before: {timeline}."


def test_nothing_finished_and_other_errors_are_told_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), told_what_is_whole([tmp_path / "a"]):
        raise KeyboardInterrupt
    with pytest.raises(ValueError, match="other"), told_what_is_whole([tmp_path / "a"]):
        (tmp_path / "a").touch()
        raise ValueError("other")


@pytest.mark.parametrize("links", [True, False])
def test_a_name_that_was_taken_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    """Also on file systems without hard links."""
    if not links:

        def refused(path: Path, other: Path) -> None:
            raise OSError(errno.EPERM, f"{path} cannot be a link to {other}")

        monkeypatch.setattr(Path, "hardlink_to", refused)
    part, path = tmp_path / "part", tmp_path / "a.json"
    part.write_text("mine")
    put_in_place(part, path, overwrite=False)
    assert path.read_text() == "mine"
    assert not part.exists()
    with (
        pytest.raises(InputError, match="was made by another program meanwhile"),
        whole_file(path, overwrite=False) as p,
    ):
        p.write_text("later")
    assert path.read_text() == "mine"
    assert [one.name for one in tmp_path.iterdir()] == ["a.json"]
    with whole_file(path) as new:
        new.write_text("wanted")
    assert path.read_text() == "wanted"


def test_what_stopped_the_writing() -> None:
    path = Path("a.mp4")
    assert str(write_failure(path, OSError(errno.ENOSPC, "x"))).startswith("The disk is full: a.mp4")
    assert str(write_failure(path, OSError(errno.EACCES, "no right"))) == "a.mp4 could not be written (no right)."
    assert str(write_failure(path, ValueError("odd"))) == "a.mp4 could not be written (odd)."


def test_a_full_disk_while_writing_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SaffaError, match="The disk is full"), whole_file(tmp_path / "a") as part:
        part.touch()
        raise OSError(errno.EDQUOT, "quota")
    with pytest.raises(OSError, match="other"), whole_file(tmp_path / "a"):
        raise OSError(errno.EIO, "other")
    assert list(tmp_path.iterdir()) == []
