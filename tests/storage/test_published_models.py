"""Downloads against a server on this machine: whole, broken, resumed, wrong, offline."""

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from saffa.core.errors import InputError, SaffaError
from saffa.storage import published_models as model_store
from saffa.storage.published_models import PUBLISHED, Published, download, fetch, models_folder, published, verify

CONTENT = bytes(range(256)) * 512
HASH = hashlib.sha256(CONTENT).hexdigest()


@dataclass
class Server:
    """What the server will do, and what it was asked."""

    url: str = ""
    breaks: list[int] = field(default_factory=list)  # bytes after which each answer breaks off
    ranges: bool = True
    tag: str | None = '"v1"'
    content: bytes = CONTENT
    asked: list[str | None] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    plan = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            plan.asked.append(wanted)
            if self.path != "/model.pth":
                self.send_error(404)
                return
            same = self.headers.get("If-Range") == plan.tag
            start = int(wanted[6:-1]) if wanted and plan.ranges and same else 0
            if start >= len(plan.content):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(plan.content)}")
                self.end_headers()
                return
            body = plan.content[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(body)))
            if plan.tag:
                self.send_header("ETag", plan.tag)
            self.end_headers()
            self.wfile.write(body[: plan.breaks.pop(0)] if plan.breaks else body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        plan.url = f"http://127.0.0.1:{http.server_port}/model.pth"
        thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield plan
        http.shutdown()
        thread.join(10)


def files(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()}


def test_whole(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    done = download(server.url, tmp_path / "m.pth", sha256=HASH[:8], progress=lambda *now: seen.append(now))
    assert done.read_bytes() == CONTENT and files(tmp_path) == {"m.pth"}
    assert seen[-1] == (len(CONTENT), len(CONTENT))


def test_goes_on_where_it_broke(server: Server, tmp_path: Path) -> None:
    server.breaks = [1000, 2000]
    assert download(server.url, tmp_path / "m.pth", sha256=HASH).read_bytes() == CONTENT
    assert server.asked == [None, "bytes=1000-", "bytes=3000-"]


def test_goes_on_in_a_later_call(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_store, "ATTEMPTS", 1)
    server.breaks = [5000]
    with pytest.raises(SaffaError, match="save it yourself"):
        download(server.url, tmp_path / "m.pth")
    assert files(tmp_path) == {"m.pth.part", "m.pth.part.tag"}
    assert download(server.url, tmp_path / "m.pth", sha256=HASH).read_bytes() == CONTENT
    assert server.asked[-1] == "bytes=5000-" and files(tmp_path) == {"m.pth"}


def test_finishes_a_part_that_is_complete(server: Server, tmp_path: Path) -> None:
    (tmp_path / "m.pth.part").write_bytes(CONTENT)
    (tmp_path / "m.pth.part.tag").write_text('"v1"')
    assert download(server.url, tmp_path / "m.pth", sha256=HASH).read_bytes() == CONTENT


@pytest.mark.parametrize("change", ["other tag", "no ranges", "no tag"])
def test_starts_anew_when_the_rest_would_not_fit(server: Server, tmp_path: Path, change: str) -> None:
    (tmp_path / "m.pth.part").write_bytes(b"old" * 100)
    if change != "no tag":
        (tmp_path / "m.pth.part.tag").write_text('"v0"' if change == "other tag" else '"v1"')
    server.ranges = change != "no ranges"
    assert download(server.url, tmp_path / "m.pth", sha256=HASH).read_bytes() == CONTENT


def test_a_wrong_file_is_not_kept(server: Server, tmp_path: Path) -> None:
    with pytest.raises(SaffaError, match="SHA-256"):
        download(server.url, tmp_path / "m.pth", sha256="00" * 32)
    with pytest.raises(SaffaError, match="bytes instead of"):
        download(server.url, tmp_path / "m.pth", size=5)
    assert files(tmp_path) == set()


def test_not_there_is_not_tried_again(server: Server, tmp_path: Path) -> None:
    with pytest.raises(SaffaError, match="Not Found"):
        download(server.url + "x", tmp_path / "m.pth")
    assert len(server.asked) == 1
    with pytest.raises(InputError, match="web address"):
        download("file:///etc/passwd", tmp_path / "m.pth")


def test_fetch_offline_and_cached(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_MODELS", str(tmp_path / "models"))
    entry = Published("test", server.url, "encoder", "", "", sha256=HASH)
    with pytest.raises(InputError, match="--offline"):
        fetch(entry, offline=True)
    assert server.asked == []
    path = fetch(entry)
    assert path == models_folder() / "model.pth" and verify(path, HASH) == HASH
    assert fetch(entry, offline=True) == path
    assert len(server.asked) == 1


def test_the_published_list() -> None:
    assert len({e.name for e in PUBLISHED}) == len({e.file for e in PUBLISHED}) == len(PUBLISHED)
    assert all(e.url.startswith("https://") for e in PUBLISHED)
    assert published("ig65m").sha256 == "449a7af9"
    with pytest.raises(InputError, match="vdan"):
        published("nothing")
