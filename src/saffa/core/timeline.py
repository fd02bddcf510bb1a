"""The plan: exact source time ↔ output time, and the JSON a run leaves behind, from which it can be rendered again.

A `Splice` is the source with parts cut out; its "spliced" time is the clock of what is left. A `TimeMap` leads from
there to the output: the one owner of time, which picture, sound, subtitles and exports ask. A slot is one frame of the
output. A `Segment` covers a whole number of slots, and all of them together cover the output; where one does not begin
at the end of the one before, the source between them is cut out.

Times are exact: seconds as fractions in strings ("1001/30"), frames as integers. The frames decide: each fills one slot
of 1 / `source.rate` seconds, or as many as `holds` says, which is there only if some frame fills more than one (videos
of variable rate). The segments say the same in source time, with speeds and sentences; they may be left out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.corrections import Correction
from saffa.core.corrections import to_json as correction_json
from saffa.core.errors import InputError
from saffa.core.selection import Selection
from saffa.core.strict_json import json_text
from saffa.core.types import Doubles
from saffa.core.video import Video
from saffa.core.whole_file import file_sha256, whole_file

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Splice:
    """Source seconds [start, end) that are left out; in order, none touching another."""

    cuts: tuple[Interval, ...] = ()

    def __post_init__(self) -> None:
        if any(start >= end for start, end in self.cuts):
            raise ValueError("a cut must have a length")
        if any(a[1] >= b[0] for a, b in pairwise(self.cuts)):
            raise ValueError("cuts must be in order and must not touch")

    def __bool__(self) -> bool:
        return bool(self.cuts)

    def to_spliced(self, time: Fraction) -> Fraction:
        """Spliced time of a source time; inside a cut it is that of the cut."""
        at = bisect_right([start for start, _ in self.cuts], time)
        gone = sum((min(end, time) - start for start, end in self.cuts[:at]), Fraction(0))
        return time - gone

    def to_source(self, time: Fraction) -> Fraction:
        """Source time of a spliced time; at a cut it is that of its end."""
        for start, end in self.cuts:
            if time < start:
                return time
            time += end - start
        return time

    def is_cut(self, start: Fraction, end: Fraction) -> bool:
        """Whether all of a source interval is left out."""
        return any(a <= start and end <= b for a, b in self.cuts)


def united(intervals: Sequence[Interval]) -> tuple[Interval, ...]:
    """Intervals of source time merged, so that they are in order and neither overlap nor touch."""
    ordered = sorted(intervals)
    if not ordered:
        return ()
    ends = list(accumulate((end for _, end in ordered), max))
    starts = [i for i in range(1, len(ordered)) if ordered[i][0] > ends[i - 1]]
    return tuple((ordered[a][0], ends[b - 1]) for a, b in pairwise([0, *starts, len(ordered)]))


@dataclass(frozen=True)
class TimeMap:
    """A strictly increasing piecewise-linear map given by its knots, all exact rationals in seconds.

    Source time 0 is the first frame of the picture. Times outside the map are clamped to its ends.
    """

    source: tuple[Fraction, ...]
    output: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if len(self.source) != len(self.output) or len(self.source) < 2:
            raise ValueError("a TimeMap needs at least two knots, as many in the source as in the output")
        for knots in (self.source, self.output):
            if any(a >= b for a, b in pairwise(knots)):
                raise ValueError("the knots of a TimeMap must be strictly increasing")

    @classmethod
    def from_frames(cls, starts: Sequence[Fraction], end: Fraction, rate: Fraction) -> TimeMap:
        """Map of a selection: the frame that starts at `starts[i]` fills output slot i of `1/rate` seconds.

        The last selected frame stands for everything up to `end`, the end of the source.
        """
        slot = 1 / Fraction(rate)
        source = (*(Fraction(t) for t in starts), Fraction(end))
        return cls(source, tuple(i * slot for i in range(len(source))))

    @property
    def source_duration(self) -> Fraction:
        """Length of the source that the map covers, seconds."""
        return self.source[-1] - self.source[0]

    @property
    def duration(self) -> Fraction:
        """Length of the output, seconds."""
        return self.output[-1] - self.output[0]

    @property
    def speed(self) -> Fraction:
        """Average speed over the whole map."""
        return self.source_duration / self.duration

    def to_output(self, time: Fraction | int) -> Fraction:
        """Output time at which the source time is shown."""
        return _interpolate(Fraction(time), self.source, self.output)

    def to_source(self, time: Fraction | int) -> Fraction:
        """Source time that is shown at the output time."""
        return _interpolate(Fraction(time), self.output, self.source)

    @cached_property
    def source_seconds(self) -> Doubles:
        """Source knots as floats, for vectorised use (sound, plots)."""
        return np.array([float(t) for t in self.source])

    @cached_property
    def output_seconds(self) -> Doubles:
        """Output knots as floats."""
        return np.array([float(t) for t in self.output])


def _interpolate(time: Fraction, xs: tuple[Fraction, ...], ys: tuple[Fraction, ...]) -> Fraction:
    if time <= xs[0]:
        return ys[0]
    if time >= xs[-1]:
        return ys[-1]
    i = bisect_right(xs, time) - 1
    return ys[i] + (time - xs[i]) * (ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i])


SCHEMA = "saffa.timeline/2"


@dataclass(frozen=True)
class Segment:
    """Source seconds [source_start, source_end) at one speed, with the sentence of the text that they show."""

    source_start: Fraction
    source_end: Fraction
    speed: Fraction
    sentence: int | None

    def slots(self, rate: Fraction) -> Fraction:
        """Output frames that the segment fills; a whole number in every consistent timeline."""
        return (self.source_end - self.source_start) * rate / self.speed


def segments_between(edges: Sequence[Fraction], rate: Fraction, sentences: Sequence[int | None]) -> tuple[Segment, ...]:
    """Join neighbouring slots of one speed and one sentence.

    `edges` are the source times at which the slots start, and the end of the source: one more than `sentences`.
    """
    runs = groupby(range(len(edges) - 1), key=lambda i: ((edges[i + 1] - edges[i]) * rate, sentences[i]))
    found: list[Segment] = []
    for (speed, sentence), run in runs:
        slots = list(run)
        found.append(Segment(edges[slots[0]], edges[slots[-1] + 1], speed, sentence))
    return tuple(found)


@dataclass(frozen=True)
class Step:
    """A sentence of the text and the output frames [start, end) of its longest appearance."""

    sentence: int
    start: int
    end: int


def steps_of(segments: Sequence[Segment], rate: Fraction) -> tuple[Step, ...]:
    """Every sentence that is shown, in the order of the output; of several appearances the longest counts."""
    longest: dict[int, Step] = {}
    at = 0
    for sentence, run in groupby(segments, key=lambda s: s.sentence):
        end = at + sum(int(segment.slots(rate)) for segment in run)
        if sentence is not None:
            known = longest.get(sentence)
            if known is None or end - at > known.end - known.start:
                longest[sentence] = Step(sentence, at, end)
        at = end
    return tuple(sorted(longest.values(), key=lambda step: step.start))


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
        """Describe a probed video; reads the whole file for its hash, unless that is known."""
        digest = video.sha256 or file_sha256(video.path)
        return cls(str(video.path.resolve()), digest, len(video.ticks), video.rate, video.duration)

    @classmethod
    def of_file(cls, path: Path, frames: int, rate: Fraction, duration: Fraction) -> Source:
        """Describe a video whose frames are known; reads the whole file once for its hash."""
        return cls(str(path.resolve()), file_sha256(path), frames, rate, duration)


@dataclass(frozen=True)
class Timeline:
    """A finished selection with all that is needed to render or export it.

    `runs` are the segments as planned, one for each change of speed or sentence; `segments` gives these, or fewer.
    `subtitles` is the path of the file that was given, `subtitles_sha256` its hash (None in files of version 1).
    `confidence` says for each sentence how sure the encoder is, 0 to 1; empty if it does not say.
    `fit` is the chance that text and video belong together; None if the encoder does not say.
    """

    source: Source
    document: tuple[str, ...]
    method: str
    encoder: str
    target_speed: float
    speed: float
    frames: tuple[int, ...]
    runs: tuple[Segment, ...]
    subtitles: str | None = None
    holds: tuple[int, ...] = ()
    corrections: tuple[Correction, ...] = ()
    confidence: tuple[float, ...] = ()
    subtitles_sha256: str | None = None
    fit: float | None = None

    @classmethod
    def of(cls, video: Video, selection: Selection, alignment: Alignment, subtitles: Path | None = None) -> Timeline:
        """Timeline of a selection from an alignment.

        `video` counts frames as the selection does: `constant_rate_axis` of a probed video.
        """
        frames, holds = merge_repeats(video.on_screen(selection.frames).tolist())
        sentences = alignment.sentence_at([float(video.frame_time(int(frame))) for frame in selection.frames])
        return cls(
            source=Source.of(video),
            document=alignment.document,
            method=selection.method,
            encoder=alignment.encoder,
            target_speed=selection.target_speed,
            speed=selection.speed,
            frames=frames,
            runs=segments_of(video, selection, sentences),
            subtitles=str(subtitles.resolve()) if subtitles else None,
            holds=holds,
            corrections=selection.corrections,
            confidence=() if alignment.confidence is None else tuple(map(float, alignment.confidence)),
            subtitles_sha256=file_sha256(subtitles) if subtitles else None,
            fit=alignment.fit,
        )

    def segments(self, at_most: int | None = None) -> tuple[Segment, ...]:
        """The stretches of constant speed, as planned or merged to at most so many of at least half a second.

        Merged ones differ as little as possible from the planned speeds, and last exactly as long in all.
        """
        runs = self.runs or self._runs_from_frames()
        parts = 1 + sum(a.source_end != b.source_start for a, b in pairwise(runs))
        if at_most is None or len(runs) <= 1:
            return runs
        if at_most < parts:
            raise InputError(f"The cuts leave {parts} parts; at most {at_most} segments cannot hold them.")
        from saffa.core.segments import merged  # noqa: PLC0415

        return tuple(merged(runs, self.source.rate, at_most))

    def _runs_from_frames(self) -> tuple[Segment, ...]:
        """Segments of a file without any: frames are taken to lie on an even grid."""
        slots = np.repeat(self.frames, self.holds or (1,) * len(self.frames)).tolist()
        if self.holds:
            raise InputError("This timeline of a variable-rate video has no segments; render it instead.")
        edges = [*(Fraction(slot) / self.source.rate for slot in slots), self.source.duration]
        if edges[-1] <= edges[-2]:
            raise InputError("This timeline has frames behind the end of its source, and no segments; it is damaged.")
        return segments_between(edges, self.source.rate, [None] * len(slots))

    @property
    def splice(self) -> Splice:
        """What is cut out of the source."""
        return Splice(gaps(self.runs))

    def timemap(self, video: Video) -> TimeMap:
        """Source time ↔ output time; a frame before a cut stands for the cut as well (`spliced` leaves it out).

        InputError if segments and frames do not say the same.
        """
        rate = self.source.rate
        if not self.runs:
            return timemap_of(replace(video, rate=rate), self.frames, self.holds)
        starts = self.slot_starts()
        holds = self.holds or (1,) * len(self.frames)
        self.compare(video.shown_at(starts, rate).tolist(), np.repeat(self.frames, holds).tolist())
        return TimeMap.from_frames(starts, self.runs[-1].source_end, rate)

    def spliced(self, timemap: TimeMap) -> TimeMap:
        """Spliced time (the source without its cuts) ↔ output time, from the map of this timeline."""
        splice = self.splice
        return TimeMap(tuple(map(splice.to_spliced, timemap.source)), timemap.output) if splice else timemap

    def slot_starts(self) -> list[Fraction]:
        """Source time at which each slot starts, by the segments."""
        rate = self.source.rate
        return [run.source_start + k * run.speed / rate for run in self.runs for k in range(int(run.slots(rate)))]

    @staticmethod
    def compare(by_segments: Sequence[int], by_frames: Sequence[int]) -> None:
        """InputError at the first slot where segments and frames name different source frames."""
        pairs = zip(by_segments, by_frames, strict=False)
        differs = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
        if differs is None and len(by_segments) != len(by_frames):
            differs = min(len(by_segments), len(by_frames))
        if differs is None:
            return
        a, b = (f"frame {side[differs]}" if differs < len(side) else "nothing" for side in (by_segments, by_frames))
        raise InputError(
            f"The timeline's segments and frames disagree, first at output frame {differs}: segments show {a}, frames "
            f"{b}. The frames decide: delete the segments to use the frames as they stand."
        )

    def save(self, path: Path, *, overwrite: bool = True) -> None:
        """Write the JSON, whole or not at all."""
        with whole_file(path, overwrite=overwrite) as part:
            part.write_text(json_text(self.to_json()) + "\n", encoding="utf-8")

    def to_json(self) -> dict[str, Any]:
        """The versioned form, fractions as strings."""
        source = self.source
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "source": {
                "path": source.path,
                "sha256": source.sha256,
                "frames": source.frames,
                "rate": str(source.rate),
                "duration": str(source.duration),
                "constant_rate": self._is_even(),
            },
            "document": list(self.document),
            "method": self.method,
            "encoder": self.encoder,
            "target_speed": self.target_speed,
            "speed": self.speed,
            "frames": list(self.frames),
            "segments": [
                {
                    "source_start": str(s.source_start),
                    "source_end": str(s.source_end),
                    "speed": str(s.speed),
                    "sentence": s.sentence,
                }
                for s in self.runs
            ],
            "subtitles": None if self.subtitles is None else {"path": self.subtitles, "sha256": self.subtitles_sha256},
        }
        optional = {
            "holds": list(self.holds),
            "corrections": [correction_json(one) for one in self.corrections],
            "confidence": list(self.confidence),
            "fit": self.fit,
        }
        return data | {key: value for key, value in optional.items() if value not in ([], None)}

    def _is_even(self) -> bool:
        """Whether frames can be told from times without the video: each lies on the even grid."""
        return not self.holds and nearest_frames(self.slot_starts(), self.source.rate) == list(self.frames)

    @classmethod
    def load(cls, path: Path) -> Timeline:
        """Read a timeline file of version 1 or 2, naming what is wrong with it if it is not one."""
        from saffa.core.timeline_file import read_timeline  # noqa: PLC0415

        return read_timeline(Path(path))


def merge_repeats(shown: Iterable[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The different frames among those shown in slots that follow each other, and for how many slots each is held.

    Without holds (an empty tuple) each is shown once.
    """
    runs = [(frame, sum(1 for _ in run)) for frame, run in groupby(shown)]
    holds = tuple(count for _, count in runs)
    return tuple(frame for frame, _ in runs), holds if any(count > 1 for count in holds) else ()


