"""Renders: to the file, cancelled, across a restart, and beside many questions."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import av
import pytest

from saffa.web.limits import MEGABYTE, Limits
from saffa.web.process import LostError, Process, memory_of
from tests.media.movies import Movie, make
from tests.web.serving import Server, events, serving


def test_a_render_ends_in_files_to_save(server: Server, project: str) -> None:
    wanted = {"length": 6, "corrections": [{"kind": "cut", "start": 20, "end": 22}]}
    job = server.post(f"/projects/{project}/renders", {"settings": wanted})
    told = list(events(server, f"/jobs/{job['id']}/events", 1))
    assert told[0]["state"] in ("waiting", "running", "done")
    done = server.wait(f"/jobs/{job['id']}", "done")
    assert done["output_seconds"] == pytest.approx(6, abs=0.04)
    assert done["name"] == "pasta-short.mp4"
    kinds = [file["kind"] for file in done["files"]]
    assert kinds == ["video", "timeline", "subtitles", "otio", "fcpxml", "premiere", "edl", "csv", "mpv"]
    for file in done["files"]:
        answer = server.client.get(file["url"].removeprefix("/api/v1"))
        assert answer.status_code == 200, (file, answer.text)
        assert answer.headers["content-disposition"].startswith("attachment")
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert len(answer.content) > 50
    played = server.client.get(f"/jobs/{job['id']}/files/video?play=1", headers={"range": "bytes=0-9"})
    assert (played.status_code, played.headers["content-type"]) == (206, "video/mp4")
    assert any(one["id"] == job["id"] for one in server.get(f"/projects/{project}")["jobs"])
    movie = server.state / "jobs" / job["id"] / "short.mp4"
    with av.open(str(movie)) as container:
        assert sum(1 for _ in container.decode(video=0)) == 150
    assert server.client.delete(f"/jobs/{job['id']}").status_code == 204
    assert not movie.exists()


def test_what_is_seen_is_what_is_rendered(server: Server, project: str) -> None:
    wanted = {"speed": 3, "ramp": "soft", "corrections": [{"kind": "here", "sentence": 1, "start": 3, "end": 5}]}
    planned = server.post(f"/projects/{project}/plan", wanted, 200)
    job = server.post(f"/projects/{project}/renders", {"settings": wanted, "audio": "drop"})
    server.wait(f"/jobs/{job['id']}", "done")
    timeline = server.get(f"/jobs/{job['id']}/files/timeline")
    assert len(timeline["frames"]) == planned["frames"]
    starts = [round(segment[0] * planned["rate"]) for segment in planned["segments"]]
    assert set(starts) <= set(timeline["frames"])
    server.client.delete(f"/jobs/{job['id']}")


def test_a_render_that_cannot_be_had_fails_in_one_line(server: Server, project: str) -> None:
    wanted = {"length": 2, "corrections": [{"kind": "keep", "start": 0, "end": 20}]}
    job = server.post(f"/projects/{project}/renders", {"settings": wanted})
    assert "allow an output of" in server.wait(f"/jobs/{job['id']}", "failed")["error"]
    assert server.client.get(f"/jobs/{job['id']}/files/video").status_code == 404
    server.client.delete(f"/jobs/{job['id']}")


@pytest.fixture
def slow(videos: Path) -> Path:
    """A folder with a video whose render takes a while."""
    make(videos / "long.mp4", Movie(frames=2000, size=(320, 240)))
    return videos


def test_jobs_wait_are_cancelled_and_survive_a_restart(slow: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with serving(slow, state, "--max-jobs", "3") as server:
        project = server.project("long.mp4")["id"]
        first, second, third = (
            server.post(f"/projects/{project}/renders", {"settings": {"speed": 1.2}})["id"] for _ in range(3)
        )
        assert server.client.post(f"/projects/{project}/renders", json={}).status_code == 429
        server.wait(f"/jobs/{first}", "running")
        assert server.get(f"/jobs/{second}")["state"] == "waiting"
        while (job := server.get(f"/jobs/{first}"))["stage"] != "Writing the video" and job["state"] == "running":
            time.sleep(0.02)
        assert server.post(f"/jobs/{first}/cancel", status=200)["state"] == "cancelled"
        assert server.post(f"/jobs/{third}/cancel", status=200)["state"] == "cancelled"
        assert [path.name for path in (state / "jobs" / first).iterdir() if "short" in path.name] == []
        server.wait(f"/jobs/{second}", "running")
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
    with serving(slow, state) as again:
        assert again.token == server.token
        states = {job["id"]: job["state"] for job in again.get("/jobs")["jobs"]}
        assert (states[first], states[third]) == ("cancelled", "cancelled")
        assert states[second] in ("waiting", "running")
        assert again.wait(f"/jobs/{second}", "done")["output_seconds"] == pytest.approx(2000 / 25 / 1.2, abs=0.1)
        assert again.get(f"/projects/{project}")["state"] == "ready"


def test_questions_are_answered_while_a_render_runs(server: Server, project: str) -> None:
    job = server.post(f"/projects/{project}/renders", {"settings": {"speed": 1.5}})
    with ThreadPoolExecutor(40) as threads:
        answers = list(threads.map(lambda _: server.client.get("/status").status_code, range(200)))
    assert answers == [200] * 200
    server.wait(f"/jobs/{job['id']}", "done")


def test_work_that_needs_too_much_is_ended(videos: Path, tmp_path: Path) -> None:
    with serving(videos, tmp_path / "state", "--max-memory", "200", "--max-hours", "0.005") as server:
        body = {"video": server.video("pasta.mp4"), "text": "Chop.", "listen": "off"}
        first = server.post("/projects", body)
        assert "longer than" in server.wait(f"/projects/{first['id']}", "failed")["error"]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        pytest.param(Limits(cpu_seconds=1), "may have used too much memory or time", id="processor time"),
        pytest.param(Limits(memory_bytes=40 * MEGABYTE), "more than the 40 MB .* --max-memory", id="memory"),
    ],
)
def test_work_that_takes_too_much_is_ended_with_a_reason(slow: Path, tmp_path: Path, limits: Limits, told: str) -> None:
    """A second is not enough to look at 2,000 frames, nor are 40 MB, where a decoder would call the video damaged."""

    async def work() -> None:
        process = await Process.start(limits)
        try:
            await process.tell(look_at(slow / "long.mp4", tmp_path))
            async for message in process.answers():
                assert message["kind"] in ("progress", "facts")
        finally:
            await process.stop()

    with pytest.raises(LostError, match=told):
        asyncio.run(work())


def look_at(video: Path, folder: Path) -> dict[str, Any]:
    """What a process is told so that it looks at a video."""
    arguments = {
        "video": str(video),
        "name": video.name,
        "folder": str(folder),
        "text": "Chop.",
        "text_name": None,
        "listen": "off",
        "max_seconds": 1000,
        "max_pixels": 10**6,
        "max_sentences": 10,
    }
    return {"work": "analyse", "arguments": arguments}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_work_of_a_server_in_the_background_of_a_script_ends_when_asked(slow: Path, tmp_path: Path) -> None:
    """Such a server ignores interrupts, which must not hold for what it starts: killed, that could clean up nothing."""

    async def work() -> int | None:
        process = await Process.start(Limits())
        await process.tell(look_at(slow / "long.mp4", tmp_path))
        await process.answer()  # it is at work
        await process.stop()
        return process._process.returncode

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert asyncio.run(work()) == 0
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_memory_counts_what_a_process_has_started() -> None:
    holds = f"{sys.executable} -c 'held = bytearray(10**8 * b\"x\"); print(flush=True); input()'; true"
    with subprocess.Popen(["sh", "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert memory_of(process.pid) > 10**8
    assert memory_of(process.pid) == 0


@pytest.mark.slow
def test_a_render_that_takes_too_much_memory_is_ended_in_one_line(videos: Path, tmp_path: Path) -> None:
    """The job fails, its file vanishes, and the server answers on."""
    make(videos / "large.mp4", Movie(frames=48, size=(4096, 2304)))
    state = tmp_path / "state"
    with serving(videos, state) as server:
        project = server.project("large.mp4")["id"]
    with serving(videos, state, "--max-memory", "200") as server:
        wanted = {"settings": {"speed": 1}, "container": "webm"}  # takes the most of either
        job = server.post(f"/projects/{project}/renders", wanted)
        error = server.wait(f"/jobs/{job['id']}", "failed")["error"]
        assert error.endswith("the server can start it with a higher --max-memory.")
        assert "\n" not in error
        assert str(tmp_path) not in error
        assert server.get("/status")["version"]
        assert server.get(f"/projects/{project}")["state"] == "ready"
        assert [path for path in (state / "jobs" / job["id"]).iterdir() if "short" in path.name] == []
