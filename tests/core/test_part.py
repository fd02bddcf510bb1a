"""Names of files in the making, and the removal of those whose process was killed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from saffa.core import whole_file as part_file
from saffa.core.whole_file import part_of, sweep, whole_file

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is swept")

KILLED = """
import os, signal, sys
from pathlib import Path
from saffa.core.whole_file import whole_file
with whole_file(Path(sys.argv[1])) as part:
    part.write_text("half")
    print(part, flush=True)
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


def begun(target: Path, how: str) -> tuple[subprocess.Popen[str], Path]:
    """A process that has begun to write a file, and what it has written."""
    command = [sys.executable, "-c", KILLED, str(target), how]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


@pytest.mark.parametrize("listed", [False, True])
def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path, listed: bool) -> None:
    """Also where the dead process is still `listed`, because nobody has asked how it ended."""
    process, part = begun(tmp_path / "a.txt", "killed")
    with process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | (os.WNOWAIT if listed else 0))
        assert part.read_text() == "half"
        with whole_file(tmp_path / "b.txt") as other:
            other.write_text("whole")
        assert [path.name for path in tmp_path.iterdir()] == ["b.txt"]


def test_a_process_at_work_is_left_alone(tmp_path: Path) -> None:
    process, part = begun(tmp_path / "a.txt", "waits")
    with process:
        sweep(tmp_path)
        assert part.is_file()
        process.communicate("")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_only_names_of_ours_from_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [
        ".a.part",
        ".a.part.mp4",
        "a.part.mp4",
        ".a.0011aabb.part.mp4",
        part_of(tmp_path / "of_this_process.mp4").name,
        part_of(tmp_path / "more.mp4").name + ".copy.mp4",
    ]
    with monkeypatch.context() as other:
        other.setattr(part_file, "_machine", lambda: "0" * 8)
        other.setattr(os, "getpid", lambda: 2**22 + 1)
        kept.append(part_of(tmp_path / "elsewhere.mp4").name)
    for name in kept:
        (tmp_path / name).write_text("x")
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)


def test_before_the_machine_was_started_again_nobody_is_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(part_file, "_boot", lambda: "0" * 8)
        part_of(tmp_path / "a.mp4").write_text("x")
        folder = part_of(tmp_path / "model")
        folder.mkdir()
        (folder / "weights").write_text("x")
    link = tmp_path / folder.name.replace("model", "link")
    link.symlink_to(tmp_path.parent, target_is_directory=True)
    sweep(tmp_path)
    assert not list(tmp_path.iterdir())
    assert tmp_path.parent.is_dir()


def test_names_stay_within_the_limit(tmp_path: Path) -> None:
    for stem in ("ü" * 120, "a\nb", "x" * 250):
        part = part_of(tmp_path / f"{stem}.mp4")
        assert len(part.name.encode()) < 255
        assert part_file._PART.fullmatch(part.name)


def test_without_a_list_of_processes_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process, part = begun(tmp_path / "a.txt", "killed")
    with process:
        process.wait()
    monkeypatch.setattr(part_file, "_PROCESSES", tmp_path / "none")
    sweep(tmp_path)
    assert part.is_file()
