"""Starting and ending the server: its address, its token, its socket."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from saffa.core.errors import InputError
from saffa.web.app import create_app
from saffa.web.guard import LOCAL, Door
from saffa.web.studio import Choices, Studio

TOKEN_FILE = "token"


@dataclass(frozen=True)
class Address:
    """Where to listen. Port 0 takes any that is free."""

    host: str = "127.0.0.1"
    port: int = 8642
    token: str | None = None
    names: tuple[str, ...] = ()
    """Other names under which the server may be asked for."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOCAL


def serve(choices: Choices, address: Address, *, open_browser: bool = False) -> None:
    """Serve until told to end."""
    studio = Studio(choices)
    try:
        listening = _socket(address)
        port = int(listening.getsockname()[1])
        token = address.token or _kept_token(choices.state)
        door = Door(
            token=token,
            hosts=frozenset({*LOCAL, address.host, *address.names} - {"0.0.0.0", "::"}),
            any_address=not address.is_local,
            cookie=f"saffa_token_{port}",
            body_bytes=choices.limits.text_bytes * 2 + 100_000,
            chunk_bytes=choices.limits.chunk_bytes,
            body_seconds=choices.limits.body_seconds,
        )
        shown = "127.0.0.1" if address.host in ("0.0.0.0", "::") else address.host
        url = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/?token={token}"
        _announce(url, address)
        if open_browser:
            webbrowser.open(url)
        config = uvicorn.Config(
            create_app(studio, door),
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=3,
            timeout_keep_alive=20,
            ws="none",
        )
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        studio.close()


def _announce(url: str, address: Address) -> None:
    if not address.is_local:
        sys.stderr.write(
            "saffa: other machines can reach this server; whoever has the address below can see its videos.\n"
        )
    print(url, flush=True)


def _socket(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # With the protocol named, asyncio sends the two packets of an answer at once: each waited 40 ms for the other.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address.host, address.port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or "no such port"
        raise InputError(
            f"Cannot listen on {address.host}:{address.port} ({reason}); give another with --port, or --port 0."
        ) from None
    listening.listen(512)
    return listening


def _kept_token(state: Path) -> str:
    """The token of this state folder, so that a page stays open across a restart; only its owner can read it."""
    path = state / TOKEN_FILE
    try:
        known = path.read_text("ascii").strip()
        if len(known) >= 32 and path.stat().st_mode & 0o077 == 0:
            return known
    except (OSError, ValueError):
        pass
    token = secrets.token_urlsafe(32)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(token)
    return token
