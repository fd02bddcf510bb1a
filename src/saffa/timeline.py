"""The JSON a run leaves behind: enough to render it again, in a form that other tools can read.

Times are exact: seconds as fractions in strings ("1001/30"), frames as integers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from saffa.errors import InputError
from saffa.media.probe import Video
from saffa.outputs import whole_file
from saffa.selection import Selection
from saffa.timemap import TimeMap

SCHEMA = "saffa.timeline/1"


@dataclass(frozen=True)
class Source:
    """The video a timeline was made from."""

    path: str
    sha256: str
    frames: int
    rate: Fraction
    duration: Fraction

    @classmethod
    def of(cls, video: Video) -> Source:
        """Describe a probed video; reads the whole file once for its hash."""
        return cls.of_file(video.path, video.frames, video.rate, video.duration)

    @classmethod
    def of_file(cls, path: Path, frames: int, rate: Fraction, duration: Fraction) -> Source:
        """Describe a video whose frames are known; reads the whole file once for its hash."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return cls(str(path.resolve()), digest, frames, rate, duration)


@dataclass(frozen=True)
class Segment:
    """A run of one speed and one sentence: source seconds [source_start, source_end)."""

    source_start: Fraction
    source_end: Fraction
    speed: Fraction
    sentence: int | None


@dataclass(frozen=True)
class Timeline:
    """A finished selection with all that is needed to render or export it."""

    source: Source
    document: tuple[str, ...]
    method: str
    encoder: str
    target_speed: float
    speed: float
    frames: tuple[int, ...]
    segments: tuple[Segment, ...]
    subtitles: str | None = None

    def save(self, path: Path) -> None:
        """Write the JSON, whole or not at all."""
        with whole_file(path) as part:
            part.write_text(json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def to_json(self) -> dict[str, Any]:
        """The versioned form, fractions as strings."""
        data = {"schema": SCHEMA, **asdict(self)}
        data["source"] |= {"rate": str(self.source.rate), "duration": str(self.source.duration)}
        data["segments"] = [
            {
                "source_start": str(s.source_start),
                "source_end": str(s.source_end),
                "speed": str(s.speed),
                "sentence": s.sentence,
            }
            for s in self.segments
        ]
        return data

    @classmethod
    def load(cls, path: Path) -> Timeline:
        """Read a timeline file, naming what is wrong with it if it is not one."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(data, dict) or data.get("schema") != SCHEMA:
                raise InputError(f"{path} is not a {SCHEMA} file.")
            return cls._from_json(data)
        except FileNotFoundError:
            raise InputError(f"There is no timeline file {path}.") from None
        except (UnicodeDecodeError, json.JSONDecodeError):
            raise InputError(f"{path} is not a {SCHEMA} file; `saffa accelerate --timeline` writes one.") from None
        except OSError as error:
            raise InputError(f"Cannot read the timeline {path}: {error.strerror or error}.") from None
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise InputError(f"{path} is damaged: {type(error).__name__} at {error}.") from None

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> Timeline:
        source = data["source"]
        frames = tuple(map(int, data["frames"]))
        if not frames or frames[0] < 0 or frames[-1] >= int(source["frames"]):
            raise ValueError("frames, which must be one or more of the source's")
        if any(a >= b for a, b in pairwise(frames)):
            raise ValueError("frames, which must be increasing")
        return cls(
            source=Source(
                str(source["path"]),
                str(source["sha256"]),
                int(source["frames"]),
                Fraction(source["rate"]),
                Fraction(source["duration"]),
            ),
            document=tuple(map(str, data["document"])),
            method=str(data["method"]),
            encoder=str(data["encoder"]),
            target_speed=float(data["target_speed"]),
            speed=float(data["speed"]),
            frames=frames,
            segments=tuple(
                Segment(Fraction(s["source_start"]), Fraction(s["source_end"]), Fraction(s["speed"]), s["sentence"])
                for s in data["segments"]
            ),
            subtitles=None if data.get("subtitles") is None else str(data["subtitles"]),
        )


def timemap_of(video: Video, frames: tuple[int, ...] | np.ndarray[Any, np.dtype[np.int64]]) -> TimeMap:
    """Source time ↔ output time of a selection of a video's frames."""
    return TimeMap.from_frames([video.frame_time(int(f)) for f in frames], video.duration, video.rate)


def segments_of(video: Video, selection: Selection, sentences: list[int | None]) -> tuple[Segment, ...]:
    """Join neighbouring selected frames that share their speed and their sentence (one per selected frame)."""
    return segments_between(
        [*(video.frame_time(int(f)) for f in selection.frames), video.duration], video.rate, sentences
    )


def segments_between(edges: Sequence[Fraction], rate: Fraction, sentences: Sequence[int | None]) -> tuple[Segment, ...]:
    """The same from the times at which the frames start, and the end of the source."""
    runs = groupby(range(len(edges) - 1), key=lambda i: ((edges[i + 1] - edges[i]) * rate, sentences[i]))
    found: list[Segment] = []
    for (speed, sentence), run in runs:
        slots = list(run)
        found.append(Segment(edges[slots[0]], edges[slots[-1] + 1], speed, sentence))
    return tuple(found)
