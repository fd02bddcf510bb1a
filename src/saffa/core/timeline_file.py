"""Reading timeline files, which anyone may have written: every number is bounded before it is used."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path, PureWindowsPath
from typing import Any

from saffa.core.corrections import MOST_CORRECTIONS
from saffa.core.corrections import from_json as read_correction
from saffa.core.document import MAX_SENTENCES, read_bytes
from saffa.core.errors import InputError
from saffa.core.strict_json import exact, real, whole
from saffa.core.timeline import SCHEMA, Segment, Source, Timeline, nearest_frames

SCHEMAS = ("saffa.timeline/1", SCHEMA)
MOST_SLOTS = 1 << 24
"""Output frames: more than three days at 60 a second."""
_MOST_FRAMES = 1 << 31
_LONGEST = 10**8  # seconds
_FASTEST = 10**9
SUBTITLE_SUFFIXES = (".srt", ".vtt", ".ass", ".ssa")
_RATES = (Fraction(1, 100), Fraction(1000))


def read_timeline(path: Path) -> Timeline:
    """A timeline of version 1 or 2; InputError says what is wrong with the file."""
    try:
        data = json.loads(read_bytes(path, "timeline file"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise InputError(f"{path} is not a {SCHEMA} file; `saffa accelerate --timeline` writes one.") from None
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"{path} is damaged: {error}.") from None
    if not isinstance(data, dict) or data.get("schema") not in SCHEMAS:
        raise InputError(f"{path} is not a {SCHEMA} file.")
    try:
        return _timeline(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(f"{path} is damaged: {_reason(error)}.") from None


def trusted_subtitles(timeline: Timeline, folder: Path, video: Path) -> Path | None:
    """The subtitle file of a timeline, if it may be read: a timeline from elsewhere must not name any file it likes.

    A file with a hash must have the contents it had; one without (version 1) must lie below the folder of the
    timeline or of the video. `folder` is where the timeline is.
    """
    if timeline.subtitles is None:
        return None
    path = found_file(timeline.subtitles, folder)
    if path.suffix.lower() not in SUBTITLE_SUFFIXES:
        raise InputError(f"The timeline names {path} for its subtitles, which is no subtitle file.")
    if timeline.subtitles_sha256 is None:
        allowed = (folder.resolve(), video.resolve().parent)
        if not any(path.resolve().is_relative_to(place) for place in allowed):
            raise InputError(
                f"The timeline names subtitles outside its folder and the video's ({path}); put them beside the video."
            )
        return path
    if hashlib.sha256(read_bytes(path, "subtitle file")).hexdigest() != timeline.subtitles_sha256:
        raise InputError(f"{path} is not the subtitle file this timeline was made with (its contents differ).")
    return path


def found_file(path: str, folder: Path) -> Path:
    """A file that a timeline names: where it was, or beside the timeline if both have moved (also from Windows)."""
    there, beside = folder / path, folder / PureWindowsPath(path).name
    return beside if not there.exists() and beside.is_file() else there


def _reason(error: Exception) -> str:
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)


def _timeline(data: dict[str, Any]) -> Timeline:
    source = _source(data["source"])
    frames = _frames(data["frames"], source.frames)
    holds = _holds(data.get("holds"), len(frames))
    document = tuple(map(_text, _list(data["document"], "document", MAX_SENTENCES)))
    subtitles, digest = _subtitles(data.get("subtitles"))
    timeline = Timeline(
        source=source,
        document=document,
        method=_text(data["method"]),
        encoder=_text(data["encoder"]),
        target_speed=real(data["target_speed"], "target_speed", 0, _FASTEST),
        speed=real(data["speed"], "speed", 0, _FASTEST),
        frames=frames,
        runs=_segments(data.get("segments"), source.rate, len(document)),
        subtitles=subtitles,
        holds=holds if any(count > 1 for count in holds) else (),
        corrections=tuple(
            read_correction(one) for one in _list(data.get("corrections", []), "corrections", MOST_CORRECTIONS)
        ),
        confidence=_confidence(data.get("confidence"), len(document)),
        subtitles_sha256=digest,
        fit=None if data.get("fit") is None else real(data["fit"], "fit", 0, 1),
    )
    if timeline.runs and data["source"].get("constant_rate") is True:
        timeline.compare(nearest_frames(timeline.slot_starts(), source.rate), frames)
    return timeline


def _source(data: Any) -> Source:
    return Source(
        path=_text(data["path"]),
        sha256=_text(data["sha256"]),
        frames=whole(data["frames"], "source.frames", 1, _MOST_FRAMES),
        rate=exact(data["rate"], "rate", *_RATES),
        duration=exact(data["duration"], "duration", 0, _LONGEST),
    )


def _frames(data: Any, source_frames: int) -> tuple[int, ...]:
    frames = tuple(whole(one, "frames", 0, source_frames - 1) for one in _list(data, "frames", MOST_SLOTS))
    if not frames:
        raise ValueError("frames, of which there must be one or more")
    if any(a >= b for a, b in pairwise(frames)):
        raise ValueError("frames, which must be increasing")
    return frames


def _holds(data: Any, frames: int) -> tuple[int, ...]:
    holds = tuple(whole(one, "holds", 1, MOST_SLOTS) for one in _list(data or [], "holds", MOST_SLOTS))
    if holds and len(holds) != frames:
        raise ValueError("holds, which must be one or more for each frame")
    if sum(holds) > MOST_SLOTS:
        raise ValueError(f"holds, which make more than {MOST_SLOTS} output frames")
    return holds


def _segments(data: Any, rate: Fraction, sentences: int) -> tuple[Segment, ...]:
    found: list[Segment] = []
    slots, at = 0, Fraction(0)
    for number, entry in enumerate(_list(data or [], "segments", MOST_SLOTS)):
        segment = Segment(
            exact(entry["source_start"], "source_start", 0, _LONGEST),
            exact(entry["source_end"], "source_end", 0, _LONGEST),
            exact(entry["speed"], "speed", Fraction(1, _FASTEST), _FASTEST),
            None if entry["sentence"] is None else whole(entry["sentence"], "sentence", 0, sentences - 1),
        )
        count = segment.slots(rate)
        if segment.source_start < at or count <= 0:
            raise ValueError(f"segments: number {number} does not follow the one before")
        slots, at = slots + int(count), segment.source_end
        if count.denominator != 1 or slots > MOST_SLOTS:
            raise ValueError(f"segments: number {number} does not fill a whole number of output frames")
        found.append(segment)
    return tuple(found)


def _subtitles(data: Any) -> tuple[str | None, str | None]:
    """Path and hash; version 1 has only the path."""
    if data is None or isinstance(data, str):
        return data, None
    return _text(data["path"]), None if data["sha256"] is None else _text(data["sha256"])


def _confidence(data: Any, sentences: int) -> tuple[float, ...]:
    sure = tuple(real(one, "confidence", 0, 1) for one in _list(data or [], "confidence", MAX_SENTENCES))
    if sure and len(sure) != sentences:
        raise ValueError("confidence, which must be one number for each sentence")
    return sure


def _list(data: Any, name: str, most: int) -> list[Any]:
    if not isinstance(data, list) or len(data) > most:
        raise ValueError(f"{name}, which must be a list of at most {most}")
    return data


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError(f"{str(data)[:40]!r}, where text belongs")
    return data
