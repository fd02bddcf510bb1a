"""The lock on the door, tried from outside."""

import asyncio
import json
import socket
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from saffa.web.guard import Door, Guard
from tests.web.serving import Server

PRIVATE = "root:x:0:0"


def refusal(answer: httpx.Response) -> str:
    """The message; there is nothing but one."""
    return str(answer.json()["error"]["message"])


def test_nothing_is_told_without_the_token(server: Server) -> None:
    for path in ("/", "/static/main.js", "/openapi.json", "/api/v1/status", "/api/v1/videos", "/nowhere"):
        answer = server.plain.get(path)
        assert answer.status_code == 401
        assert "token" in refusal(answer)
    wrong = {"authorization": f"Bearer {server.token[:-1]}x"}
    assert server.plain.get("/api/v1/status", headers=wrong).status_code == 401
    assert server.plain.get(f"/api/v1/status?token={server.token}").status_code == 401  # only the page takes it so


def test_the_printed_address_leads_to_a_cookie(server: Server) -> None:
    entered = server.plain.get(f"/?token={server.token}")
    assert (entered.status_code, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    with httpx.Client(base_url=server.url, cookies=entered.cookies) as browser:
        assert browser.get("/api/v1/status").status_code == 200
        assert browser.get("/").status_code == 200
        described = browser.get("/openapi.json").json()
    assert "/api/v1/projects/{project}/plan" in described["paths"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "localhost.", "", "[::2]"]
)
def test_a_foreign_name_is_not_answered(server: Server, host: str) -> None:
    answer = server.client.get("/status", headers={"host": host})
    assert answer.status_code in (400, 403)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
def test_a_foreign_origin_is_not_answered(server: Server, origin: str) -> None:
    assert server.client.get("/status", headers={"origin": origin}).status_code == 403
    assert server.client.post("/uploads", json={}, headers={"origin": origin}).status_code == 403


def test_the_own_origin_is_answered(server: Server) -> None:
    assert server.client.get("/status", headers={"origin": server.url}).status_code == 200


def test_what_another_site_fetches_is_not_answered(server: Server) -> None:
    assert server.client.get("/status", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert server.client.get("/status", headers={"sec-fetch-site": "same-site"}).status_code == 403


def test_no_other_site_is_let_in_by_headers(server: Server) -> None:
    asked = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    for answer in (server.client.get("/status"), server.client.options("/status", headers=asked)):
        assert not any(name.startswith("access-control") for name in answer.headers)
    policy = server.client.get("/status").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe-inline" not in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2fserver.py",
        "/static/%2e%2e/server.py",
        "/static/%2e%2e%2f%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/main.js%00.html",
        "/static/..\\server.py",
        "/api/v1/projects/..%2f..%2f..%2fetc%2fpasswd",
        "/api/v1/projects/%2e%2e",
        "/api/v1/jobs/%00/files/video",
        "/api/v1/jobs/../../../../etc/passwd/files/video",
        "/api/v1/uploads/%2fetc%2fpasswd",
        "/../../../../etc/passwd",
    ],
)
def test_paths_lead_nowhere_else(server: Server, path: str) -> None:
    answer = raw(
        server, f"GET {path} HTTP/1.1\r\nHost: {server.url[7:]}\r\nAuthorization: Bearer {server.token}\r\n\r\n"
    )
    assert answer.split(" ", 2)[1] in ("400", "404", "422")
    assert PRIVATE not in answer
    assert "import" not in answer


@pytest.mark.parametrize("video", ["/etc/passwd", "../pasta.mp4", "..", "0" * 16, "pasta.mp4\0", "C:\\x.mp4", 5, None])
def test_videos_are_known_by_id_alone(server: Server, video: Any) -> None:
    answer = server.client.post("/projects", json={"video": video, "text": "Chop."})
    assert answer.status_code in (404, 422)
    assert str(server.folder) not in answer.text


def test_links_that_lead_out_are_not_followed(server: Server, tmp_path: Path) -> None:
    outside = tmp_path / "secret.mp4"
    outside.write_bytes((server.folder / "pasta.mp4").read_bytes())
    (server.folder / "linked.mp4").symlink_to(outside)
    (server.folder / "folder").symlink_to(tmp_path)
    (server.folder / "told.mp4").write_bytes(outside.read_bytes())
    (server.folder / "told.srt").symlink_to("/etc/passwd")
    try:
        names = [one["name"] for one in server.get("/videos")["videos"]]
        assert "pasta.mp4" in names
        assert not {"linked.mp4", "secret.mp4", "told.mp4"} & set(names)
    finally:
        for name in ("linked.mp4", "folder", "told.mp4", "told.srt"):
            (server.folder / name).unlink()


def test_a_body_of_ten_gigabytes_is_refused_before_it_comes(server: Server) -> None:
    started = server.post("/uploads", {"name": "a.mp4", "size": 100})
    for path in (f"/api/v1/uploads/{started['id']}?offset=0", "/api/v1/projects", "/nowhere"):
        head = f"PUT {path} HTTP/1.1\r\nHost: {server.url[7:]}\r\nAuthorization: Bearer {server.token}\r\n"
        assert raw(server, f"{head}Content-Length: 10000000000\r\n\r\n").split(" ", 2)[1] == "413"
    assert server.client.delete(f"/uploads/{started['id']}").status_code == 204


def test_headers_that_come_twice_do_not_open_the_door(server: Server) -> None:
    head = f"GET /api/v1/status HTTP/1.1\r\nAuthorization: Bearer {server.token}\r\nHost: {server.url[7:]}\r\n"
    assert raw(server, f"{head}Host: evil.example\r\n\r\n").split(" ", 2)[1] in ("400", "403")
    twice = f"{head}Origin: {server.url}\r\nOrigin: http://evil.example\r\n\r\n"
    assert raw(server, twice).split(" ", 2)[1] == "403"


def raw(server: Server, request: str) -> str:
    """The answer to bytes that no proper client would send."""
    host, _, port = server.url[7:].partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1).encode("latin-1"))
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts).decode("latin-1")


DOOR = Door("secret" * 6, frozenset({"127.0.0.1"}), body_bytes=1000, body_seconds=0.05)


async def swallow(_: Any, receive: Any, send: Any) -> None:
    """An application that reads the whole body."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"read"})


def ask(*pieces: bytes | None, door: Door = DOOR) -> tuple[int, bytes]:
    """Status and body for a request whose body comes in pieces; None is a pause without end."""
    waiting = list(pieces)
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> dict[str, Any]:
        piece = waiting.pop(0)
        if piece is None:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": piece or b"", "more_body": bool(waiting)}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {door.token}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/x", "query_string": b"", "headers": headers}
    asyncio.run(Guard(swallow, door)(scope, receive, send))
    return int(sent[0]["status"]), bytes(sent[1]["body"])


def test_a_body_that_comes_too_slowly_is_given_up() -> None:
    assert ask(b"a", b"b") == (200, b"read")
    status, body = ask(b"a", None)
    assert status == 408
    assert "slowly" in json.loads(body)["error"]["message"]


def test_a_body_that_grows_too_long_is_given_up() -> None:
    assert ask(b"a" * 600, b"b" * 600)[0] == 413


def test_a_server_for_others_answers_to_addresses_but_not_to_names() -> None:
    door = Door("secret" * 6, frozenset({"kitchen.local"}), any_address=True)
    assert all(map(door.allows_host, ("192.168.1.5:8642", "[fe80::1]:8642", "kitchen.local", "Kitchen.local:80")))
    assert not any(map(door.allows_host, ("evil.example", "evil.example:8642", "", "1.2.3.4.evil.example")))
