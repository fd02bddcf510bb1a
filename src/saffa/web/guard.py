"""The lock on the door: every request is checked here before anything else sees it.

A page of another site must not reach the server through the browser of the person who runs it. So the name that a
request is addressed to, where it comes from, and a secret token are checked, and the answers tell browsers not to
guess, frame or run anything of others.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from time import monotonic
from typing import Any
from urllib.parse import parse_qs

from saffa.web.errors import RefusedError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
LOCAL = ("127.0.0.1", "localhost", "::1")
SLOWEST = 10_000
"""Bytes a second that a body must have on average, after a first grace of `body_seconds`."""
MISSING_TOKEN = "Open the address that `saffa serve` printed: it carries the token that this server asks for."


@dataclass(frozen=True)
class Door:
    """Who may come in."""

    token: str
    hosts: frozenset[str]
    """Names that requests may be addressed to."""
    any_address: bool = False
    """Whether numeric addresses may be used too: the server listens to other machines."""
    cookie: str = "saffa_token"
    body_bytes: int = 4_000_000
    """Of a request, but for the pieces of uploads."""
    chunk_bytes: int = 16 * 1024 * 1024
    body_seconds: float = 20.0

    def allows_host(self, host: str) -> bool:
        """Whether a Host header names this server; a name that others made point here does not."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() and not host.endswith("]") else host
        name = name.strip("[]").lower()
        if name in self.hosts:
            return True
        if not self.any_address:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def knows(self, token: str | None) -> bool:
        """Whether that is the token; takes as long for every wrong one."""
        return token is not None and hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())


class Guard:
    """Lets requests through that may come in, and sees to it that answers carry the headers that keep them safe."""

    def __init__(self, app: App, door: Door) -> None:
        self._app, self._door = app, door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As an ASGI application."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            else:  # websockets are not spoken here
                await send({"type": "websocket.close", "code": 1008})
            return
        sealed = _sealed(send)
        headers = _headers(scope)
        try:
            self._check(scope, headers)
            bounded = self._bounded(scope, headers, receive)
        except RefusedError as error:
            await _refuse(sealed, error)
            return
        if scope["path"] == "/" and "token" in parse_qs(scope["query_string"].decode("latin-1")):
            await self._welcome(sealed)
            return
        try:
            await self._app(scope, bounded, sealed)
        except RefusedError as error:  # a body that was too long or too slow
            if not sealed.started:
                await _refuse(sealed, error)

    def _check(self, scope: Scope, headers: dict[str, str]) -> None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._door.allows_host(host):
            raise RefusedError(403, "This server does not answer to that name; use the address it printed.")
        if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            raise RefusedError(403, "Requests from other sites are not answered.")
        entering = scope["path"] == "/" and scope["method"] in ("GET", "HEAD")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not entering:
            raise RefusedError(403, "Requests from other sites are not answered.")
        if not any(map(self._door.knows, self._tokens(scope, headers, entering))):
            raise RefusedError(401, MISSING_TOKEN)
        if "\0" in scope["path"]:
            raise RefusedError(404, "There is nothing here.")

    def _tokens(self, scope: Scope, headers: dict[str, str], entering: bool) -> list[str | None]:
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        given = [bearer.strip() if kind.lower() == "bearer" else None]
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._door.cookie)
            given.append(cookie.value if cookie else None)
        except CookieError:
            pass
        if entering:
            given += parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return given

    async def _welcome(self, send: Send) -> None:
        """Take the token out of the address and into a cookie that no script and no other site can read or send."""
        cookie = f"{self._door.cookie}={self._door.token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _bounded(self, scope: Scope, headers: dict[str, str], receive: Receive) -> Receive:
        """The body as it comes, refused when it gets too long or comes too slowly."""
        door = self._door
        uploading = scope["method"] == "PUT" and scope["path"].startswith("/api/v1/uploads/")
        most = door.chunk_bytes if uploading else door.body_bytes
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18 or int(length) > most:
            raise RefusedError(413, f"The body of this request may have at most {most} bytes.")
        began, seen, over = monotonic(), 0, False

        async def next_message() -> Message:
            nonlocal seen, over
            if over:  # only the end of the connection is waited for now
                return await receive()
            allowed = door.body_seconds + seen / SLOWEST - (monotonic() - began)
            try:
                message = await asyncio.wait_for(receive(), max(0.01, min(allowed, door.body_seconds)))
            except TimeoutError:
                raise RefusedError(408, "The body of the request came too slowly.") from None
            seen += len(message.get("body", b""))
            if seen > most:
                raise RefusedError(413, f"The body of this request may have at most {most} bytes.")
            over = not message.get("more_body", False)
            return message

        return next_message


class _Sealed:
    """Sends with the headers that keep answers safe; `started` when an answer is on its way."""

    def __init__(self, send: Send) -> None:
        self._send, self.started = send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            given = {name.lower() for name, _ in message.get("headers", [])}
            extra = [(name, value) for name, value in HEADERS.items() if name not in given]
            if b"cache-control" not in given:
                extra.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await self._send(message)


def _sealed(send: Send) -> _Sealed:
    return _Sealed(send)


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by lower-case name; one that is given twice counts as wrong where it matters."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        twice = key in found and key in ("host", "origin", "content-length", "authorization")
        found[key] = "twice, twice" if twice else f"{found[key]}; {text}" if key in found else text
    return found


async def _refuse(send: Send, error: RefusedError) -> None:
    body = json.dumps(error.body()).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if error.status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
