"""Subtitles as plain timed lines: read from files and streams, retimed through the TimeMap, written."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pysubs2
from av.packet import Packet
from av.subtitles.stream import SubtitleStream
from av.subtitles.subtitle import AssSubtitle

from saffa.errors import InputError
from saffa.media.container import MEDIA_ERRORS, open_movie
from saffa.media.probe import SubtitleTrack, Video
from saffa.outputs import whole_file
from saffa.textfile import decode_text, read_bytes
from saffa.timemap import TimeMap

# Two lines of 42 characters: what subtitle guidelines call readable at once.
READABLE = 84
_FORMATS = {".srt": "srt", ".vtt": "vtt", ".ass": "ass", ".ssa": "ssa"}
_TAGS = re.compile(r"\{[^}]*\}|</?[a-zA-Z][^>]*>|<\d[\d:.]*>")
_UNTIMED = Fraction(3)


@dataclass(frozen=True)
class Cue:
    """A line of text shown from `start` to `end`, seconds; markup is stripped."""

    start: Fraction
    end: Fraction
    text: str


def load(path: Path) -> list[Cue]:
    """Cues of a subtitle file (srt, vtt, ass, ssa), in order of their start."""
    path = Path(path)
    text = decode_text(read_bytes(path, "subtitle file"), str(path))
    try:
        file = pysubs2.SSAFile.from_string(text, format_=_FORMATS.get(path.suffix.lower()))
    except (pysubs2.exceptions.Pysubs2Error, ValueError, LookupError) as error:
        raise InputError(f"{path} is not a subtitle file that can be read; use srt, vtt or ass.") from error
    cues = [
        Cue(Fraction(event.start, 1000), Fraction(event.end, 1000), plain(event.text))
        for event in file
        if not event.is_comment and not event.is_drawing
    ]
    cues = _ordered(cues)
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
        packets = container.demux(stream)
        while True:
            try:
                packet = next(packets, None)
                if packet is None:
                    break
                cues.extend(decode_packet(packet, first))
            except MEDIA_ERRORS:
                continue
    return in_order(cues)


def in_order(cues: list[Cue]) -> list[Cue]:
    """Lines of a stream by their start, each with an end."""
    return _ordered(_timed(cues))


def plain(text: str) -> str:
    """Text without styling, with real line breaks and without empty lines."""
    text = _TAGS.sub("", text).replace("\\N", "\n").replace("\\n", "\n").replace("\\h", " ")
    lines = (" ".join(line.split()) for line in html.unescape(text).splitlines())
    return "\n".join(line for line in lines if line)


def retime(cues: Sequence[Cue], timemap: TimeMap, min_seconds: float | Fraction = 0.5) -> list[Cue]:
    """The cues on the output's clock: in order, never overlapping, none shorter than `min_seconds`.

    A cue that got too short lingers where nothing follows, else shares the screen with the next one if both
    can be read at once, else the following too short ones give way to it.
    """
    least = Fraction(min_seconds).limit_denominator(10**6)
    queue = _apart([Cue(timemap.to_output(c.start), timemap.to_output(c.end), c.text) for c in _ordered(cues)])
    end = timemap.output[-1]
    shown: list[Cue] = []
    at = 0
    while at < len(queue):
        cue, at = queue[at], at + 1
        while cue.end - cue.start < least:
            wish = cue.start + least
            following = queue[at] if at < len(queue) else None
            room = following.start if following else end
            if wish <= room:
                cue = Cue(cue.start, wish, cue.text)
            elif following is None:
                break
            elif _fits(cue, following):
                cue, at = Cue(cue.start, following.end, _joined(cue.text, following.text)), at + 1
            elif following.end <= wish:
                cue, at = Cue(cue.start, following.end, cue.text), at + 1
            elif following.end - wish >= least:
                queue[at] = Cue(wish, following.end, following.text)
                cue = Cue(cue.start, wish, cue.text)
            else:
                cue, at = Cue(cue.start, following.end, cue.text), at + 1
        if cue.end - cue.start >= least:
            shown.append(cue)
        elif shown and _fits(shown[-1], cue) and cue.start - shown[-1].end <= least:
            shown[-1] = Cue(shown[-1].start, cue.end, _joined(shown[-1].text, cue.text))
    return shown


def save(cues: Iterable[Cue], path: Path) -> None:
    """Write the cues as srt, vtt, ass or ssa, by the extension."""
    path = Path(path)
    if path.suffix.lower() not in _FORMATS:
        raise InputError(f"{path.name}: subtitles are written as {', '.join(sorted(_FORMATS))}.")
    file = pysubs2.SSAFile()
    for cue in cues:
        line = cue.text.replace("\n", "\\N")
        file.append(pysubs2.SSAEvent(start=round(cue.start * 1000), end=round(cue.end * 1000), text=line))
    with whole_file(path) as part:
        part.write_text(file.to_string(_FORMATS[path.suffix.lower()]), encoding="utf-8")


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


def _ordered(cues: Iterable[Cue]) -> list[Cue]:
    return sorted((c for c in cues if c.text.strip() and c.end > c.start), key=lambda c: (c.start, c.end))


def _apart(cues: list[Cue]) -> list[Cue]:
    """No overlaps: an earlier line gives way when the next begins; lines that begin together are one."""
    out: list[Cue] = []
    for cue in cues:
        if cue.end <= cue.start:  # outside of what is shown
            continue
        if out and cue.start <= out[-1].start:
            before = out.pop()
            out.append(Cue(before.start, max(before.end, cue.end), _joined(before.text, cue.text)))
        else:
            if out and cue.start < out[-1].end:
                before = out.pop()
                out.append(Cue(before.start, cue.start, before.text))
            out.append(cue)
    return out


def _fits(first: Cue, second: Cue) -> bool:
    return len(_joined(first.text, second.text)) <= READABLE


def _joined(first: str, second: str) -> str:
    """Both texts; what is said twice (rolling captions) is shown once."""
    lines = first.split("\n")
    return "\n".join([*lines, *(line for line in second.split("\n") if line not in lines)])
