"""The contract of encoders: a video and a text in, an Alignment out; some can also read along with the video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.core.video import Axis, Cue, Narration, Video
from saffa.media.frame_stream import DecodedFrame


class Encoder(Protocol):
    """Compares the moments of a video with the sentences of a document."""

    @property
    def name(self) -> str:
        """Name in `--encoder` and in files."""

    @property
    def streaming(self) -> bool:
        """Whether it can answer one clip at a time, so that an agent can run in a single pass."""

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """Align the whole video."""


def video_file(video: Axis) -> Video:
    """The file itself; InputError where an encoder is given something else to look at."""
    if not isinstance(video, Video):
        raise InputError("This encoder looks at pictures; it needs the video file itself.")
    return video


@dataclass(frozen=True, eq=False)
class Query:
    """Where an agent stands in a video that is being read.

    frame    its place on an axis of constant rate
    seconds  frame / rate
    stills   `Reading.window` pictures from here on; fewer where the video ends, at least one if the window is not 0
    cues     lines that came with the video (embedded subtitles of a pipe) since the moment before
    """

    frame: int
    seconds: float
    stills: Sequence[DecodedFrame] = ()
    cues: Sequence[Cue] = ()


@dataclass(frozen=True, eq=False)
class AlignmentRow:
    """One row of an Alignment: relevance, sentence_weights (N,), e_d and e_v (d,)."""

    relevance: float
    sentence_weights: Floats
    e_d: Floats
    e_v: Floats


class Reading(Protocol):
    """An encoder at work on one video and one text, asked at the moments that are visited, in the order of time."""

    @property
    def encoder(self) -> str:
        """Name of the encoder that answers; `auto` gives that of its choice."""

    @property
    def window(self) -> int:
        """Pictures it looks at for an answer: 0 none, 1 the visited one, 32 a clip that begins there."""

    def answer(self, query: Query) -> AlignmentRow:
        """Compare the visited moment with the text. Called once per moment; nothing else is computed."""


@runtime_checkable
class JudgingReading(Reading, Protocol):
    """A reading that can say in the end whether the text belonged to what it met."""

    def certainty(self) -> dict[str, Any]:
        """`fit` and, where they are known, `confidence` and `by_pictures`, as `Alignment` takes them."""


@runtime_checkable
class StreamingEncoder(Encoder, Protocol):
    """An encoder with `streaming` True: what `encode` says of a whole video, it can say while the video is read."""

    def open(self, video: Axis, document: Document, narration: Narration | None) -> Reading:
        """Begin to read. `video` has the expected number of frames; the real end may come earlier or later.

        `narration` is what is known before the first picture (a subtitle file), None if nothing is said, and empty if
        lines will come along with the pictures (`Query.cues`). Bad input (a text without words, no narration where one
        is needed) is refused here.
        """