def gaps(segments: Sequence[Segment]) -> tuple[tuple[Fraction, Fraction], ...]:
    """Source time between segments that is not shown: what is cut out, at the start also."""
    first = ((Fraction(0), segments[0].source_start),) if segments and segments[0].source_start > 0 else ()
    inside = ((a.source_end, b.source_start) for a, b in pairwise(segments) if a.source_end < b.source_start)
    return (*first, *inside)


def nearest_frames(times: Sequence[Fraction], rate: Fraction) -> list[int]:
    """Frames of an even grid that lie nearest to the times."""
    return [round(time * rate) for time in times]


def timemap_of(video: Video, frames: Sequence[int], holds: Sequence[int] = ()) -> TimeMap:
    """Source time ↔ output time of a selection of a video's frames, each for a slot or as many as `holds` says."""
    source = (*(video.frame_time(frame) for frame in frames), video.duration)
    ends = accumulate(holds or [1] * len(frames), initial=0)
    return TimeMap(source, tuple(slots / video.rate for slots in ends))


def segments_of(video: Video, selection: Selection, sentences: Sequence[int | None]) -> tuple[Segment, ...]:
    """Join neighbouring selected frames that share their speed and their sentence (one per selected frame).

    Frames before a cut stand for what is left up to it.
    """
    times = [video.frame_time(int(f)) for f in selection.frames]
    found: list[Segment] = []
    bounds = [0, *_parts(selection), len(times)]
    ends = selection.ends()
    for a, b in pairwise(bounds):
        stop = int(ends[b - 1])
        edges = [*times[a:b], video.frame_time(stop) if stop < video.frames else video.duration]
        found += segments_between(edges, video.rate, sentences[a:b])
    return tuple(found)


def _parts(selection: Selection) -> list[int]:
    """Places in the selection after which a cut lies."""
    after = [int(np.searchsorted(selection.frames, start)) for start, _ in selection.cuts]
    return sorted({place for place in after if 0 < place < len(selection.frames)})
