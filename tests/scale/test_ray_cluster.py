"""The same work on a Ray cluster, also when a machine of it is lost half-way."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from saffa.cli.main import run
from tests.media.movies import Movie, make, numbers
from tests.scale.ray_nodes import Cluster

pytest.importorskip("ray")


def command(folder: Path, out: Path, address: str, *more: str) -> list[str]:
    asked = [sys.executable, "-m", "saffa", "batch", str(folder), "--text", str(folder.parent / "text.txt"), "-o"]
    return [*asked, str(out), "--speed", "4", "--method", "uniform", "--encoder", "none", "--ray", address, *more]


def videos_in(tmp_path: Path, count: int, frames: int, size: tuple[int, int] = (128, 96)) -> Path:
    folder = tmp_path / "videos"
    folder.mkdir()
    (tmp_path / "text.txt").write_text("Boil water.\n", "utf-8")
    for number in range(count):
        make(folder / f"{number}.mp4", Movie(frames=frames, size=size))
    return folder


def lines(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]


def test_a_cluster_that_is_not_there_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = videos_in(tmp_path, 1, 8)
    assert run(command(folder, tmp_path / "out", "nowhere")[3:]) == 2
    assert "saffa: The Ray cluster at nowhere cannot be joined" in capsys.readouterr().err
    for address in ("127.0.0.1:1", "[::1]:1", "a..b:1", "127.0.0.1:99999"):  # at once: Ray itself asks for minutes
        assert run(command(folder, tmp_path / "out", address)[3:]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"saffa: The Ray cluster at {address} cannot be joined" in line


@pytest.mark.slow
def test_a_local_cluster_does_the_same_as_processes(tmp_path: Path) -> None:
    folder = videos_in(tmp_path, 2, 40)
    (folder / "bad.mp4").write_bytes(b"\x00poison" * 400)
    done = subprocess.run(
        command(folder, tmp_path / "ray", "local", "--json"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert run([*command(folder, tmp_path / "pool", "")[3:-2], "--json"]) == 1
    for name in ("0-short.mp4", "1-short.mp4"):
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "pool" / name).read_bytes()
    facts = json.loads(done.stdout)
    assert (facts["done"], facts["failed"]) == (2, 1)
    assert "cannot be read as a video" in facts["results"][-1]["reason"]


@pytest.mark.slow
def test_a_lost_machine_loses_nothing_and_nothing_is_done_twice(tmp_path: Path) -> None:
    count = 12
    folder, out = videos_in(tmp_path, count, 400, (320, 240)), tmp_path / "out"
    with Cluster() as cluster:
        cluster.add_node()
        asked = command(folder, out, cluster.address)
        with subprocess.Popen(asked, env=cluster.environment, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and (not (out / "results.jsonl").exists() or len(lines(out)) < count // 3):
                time.sleep(0.05)
            cluster.lose(1)
            before = {path: path.stat().st_mtime_ns for path in out.glob("*.mp4")}
            errors = process.communicate()[1]
        assert process.returncode == 0, errors
        assert 0 < len(before) < count
        assert {path: path.stat().st_mtime_ns for path in before} == before  # finished before, never made again
        assert sorted(str(line["output"]) for line in lines(out)) == sorted(str(path) for path in out.glob("*.mp4"))
        assert [line["status"] for line in lines(out)] == ["done"] * count
        assert all(len(numbers(path)) == 100 for path in out.glob("*.mp4"))
        assert sorted(path.name for path in out.iterdir() if path.suffix != ".mp4") == ["results.jsonl"]
        again = subprocess.run([*asked, "--json"], env=cluster.environment, capture_output=True, text=True, check=True)
        facts = json.loads(again.stdout)
        assert (facts["done"], facts["skipped"], facts["failed"]) == (0, count, 0)
