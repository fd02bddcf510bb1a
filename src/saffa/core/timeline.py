"""The JSON a run leaves behind: enough to render it again, in a form that other tools can read.

Times are exact: seconds as fractions in strings ("1001/30"), frames as integers. Each frame fills one slot of
1 / `source.rate` seconds, or as many as `holds` says, which is there only if some frame fills more than one (videos of
variable rate).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.errors import InputError
from saffa.core.selection import Selection
from saffa.core.timemap import TimeMap
from saffa.core.video import Video
from saffa.core.whole_file import whole_file

SCHEMA = "saffa.timeline/1"
_MOST_SLOTS = 1 << 24  # of a segment that can be meant: more than two days at 60 a second


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
        return cls.of_file(video.path, len(video.ticks), video.rate, video.duration)

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
    holds: tuple[int, ...] = ()

    def timemap(self, video: Video) -> TimeMap:
        """Source time ↔ output time. The segments tell the moments of all slots; where they do not fit the frames
        (edited by hand), the frames' own times count.
        """
        moments, rate = self._moments(), self.source.rate
        holds = self.holds or (1,) * len(self.frames)
        if moments and np.array_equal(video.shown_at(moments[:-1], rate), np.repeat(self.frames, holds)):
            return TimeMap.from_frames(moments[:-1], moments[-1], rate)
        return timemap_of(replace(video, rate=rate), self.frames, holds)

    def _moments(self) -> list[Fraction]:
        """Source times at which the slots of the segments start, and the end; empty if these are no whole numbers."""
        starts: list[Fraction] = []
        at = Fraction(0)
        for segment in self.segments:
            length = segment.source_end - segment.source_start
            slots = length * self.source.rate / segment.speed if segment.speed > 0 else Fraction(0)
            if (starts and segment.source_start != at) or slots.denominator != 1 or not 0 < slots <= _MOST_SLOTS:
                return []
            starts += [segment.source_start + k * segment.speed / self.source.rate for k in range(int(slots))]
            at = segment.source_end
        return [*starts, at] if starts else []

    def save(self, path: Path, *, overwrite: bool = True) -> None:
        """Write the JSON, whole or not at all."""
        with whole_file(path, overwrite=overwrite) as part:
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
        if not self.holds:
            del data["holds"]
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
        frames = tuple(map(_whole, data["frames"]))
        if not frames or frames[0] < 0 or frames[-1] >= int(source["frames"]):
            raise ValueError("frames, which must be one or more of the source's")
        if any(a >= b for a, b in pairwise(frames)):
            raise ValueError("frames, which must be increasing")
        holds = tuple(map(_whole, data.get("holds") or ()))
        if holds and (len(holds) != len(frames) or min(holds) < 1):
            raise ValueError("holds, which must be one or more for each frame")
        rate = Fraction(source["rate"])
        if rate <= 0:
            raise ValueError("rate, which must be positive")
        return cls(
            source=Source(
                str(source["path"]), str(source["sha256"]), int(source["frames"]), rate, Fraction(source["duration"])
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
            holds=holds if any(count > 1 for count in holds) else (),
        )


def _whole(number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"{number!r}, where a whole number belongs")
    return number


def timemap_of(video: Video, frames: Sequence[int], holds: Sequence[int] = ()) -> TimeMap:
    """Source time ↔ output time of a selection of a video's frames, each for a slot or as many as `holds` says."""
    source = (*(video.frame_time(frame) for frame in frames), video.duration)
    ends = accumulate(holds or [1] * len(frames), initial=0)
    return TimeMap(source, tuple(slots / video.rate for slots in ends))


def segments_of(video: Video, selection: Selection, sentences: Sequence[int | None]) -> tuple[Segment, ...]:
    """Join neighbouring selected frames that share their speed and their sentence (one per selected frame)."""
    return segments_between(
        [*(video.frame_time(int(f)) for f in selection.frames), video.duration], video.rate, sentences
    )


def segments_between(edges: Sequence[Fraction], rate: Fraction, sentences: Sequence[int | None]) -> tuple[Segment, ...]:
    """The same from the times at which the frames, or slots, start, and the end of the source."""
    runs = groupby(range(len(edges) - 1), key=lambda i: ((edges[i + 1] - edges[i]) * rate, sentences[i]))
    found: list[Segment] = []
    for (speed, sentence), run in runs:
        slots = list(run)
        found.append(Segment(edges[slots[0]], edges[slots[-1] + 1], speed, sentence))
    return tuple(found)
