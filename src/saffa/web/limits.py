"""How much the server takes on, so that nobody who may use it can exhaust the machine."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 10**6


@dataclass(frozen=True)
class Limits:
    """Bounds of what is accepted, and of what a process at work may use."""

    upload_bytes: int = 8_000 * MEGABYTE
    seconds: float = 4 * 3600.0
    """Of a video."""
    pixels: int = 8192 * 4320
    """Of a picture."""
    sentences: int = 1000
    text_bytes: int = 2 * MEGABYTE
    jobs: int = 1
    """Renders at work at the same time."""
    waiting: int = 50
    """Renders that wait or are at work."""
    projects: int = 500
    uploads: int = 20
    """Uploads that are kept, finished or not."""
    cpu_seconds: int = 4 * 3600
    """Of one process at work."""
    memory_bytes: int = 4_000 * MEGABYTE
    """Of one process at work."""
    listeners: int = 64
    """Pages that are told about changes at the same time."""
    chunk_bytes: int = 16 * 1024 * 1024
    """Of one piece of an upload."""
    body_seconds: float = 20.0
    """That a request may pause within its body."""
