"""A timeline as the starting point of another plan: the same video, text and corrections, and what is changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from saffa.core.corrections import Correction
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.timeline import Timeline
from saffa.core.timeline_file import found_file, trusted_subtitles
from saffa.core.whole_file import file_sha256
from saffa.media.container import STDIN

SHIPPED = ("narrated", "visual", "fused")
"""Encoders that a timeline may name; a file must not choose which model is loaded from where."""


@dataclass(frozen=True)
class Origin:
    """What a timeline was made from."""

    video: Path
    document: Document
    subtitles: Path | None
    method: str
    encoder: str
    speed: float
    corrections: tuple[Correction, ...]

    @classmethod
    def of(cls, timeline: Timeline, folder: Path) -> Origin:
        """InputError if the video is not there or has changed; `folder` is where the timeline is."""
        if timeline.source.path == STDIN:
            raise InputError("This timeline was made from a pipe; --from needs one that was made from a file.")
        video = found_file(timeline.source.path, folder)
        try:
            same = file_sha256(video) == timeline.source.sha256
        except OSError as error:
            raise InputError(f"Cannot read the video {video} of the timeline: {error.strerror or error}.") from None
        if not same:
            raise InputError(f"{video} is not the file this timeline was made from (its contents differ).")
        return cls(
            video=video,
            document=Document(timeline.document),
            subtitles=trusted_subtitles(timeline, folder, video),
            method=timeline.method,
            encoder=timeline.encoder if timeline.encoder in SHIPPED else "auto",
            speed=timeline.target_speed,
            corrections=timeline.corrections,
        )
