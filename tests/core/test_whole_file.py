"""Files that are written: whole or not at all, never over what another program made, never into a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from saffa.core.errors import InputError, SaffaError
from saffa.core.whole_file import check_output_file, put_in_place, whole_file


def no_links(*_: object) -> None:
    raise OSError("this file system has no hard links")


@pytest.fixture(params=["with hard links", "without hard links"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on either kind of file system."""
    if request.param == "without hard links":
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    return tmp_path


def test_a_new_file(folder: Path) -> None:
    with whole_file(folder / "a.txt", overwrite=False) as part:
        part.write_text("mine", encoding="utf-8")
    assert [p.name for p in folder.iterdir()] == ["a.txt"]
    assert (folder / "a.txt").read_text("utf-8") == "mine"


def test_a_file_made_by_another_meanwhile_stays(folder: Path) -> None:
    with pytest.raises(InputError, match=r"a\.txt was made by another program"):  # noqa: SIM117
        with whole_file(folder / "a.txt", overwrite=False) as part:
            part.write_text("mine", encoding="utf-8")
            (folder / "a.txt").write_text("theirs", encoding="utf-8")
    assert [p.name for p in folder.iterdir()] == ["a.txt"]
    assert (folder / "a.txt").read_text("utf-8") == "theirs"


def test_overwriting_was_asked_for(folder: Path) -> None:
    (folder / "a.txt").write_text("theirs", encoding="utf-8")
    with whole_file(folder / "a.txt") as part:
        part.write_text("mine", encoding="utf-8")
    assert (folder / "a.txt").read_text("utf-8") == "mine"


def test_of_many_at_once_one_wins(folder: Path) -> None:
    wins: list[int] = []
    ready = threading.Barrier(8)

    def run(k: int) -> None:
        part = folder / f"part{k}"
        part.write_text(str(k), encoding="utf-8")
        ready.wait()
        try:
            put_in_place(part, folder / "a.txt", overwrite=False)
            wins.append(k)
        except InputError:
            part.unlink()

    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wins) == 1
    assert [p.name for p in folder.iterdir()] == ["a.txt"]
    assert (folder / "a.txt").read_text("utf-8") == str(wins[0])


def link(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere")


@pytest.mark.skipif(os.name == "nt", reason="named pipes and links of POSIX")
@pytest.mark.parametrize(
    ("make", "overwrite", "says"), [(os.mkfifo, True, "pipe or a device"), (link, False, "exists; use --overwrite")]
)
def test_no_file_but_something_else(tmp_path: Path, make: Callable[[Path], None], overwrite: bool, says: str) -> None:
    make(tmp_path / "a.mp4")
    with pytest.raises(InputError, match=says):
        check_output_file(tmp_path / "a.mp4", (), overwrite)


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on the size of files")
@pytest.mark.parametrize(
    "work",
    [
        "Timeline(Source('a', '', 9, Fraction(1), Fraction(9)), ('x' * 9000,), '', '', 1, 1, (1,), ()).save(path)",
        "Alignment(z[:, 0], z, z, z[:, 0], z, ('x',) * 9, 9, Fraction(1), 'a').save(path)",
    ],
)
def test_a_full_disk_is_told(tmp_path: Path, work: str) -> None:
    """A limit on the size of files stops the writing the way a full disk does."""
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)); import numpy as np\n"
        "from fractions import Fraction; from pathlib import Path; from saffa.core.errors import SaffaError\n"
        "from saffa.core.timeline import Source, Timeline; from saffa.core.alignment import Alignment\n"
        "z = np.random.default_rng(0).random((9, 9), np.float32).cumsum(0); path = Path(sys.argv[1])\n"
        f"try: {work}\nexcept SaffaError as error: sys.exit(str(error))"
    )
    command = [sys.executable, "-B", "-c", script, str(tmp_path / "a.out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr.startswith("The disk is full: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_other_failures_are_passed_on(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="odd"), whole_file(tmp_path / "a.txt") as part:
        part.write_text("half", encoding="utf-8")
        raise ValueError("odd")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_goes_away_meanwhile_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    with (
        pytest.raises(SaffaError, match=r"a\.txt could not be written \(No such file"),
        whole_file(folder / "a.txt") as part,
    ):
        folder.rmdir()
        part.write_text("half", encoding="utf-8")
