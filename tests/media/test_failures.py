"""Whatever goes wrong: one plain line, nothing left behind, nothing of the user's touched."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from saffa.core.errors import InputError, SaffaError
from saffa.core.result import Rendered
from saffa.core.timeline import TimeMap
from saffa.core.video import Video
from saffa.core.whole_file import file_sha256
from saffa.media.frame_stream import read_frames
from saffa.media.probe import probe
from saffa.media.render import render
from saffa.media.sound.track import read_sound
from saffa.media.writer import RenderOptions, check_output
from tests.media.movies import Movie, Sound, make


def run(video: Video, output: Path, options: RenderOptions | None = None, **more: Callable[[float], None]) -> Rendered:
    selected = list(range(0, video.frames, 2))
    timemap = TimeMap.from_frames([video.frame_time(i) for i in selected], video.duration, video.rate)
    return render(video, selected, timemap, output, options, **more)  # type: ignore[arg-type]


def test_output_is_checked_before_any_work(tmp_path: Path) -> None:
    source = make(tmp_path / "a.mp4", Movie(frames=3))
    (tmp_path / "there.mp4").write_bytes(b"precious")
    (tmp_path / "soft.mp4").symlink_to(source)
    os.link(source, tmp_path / "hard.mp4")
    cases = {
        "a.mp4": "input itself",
        "./x/../a.mp4": "does not exist",
        "soft.mp4": "input itself",
        "hard.mp4": "input itself",
        "there.mp4": "--overwrite",
        "nowhere/o.mp4": "does not exist",
        "o.gif": "must end in",
        "o": "must end in",
    }
    for name, says in cases.items():
        with pytest.raises(InputError, match=says) as caught:
            check_output(tmp_path / name, (source,), RenderOptions(overwrite=says == "input itself"))
        assert "\n" not in str(caught.value)
    (tmp_path / "folder.mp4").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        check_output(tmp_path / "folder.mp4", (source,), RenderOptions())
    check_output(tmp_path / "there.mp4", (source,), RenderOptions(overwrite=True))
    assert (tmp_path / "there.mp4").read_bytes() == b"precious"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    with pytest.raises(InputError, match="not writable"):
        check_output(locked / "o.mp4", (tmp_path / "a.mp4",), RenderOptions())


def test_unwritable_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="not writable"):
        check_output(tmp_path / "o.mp4", (tmp_path / "a.mp4",), RenderOptions())


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("o.webm", RenderOptions(codec="h264"), "cannot hold h264"),
        ("o.mov", RenderOptions(codec="vp9"), "cannot hold vp9"),
        ("o.mp4", RenderOptions(codec="divx"), "not known"),
        ("o.mp4", RenderOptions(crf=52), "between 0 .best. and 51"),
        ("o.mp4", RenderOptions(crf=-1), "between"),
        ("o.webm", RenderOptions(crf=64), "and 63"),
        ("o.mp4", RenderOptions(preset="warp"), "Preset"),
        ("o.mp4", RenderOptions(audio="loud"), "stretch, mute or drop"),  # type: ignore[arg-type]
    ],
)
def test_choices_that_do_not_go_together(tmp_path: Path, name: str, options: RenderOptions, says: str) -> None:
    with pytest.raises(InputError, match=says):
        check_output(tmp_path / name, (tmp_path / "a.mp4",), options)


def test_nothing_selected(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(frames=3)))
    with pytest.raises(InputError, match="nothing to write"):
        render(video, [], TimeMap.from_frames([Fraction(0)], video.duration, video.rate), tmp_path / "o.mp4")


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("lane", ["picture", "sound", "progress"])
def test_failure_in_any_lane_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, lane: str
) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(frames=120, sounds=[Sound()])))
    before = threading.active_count()

    def failing(items: Callable[..., Iterator[object]]) -> Callable[..., Iterator[object]]:
        def wrapped(*args: object, **more: object) -> Iterator[object]:
            for i, item in enumerate(items(*args, **more)):
                if i == 3:
                    raise error
                yield item

        return wrapped

    def tell(share: float) -> None:
        if lane == "progress" and share > 0.3:
            raise error

    if lane == "picture":
        monkeypatch.setattr("saffa.media.render.read_frames", failing(read_frames))
    if lane == "sound":
        monkeypatch.setattr("saffa.media.render.read_sound", failing(read_sound))
    (tmp_path / "o.mp4").write_bytes(b"precious")
    with pytest.raises(type(error)):
        run(video, tmp_path / "o.mp4", RenderOptions(overwrite=True), progress=tell)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mp4", "o.mp4"]
    assert (tmp_path / "o.mp4").read_bytes() == b"precious"
    assert threading.active_count() == before


def test_source_that_vanishes(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4"))
    (tmp_path / "a.mp4").unlink()
    with pytest.raises(InputError, match="does not exist"):
        run(video, tmp_path / "o.mp4")
    assert list(tmp_path.iterdir()) == []


ALLOWED = RenderOptions(allow_damage=True)


def test_source_that_is_cut_while_it_is_read(tmp_path: Path) -> None:
    """A row of stills is written only on demand."""
    video = probe(make(tmp_path / "a.mkv", Movie(frames=100, size=(320, 240), options={"g": "5", "bf": "0"})))
    os.truncate(video.path, int(0.9 * video.path.stat().st_size))
    with pytest.raises(SaffaError, match=r"a\.mkv: more than 5% of the 50 frames wanted are missing"):
        run(video, tmp_path / "o.mp4")
    assert [p.name for p in tmp_path.iterdir()] == ["a.mkv"]
    assert "could not be decoded; the nearest picture stands in" in run(video, tmp_path / "o.mp4", ALLOWED).warnings[-1]


def test_source_that_loses_a_frame(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mkv", Movie(frames=100, size=(320, 240), options={"g": "5", "bf": "0"})))
    video = replace(video, stamp=None)
    size = video.path.stat().st_size
    os.truncate(video.path, size - size // 30)
    assert run(video, tmp_path / "o.mp4").warnings == (
        "a.mkv: 1 frames could not be decoded; the nearest picture stands in.",
    )


@pytest.mark.parametrize("change", ["replaced", "rewritten", "gone", "touched", "grown"])
def test_source_that_changes_while_it_is_read(tmp_path: Path, change: str) -> None:
    """Even if all frames were there: what was planned on one video is not written with the pictures of another."""
    source, other = make(tmp_path / "a.mkv"), make(tmp_path / "b.mkv", Movie(options={"g": "7"}))
    video = replace(probe(source), sha256=file_sha256(source))

    def meanwhile(share: float) -> None:
        if share < 1:
            return
        if change == "replaced":
            Path(shutil.copy(other, tmp_path / "c.mkv")).replace(source)
        elif change == "rewritten":
            source.write_bytes(source.read_bytes()[:-20] + bytes(20))
        elif change == "gone":
            source.unlink(missing_ok=True)
        elif change == "touched":
            os.utime(source, (1, 1))
        else:
            source.write_bytes(source.read_bytes() + bytes(20))

    other.write_bytes(other.read_bytes() + bytes(20))
    if change in ("touched", "grown"):
        run(video, tmp_path / "o.mp4", progress=meanwhile)
        return
    with pytest.raises(SaffaError, match=r"a\.mkv changed while it was read; run again, or add --allow-damage"):
        run(video, tmp_path / "o.mp4", progress=meanwhile)
    assert not (tmp_path / "o.mp4").exists()


SCRIPT = """
import resource, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from saffa.core.errors import SaffaError
from tests.media.test_failures import run
from saffa.media.probe import probe
from saffa.media.writer import RenderOptions
video = probe(Path(sys.argv[1]))
{limit}
print("ready", flush=True)
try:
    run(video, Path(sys.argv[2]), RenderOptions(crf=1), progress=lambda share: print(share, flush=True))
