"""A timeline as editing programs have it: clips of one source file at constant speeds, all in whole frames."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from saffa.core.errors import InputError
from saffa.core.source_file import SourceFile
from saffa.core.timeline import Timeline, steps_of
from saffa.export.timecode import can_drop, read_timecode

FEWEST_SEGMENTS = 1
MOST_SEGMENTS = 999
"""As many events as an edit decision list can number."""
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """Text on one line, without control characters and lone surrogates, which no format can hold."""
    return " ".join(_UNWRITABLE.sub("", text).split())


@dataclass(frozen=True)
class Clip:
    """Source frames [source_start, source_end) played in output frames [start, end)."""

    source_start: int
    source_end: int
    start: int
    end: int
    sentence: int | None

    @property
    def frames(self) -> int:
        """Length in the output."""
        return self.end - self.start

    @property
    def speed(self) -> Fraction:
        """Source frames per output frame."""
        return Fraction(self.source_end - self.source_start, self.frames)


@dataclass(frozen=True)
class Marker:
    """The output frame at which a step of the text begins."""

    frame: int
    sentence: int
    text: str
    confidence: float | None

    @property
    def title(self) -> str:
        """Number and words of the step."""
        return f"{self.sentence + 1}. {self.text}"

    @property
    def note(self) -> str:
        """How sure the encoder is, for people; empty where it did not say."""
        return "" if self.confidence is None else f"confidence {self.confidence:.2f}"


@dataclass(frozen=True)
class Reach:
    """Frames that a clip offers beyond its ends, so that they can be dragged in the editor.

    `before` and `after` are output frames; they show the source from `first` and up to `last`.
    """

    before: int
    after: int
    first: int
    last: int


@dataclass(frozen=True)
class Edit:
    """Everything that an export format needs."""

    title: str
    source: SourceFile
    document: tuple[str, ...]
    clips: tuple[Clip, ...]
    markers: tuple[Marker, ...]
    handles: bool = False
    beside: Path | None = None
    """Folder that paths in the file are relative to; None writes absolute `file://` URLs."""
    drop_frame: bool = False
    """Whether timecodes leave out labels (29.97 and 59.94 only), so that they keep to the clock."""
    first_timecode: int = 0
    """Timecode of the first source frame, as a count of frames."""

    @classmethod
    def of(
        cls,
        timeline: Timeline,
        source: SourceFile,
        title: str,
        *,
        segments: int = 60,
        handles: bool = False,
        beside: Path | None = None,
        drop_frame: bool | None = None,
    ) -> Edit:
        """At most `segments` clips of a timeline, of exactly its length.

        `drop_frame` None does as the source's own timecode does.
        """
        first, drops = read_timecode(source.timecode, source.rate)
        if drop_frame and not can_drop(source.rate):
            raise InputError(f"--drop-frame is for 29.97 and 59.94 frames a second, not {float(source.rate):.6g}.")
        return cls(
            title=clean(title),
            source=source,
            document=tuple(map(clean, timeline.document)),
            clips=_clips(timeline, segments),
            markers=_markers(timeline),
            handles=handles,
            beside=beside,
            drop_frame=drops if drop_frame is None else drop_frame,
            first_timecode=first,
        )

    @property
    def rate(self) -> Fraction:
        """Frames a second, of the source and of the output."""
        return self.source.rate

    @property
    def frames(self) -> int:
        """Length of the output."""
        return self.clips[-1].end

    @property
    def source_name(self) -> str:
        """File name of the source, without characters that files cannot hold."""
        return clean(self.source.name)

    @property
    def url(self) -> str:
        """URL of the source file, as the edit refers to it."""
        return self.source.url(self.beside)

    def reach(self, clip: Clip) -> Reach:
        """What lies around a clip: with handles, all of the source at about the clip's speed; else nothing."""
        if not self.handles:
            return Reach(0, 0, clip.source_start, clip.source_end)
        left = self.source.frames - clip.source_end
        before, after = (-(-frames // clip.speed) for frames in (clip.source_start, left))
        return Reach(before, after, 0, self.source.frames)

    def markers_in(self, clip: Clip) -> list[Marker]:
        """Markers that lie on a clip."""
        return [marker for marker in self.markers if clip.start <= marker.frame < clip.end]

    def sentence_text(self, sentence: int | None) -> str:
        """The words of a sentence; empty for what follows none."""
        return "" if sentence is None else self.document[sentence]


def _clips(timeline: Timeline, at_most: int) -> tuple[Clip, ...]:
    if not FEWEST_SEGMENTS <= at_most <= MOST_SEGMENTS:
        raise InputError(f"--segments must be between {FEWEST_SEGMENTS} and {MOST_SEGMENTS}, not {at_most}.")
    rate, clips, at = timeline.source.rate, [], 0
    for segment in timeline.segments(at_most):
        slots = int(segment.slots(rate))
        first, last = (round(time * rate) for time in (segment.source_start, segment.source_end))
        clips.append(Clip(first, max(last, first + 1), at, at + slots, segment.sentence))
        at += slots
    return tuple(clips)


def _markers(timeline: Timeline) -> tuple[Marker, ...]:
    found = steps_of(timeline.segments(), timeline.source.rate)
    sure = timeline.confidence or (None,) * len(timeline.document)
    return tuple(Marker(s.start, s.sentence, clean(timeline.document[s.sentence]), sure[s.sentence]) for s in found)
