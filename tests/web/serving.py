"""A real `saffa serve` in a process of its own, and somebody who asks it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.media.movies import Movie, Sound, make

STEPS = "1. Chop the onions.\n2. Fry them in oil.\n3. Add the stock and stir.\n"
LINES = ((2, 6, "first we chop the onions"), (9, 13, "now fry them in hot oil"), (17, 21, "add the stock and stir"))
READY = 60.0


class Server:
    """A running server: `client` carries the token, `plain` does not."""

    def __init__(self, url: str, process: subprocess.Popen[str], folder: Path, state: Path) -> None:
        self.url, _, token = url.strip().partition("/?token=")
        self.token, self.process, self.folder, self.state = token, process, folder, state
        self.client = httpx.Client(
            base_url=f"{self.url}/api/v1", headers={"authorization": f"Bearer {token}"}, timeout=60
        )
        self.plain = httpx.Client(base_url=self.url, timeout=60)

    def get(self, path: str, **more: Any) -> Any:
        answer = self.client.get(path, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any = None, status: int = 201) -> Any:
        answer = self.client.post(path, json={} if body is None else body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def video(self, name: str) -> str:
        return next(str(one["id"]) for one in self.get("/videos")["videos"] if one["name"] == name)

    def project(self, name: str = "pasta.mp4", **more: Any) -> dict[str, Any]:
        """A new project that is ready."""
        body = {"video": self.video(name), "text": STEPS, "listen": "off"} | more
        return self.wait(f"/projects/{self.post('/projects', body)['id']}", "ready")

    def wait(self, path: str, *states: str) -> dict[str, Any]:
        """What is at the path as soon as it is in one of the states."""
        end = time.monotonic() + READY
        found: dict[str, Any] = {}
        while time.monotonic() < end:
            found = self.get(path)
            if found["state"] in states:
                return found
            if found["state"] in ("failed", "done"):
                break
            time.sleep(0.05)
        raise AssertionError(f"{path} is {found.get('state')}: {found.get('error')}")

    def upload(self, name: str, data: bytes) -> str:
        """The id of the video of an upload in one piece."""
        started = self.post("/uploads", {"name": name, "size": len(data)})
        return str(self.client.put(f"/uploads/{started['id']}?offset=0", content=data).json()["video"])


@contextmanager
def serving(folder: Path, state: Path, *arguments: str, **environment: str) -> Iterator[Server]:
    """A server over a folder, until the block ends."""
    command = [sys.executable, "-P", "-m", "saffa", "serve", str(folder), "--port", "0", "--state", str(state)]
    process = subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, text=True, env=os.environ | environment, cwd=state.parent
    )
    assert process.stdout is not None
    server = Server(process.stdout.readline(), process, folder, state)
    try:
        yield server
    finally:
        server.client.close()
        server.plain.close()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()


def kitchen(folder: Path) -> Path:
    """A folder with a narrated video of 24 seconds."""
    folder.mkdir()
    make(folder / "pasta.mp4", Movie(frames=600, size=(64, 48), sounds=[Sound()]))
    clock = "00:00:{:02d},000 --> 00:00:{:02d},000"
    blocks = (f"{i}\n{clock.format(a, b)}\n{text}\n" for i, (a, b, text) in enumerate(LINES, 1))
    (folder / "pasta.srt").write_text("\n".join(blocks), "utf-8")
    return folder


def events(server: Server, path: str, most: int = 200) -> Iterator[dict[str, Any]]:
    """Messages of a stream of events."""
    with server.client.stream("GET", path) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))
                most -= 1
            if most <= 0:
                return