except SaffaError as error:
    print(error, file=sys.stderr)
    sys.exit(error.exit_code)
except KeyboardInterrupt:
    sys.exit(130)
"""


def start(tmp_path: Path, movie: Movie, output: str, limit: str = "") -> subprocess.Popen[str]:
    source = make(tmp_path / "a.mkv", movie)
    script = SCRIPT.format(root=str(Path(__file__).resolve().parents[2]), limit=limit)
    command = [sys.executable, "-c", script, str(source), str(tmp_path / output)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
@pytest.mark.parametrize("room", [0, 1000, 30_000])
@pytest.mark.parametrize("name", ["o.mp4", "o.mkv", "o.webm"])
def test_full_disk(tmp_path: Path, name: str, room: int) -> None:
    """A limit on the size of files stops the writing the way a full disk does."""
    limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))"
    process = start(tmp_path, Movie(frames=100, size=(320, 240), sounds=[Sound()]), name, limit)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1, said
    assert "disk is full" in said
    assert len(said.strip().splitlines()) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a.mkv"]


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_interrupt_half_way(tmp_path: Path) -> None:
    process = start(tmp_path, Movie(frames=600, size=(320, 240), sounds=[Sound()]), "o.mp4")
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() != "ready" and float(line) > 0.1:
            break
    assert any(p.name.startswith(".o.") for p in tmp_path.iterdir())  # it was at work
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert said == ""
    assert [p.name for p in tmp_path.iterdir()] == ["a.mkv"]


def test_errors_are_saffas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoder that cannot be opened is told in our words."""
    video = probe(make(tmp_path / "a.mp4", Movie(frames=5)))
    monkeypatch.setattr("saffa.media.writer.encoder_options", lambda *_, **__: {"preset": "nonsense"})
    with pytest.raises(SaffaError, match="could not be written") as caught:
        run(video, tmp_path / "o.mp4")
    assert "\n" not in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["a.mp4"]
