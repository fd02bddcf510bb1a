"""VDAN+ (or VDAN) as an encoder: a video and a text in, an Alignment out; or one clip at a time, for an agent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints, Share
from saffa.core.video import Axis, FeatureAxis, Narration, Video
from saffa.encoders.base import AlignmentRow, Query, video_file
from saffa.encoders.vdan.clips import ClipCutter, clips_of
from saffa.encoders.vdan.onnx_encoder import OnnxEncoder, ReadDocument
from saffa.media.frame_stream import read_frames, upright
from saffa.storage.fingerprint import NO_PART
from saffa.storage.models import ModelFolder

GRID = 32
"""Default stride: clips that lie end to end, so that every frame is seen once."""

GIVEN_CLIP = 32
"""Frames of a clip, for videos that are given by features of single frames."""


@dataclass(frozen=True)
class VideoFeatures:
    """φ(v) of a video, (T, z), at frames (T,): what is worth keeping when other texts will be asked about it."""

    at: Ints
    features: Floats


@dataclass(frozen=True)
class VdanPlusEncoder:
    """Compares clips with the document as the paper does.

    `stride` 1 encodes the clip of every frame, as the authors did. The default computes one clip per 32 frames and
    leaves the frames between to interpolation: the same numbers at the grid frames for a thirty-second of the work.
    """

    onnx: OnnxEncoder
    stride: int = GRID
    progress: Share = field(default=lambda _: None, metadata=NO_PART)
    streaming: bool = True

    @classmethod
    def of_folder(
        cls, folder: ModelFolder, reading: str = "", *, stride: int = GRID, threads: int = 0, **options: Any
    ) -> Self:
        """Open a model folder; there is one way of `reading` it."""
        if reading:
            raise InputError(f"{folder.name} can be used as it is, not as @{reading}.")
        return cls(OnnxEncoder(folder, threads=threads), stride, options.get("progress", lambda _: None))

    @property
    def name(self) -> str:
        """The model's name, and what is not the default."""
        return self.onnx.folder.name + (f"@{self.stride}" if self.stride != GRID else "")

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:  # noqa: ARG002
        """Align the whole video; what is said in it plays no part."""
        read = self.onnx.read(document.sentences)  # first: a text without words should fail before the long work
        if isinstance(video, FeatureAxis):
            return self.align(given_features(video, self.onnx.folder, self.stride), read, document, video)
        return self.align(self.features(video_file(video)), read, document, video)

    def features(self, video: Video) -> VideoFeatures:
        """φ(v) on the grid. This is nearly all of the cost, and it does not depend on the text."""
        at, rows = [], []
        frames = (frame for _, frame in read_frames(video))
        for f, clip in clips_of(frames, lambda frame: upright(frame, video.rotation), self.onnx.shape, self.stride):
            at.append(f)
            rows.append(self.onnx.features(clip))
            self.progress(min(1.0, (f + self.stride) / max(1, video.frames)))
        if not rows:
            raise InputError(f"{video.path} has no frames that can be decoded.")
        return VideoFeatures(np.array(at), np.stack(rows))

    def align(self, seen: VideoFeatures, read: ReadDocument, document: Document, axis: Axis) -> Alignment:
        """Put features of a video and a text together."""
        pairs = self.onnx.pair(read, seen.features)
        return Alignment.of(
            self.name,
            axis,
            document,
            times=(seen.at / float(axis.rate)).astype(np.float32),
            e_v=pairs.e_v,
            e_d=pairs.e_d,
            relevance=pairs.relevance,
            sentence_weights=pairs.sentence_weights,
        )

    def open(self, video: Axis, document: Document, narration: Narration | None) -> ClipReading:  # noqa: ARG002
        """Answers about visited frames alone. An answer holds for `stride` frames: that long the agent is in its clip.

        With `stride` 1 the answers are those of the authors' dense encoding, but only where the agent lands.
        """
        return ClipReading(self.onnx, self.onnx.read(document.sentences), self.stride, self.name)


class ClipReading:
    """VDAN+ reading along: the backbone runs once for each clip that is asked for."""

    def __init__(self, onnx: OnnxEncoder, document: ReadDocument, stride: int, encoder: str) -> None:
        self.encoder = encoder
        self._onnx, self._document, self._stride = onnx, document, stride
        self._cutter = ClipCutter(onnx.shape)
        self._last: tuple[int, AlignmentRow] | None = None
        self.clips = 0
        """Number of clips that the backbone has seen."""

    @property
    def window(self) -> int:
        """Pictures of a clip."""
        return self._onnx.shape.frames

    def answer(self, query: Query) -> AlignmentRow:
        """The clip that begins at the moment, or the last one while the moment is still inside it."""
        if self._last is not None and query.frame < self._last[0] + self._stride:
            return self._last[1]
        clip = self._cutter.clip(query.stills)
        pairs = self._onnx.pair(self._document, self._onnx.features(clip)[None])
        self.clips += 1
        answer = AlignmentRow(float(pairs.relevance[0]), pairs.sentence_weights[0], pairs.e_d[0], pairs.e_v[0])
        self._last = (query.frame, answer)
        return answer


def given_features(video: FeatureAxis, folder: ModelFolder, stride: int) -> VideoFeatures:
    """φ(v) on the grid, (T, z): a frame's own feature for an encoder of stills, else the mean of 32 from it on."""
    rows = video.features[video.row_of_frame]
    views = folder.facts.get("notes", {}).get("model_params", {}).get("views")
    length = 1 if views == "one" or folder.facts["clip"]["frames"] == 1 else GIVEN_CLIP
    sums = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows, axis=0, dtype=np.float64)])
    starts = np.arange(0, len(rows), stride)
    ends = np.minimum(starts + length, len(rows))
    means = (sums[ends] - sums[starts]) / (ends - starts)[:, None]
    return VideoFeatures(starts, means.astype(np.float32))
