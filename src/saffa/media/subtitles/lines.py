"""Subtitles as plain timed lines: found beside or inside a video, read from files and streams, written."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pysubs2
from av.packet import Packet
from av.subtitles.stream import SubtitleStream
from av.subtitles.subtitle import AssSubtitle

from saffa.core.clock import format_length
from saffa.core.document import decode_text, read_bytes
from saffa.core.errors import InputError
from saffa.core.texts.spoken_text import is_drawing, subtitle_events
from saffa.core.video import Cue, Narration, SubtitleTrack, Video
from saffa.core.whole_file import whole_file
from saffa.media.container import MEDIA_ERRORS, all_packets, open_movie

# Two lines of 42 characters: what subtitle guidelines call readable at once.
READABLE = 84
SIDECAR_SUFFIXES = (".srt", ".vtt", ".ass", ".ssa")
_FORMATS = {".srt": "srt", ".vtt": "vtt", ".ass": "ass", ".ssa": "ssa"}
_TAGS = re.compile(r"\{[^{}]*\}|</?[a-zA-Z][^<>]*>|<\d[\d:.]*>")
_UNTIMED = Fraction(3)


def find_narration(video: Video, given: Path | None = None, seconds: Fraction | None = None) -> Narration | None:
    """`given` if there is one, else a sidecar with the video's stem, else an embedded stream, else nothing.

    `seconds`: how long the video is, if it does not know itself. InputError for a file of which no line falls into it.
    """
    path = given or find_sidecar(video.path)
    if path is None:
        return embedded_narration(video)
    found, end = read_narration(path, video.container_start), seconds or video.duration
    if found.cues and found.cues[0].start >= end:
        raise InputError(
            f"No line of {path} falls into the video: the first is at {format_length(found.cues[0].start)}, and the "
            f"video has {format_length(end)}. Check that it belongs to this video, or give another with --subtitles."
        )
    return found


def find_sidecar(video: Path) -> Path | None:
    """`film.srt` or `film.en.srt` beside `film.mp4`; the plainest name wins."""
    return Sidecars().of(video)


class Sidecars:
    """Subtitle files beside videos. Each folder is listed once: anew for each of its 100,000 videos takes hours."""

    def __init__(self) -> None:
        self._folders: dict[Path, Mapping[str, list[Path]]] = {}

    def of(self, video: Path) -> Path | None:
        """As `find_sidecar`."""
        folder = video.parent
        if folder not in self._folders:
            self._folders[folder] = _sidecars_in(folder)
        found = self._folders[folder].get(video.stem, [])
        exact = [p for p in found if p.stem == video.stem]
        ranked = sorted(exact, key=lambda p: SIDECAR_SUFFIXES.index(p.suffix.lower()))
        ranked += sorted(p for p in found if p.stem != video.stem)
        return next((path for path in ranked if path.is_file()), None)


def _sidecars_in(folder: Path) -> Mapping[str, list[Path]]:
    """Subtitle files of a folder by the stems of the videos that they may belong to."""
    found: dict[str, list[Path]] = {}
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            path = folder / entry.name if entry.name.lower().endswith(SIDECAR_SUFFIXES) else None
            if path is not None and path.suffix.lower() in SIDECAR_SUFFIXES:
                for stem in {path.stem, path.stem.rpartition(".")[0] or path.stem}:
                    found.setdefault(stem, []).append(path)
    return found


def read_narration(path: Path, video_start: Fraction = Fraction(0)) -> Narration:
    """The lines of a subtitle file; `video_start` is where its time 0 lies, seconds from the first frame."""
    cues = (Cue(c.start + video_start, c.end + video_start, c.text) for c in load(path))
    return Narration.of_lines(cues, str(path), path)


def embedded_narration(video: Video) -> Narration | None:
    """The lines of the first embedded text subtitle stream that has words in it."""
    for track in video.subtitles:
        if track.is_text:
            source = f"subtitle stream {track.index} of {video.path.name}"
            found = Narration.of_lines(embedded(video, track), source)
            if found.cues:
                return found
    return None


def load(path: Path) -> list[Cue]:
    """Cues of a subtitle file (srt, vtt, ass, ssa), in order of their start."""
    path = Path(path)
    text = decode_text(read_bytes(path, "subtitle file"), str(path))
    try:
        events = subtitle_events(text, _FORMATS.get(path.suffix.lower()))
    except ValueError as error:
        raise InputError(f"{path} is not a subtitle file that can be read; use srt, vtt or ass.") from error
    cues = [
        Cue(Fraction(event.start, 1000), Fraction(event.end, 1000), plain(event.text))
        for event in events
        if not event.is_comment and not is_drawing(event)
    ]
    cues = ordered(cues)
    if not cues:
        raise InputError(f"{path} holds no subtitle lines; use an srt, vtt or ass file with text in it.")
    return cues


def embedded(video: Video, track: SubtitleTrack) -> list[Cue]:
    """Cues of a text subtitle stream of the video, in seconds from the first frame."""
    if not track.is_text:
        raise InputError(
            f"Subtitle stream {track.index} of {video.path} is made of pictures ({track.codec}); "
            "give a subtitle file with --subtitles."
        )
    cues: list[Cue] = []
    first = video.origin * video.time_base
    with open_movie(video.path) as container:
        stream = container.streams[track.index]
        if not isinstance(stream, SubtitleStream):
            raise InputError(f"Stream {track.index} of {video.path} holds no subtitles.")
        for packet in all_packets(container, stream):
            with suppress(*MEDIA_ERRORS):  # a line that cannot be read; those after it can
                cues.extend(decode_packet(packet, first))
    return in_order(cues)


def in_order(cues: list[Cue]) -> list[Cue]:
    """Lines of a stream by their start, each with an end."""
    return ordered(_timed(cues))


def plain(text: str) -> str:
    """Text without styling, with real line breaks and without empty lines."""
    text = _TAGS.sub("", text).replace("\\N", "\n").replace("\\n", "\n").replace("\\h", " ")
    lines = (" ".join(line.split()) for line in html.unescape(text).splitlines())
    return "\n".join(line for line in lines if line)


def save(cues: Iterable[Cue], path: Path) -> None:
    """Write the cues as srt, vtt, ass or ssa, by the extension."""
    path = Path(path)
    text = _file_text(cues, path)
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")


def is_saved(cues: Iterable[Cue], path: Path) -> bool:
    """Whether `save` wrote these very cues to the file before."""
    try:
        return path.read_text(encoding="utf-8") == _file_text(cues, path)
    except (OSError, ValueError):  # also text in another encoding
        return False


def _file_text(cues: Iterable[Cue], path: Path) -> str:
    """What `save` writes."""
    if path.suffix.lower() not in _FORMATS:
        raise InputError(f"{path.name}: subtitles are written as {', '.join(sorted(_FORMATS))}.")
    file = pysubs2.SSAFile()
    for cue in cues:
        line = cue.text.replace("\n", "\\N")
        file.append(pysubs2.SSAEvent(start=round(cue.start * 1000), end=round(cue.end * 1000), text=line))
    return file.to_string(_FORMATS[path.suffix.lower()])


def decode_packet(packet: Packet[SubtitleStream], first: Fraction) -> list[Cue]:
    """The lines of a packet, in seconds from the first picture, which is shown at `first`."""
    if packet.size == 0 or packet.pts is None:
        return []
    start = packet.pts * packet.time_base - first
    end = start + (packet.duration or 0) * packet.time_base
    lines = [
        plain(rect.ass.decode("utf-8", "replace").split(",", 8)[-1])
        for rect in packet.decode()
        if isinstance(rect, AssSubtitle)
    ]
    text = "\n".join(line for line in lines if line)
    return [Cue(start, end, text)] if text else []


def _timed(cues: list[Cue]) -> list[Cue]:
    """Lines without a duration stand until the next one, but not for long."""
    cues = sorted(cues, key=lambda c: c.start)
    ends = [min(n.start, c.start + _UNTIMED) for c, n in pairwise(cues)]
    ends += [c.start + _UNTIMED for c in cues[-1:]]
    return [c if c.end > c.start else Cue(c.start, e, c.text) for c, e in zip(cues, ends, strict=True)]


def ordered(cues: Iterable[Cue]) -> list[Cue]:
    """Lines with text and a length, by their start."""
    return sorted((c for c in cues if c.text.strip() and c.end > c.start), key=lambda c: (c.start, c.end))


def joined(first: str, second: str) -> str:
    """Both texts; what is said twice (rolling captions) is shown once."""
    lines = first.split("\n")
    return "\n".join([*lines, *(line for line in second.split("\n") if line not in lines)])
