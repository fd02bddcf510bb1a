"""What an encoder says about a video and a text: the input of every sampler."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Doubles, Flags, Floats
from saffa.core.video import Axis, Narration
from saffa.core.whole_file import whole_file

SCHEMA = "saffa.alignment/1"
FOUND = 0.1
"""Confidence from which a sentence counts as found: of own texts 3 in 100 are below it, of wrong ones 9 in 10."""
DOUBTED = 0.3
"""A fit below this is told: one in fifteen own texts, more than nine in ten others, in four domains."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """How well each moment of a video fits a document, on a grid of T times.

    times             (T,)    seconds from the first frame, increasing
    e_v               (T, d)  unit-norm embedding of what happens (or is said) around each time
    e_d               (T, d)  unit-norm embedding of the document as attended from there
    relevance         (T,)    how well the moment fits; only differences within one video mean something
    sentence_weights  (T, N)  attention over the document's sentences, rows sum to 1
    confidence        (N,)    chance that the moment claimed for a sentence is right; None if the encoder cannot tell
    fit                       chance that text and video belong together; None if the encoder cannot tell
    by_pictures               whether `fit` is told by what is seen, not by what is said
    lines             (L, 2)  when each spoken line begins and ends, seconds; None if nothing is known of them
    """

    times: Floats
    e_v: Floats
    e_d: Floats
    relevance: Floats
    sentence_weights: Floats
    document: tuple[str, ...]
    frames: int
    rate: Fraction
    encoder: str
    confidence: Floats | None = None
    fit: float | None = None
    by_pictures: bool = False
    lines: Doubles | None = None

    @classmethod
    def of(cls, encoder: str, video: Axis, document: Document, **found: Any) -> Alignment:
        """What an encoder of this name `found` (the five arrays, `confidence`, `fit`) about a video and a text."""
        return cls(
            **found, document=document.sentences, frames=video.frames, rate=Fraction(video.rate), encoder=encoder
        )

    def __post_init__(self) -> None:
        grid, sentences = len(self.times), len(self.document)
        if self.e_v.shape != self.e_d.shape or self.e_v.shape[:1] != (grid,):
            raise ValueError(f"e_v {self.e_v.shape} and e_d {self.e_d.shape} must both be ({grid}, d)")
        if self.relevance.shape != (grid,) or self.sentence_weights.shape != (grid, sentences):
            raise ValueError("relevance must be (T,) and sentence_weights (T, N)")
        if grid < 1 or self.frames < 1 or self.rate <= 0:
            raise ValueError("a video has at least one frame, a rate above 0 and one time of the grid")
        if not (np.isfinite(self.times).all() and np.all(np.diff(self.times) > 0)):
            raise ValueError("times must be finite and increasing")
        if not (np.isfinite(self.relevance).all() and np.isfinite(self.sentence_weights).all()):
            raise ValueError("relevance and sentence_weights must be finite")
        if self.lines is not None and (self.lines.shape[1:] != (2,) or not np.isfinite(self.lines).all()):
            raise ValueError("lines must be finite and (L, 2)")
        sure = np.zeros(sentences) if self.confidence is None else self.confidence
        chances = np.append(sure, 0.0 if self.fit is None else self.fit)
        if sure.shape != (sentences,) or not np.all((chances >= 0) & (chances <= 1)):
            raise ValueError("confidence must be (N,), and it and fit between 0 and 1")

    def with_lines(self, narration: Narration | None) -> Alignment:
        """A copy that knows when each line of a narration is spoken."""
        narration = narration and narration.spoken
        if not narration:
            return self
        return replace(self, lines=np.array([(float(cue.start), float(cue.end)) for cue in narration.cues]))

    @property
    def duration(self) -> float:
        """Length of the video, seconds."""
        return float(self.frames / self.rate)

    def frame_seconds(self) -> Doubles:
        """Time of every frame on the constant-rate axis that samplers work on, shape (frames,)."""
        return np.arange(self.frames) / float(self.rate)

    def relevance_per_frame(self) -> Doubles:
        """Relevance at every frame, linear between grid times, shape (frames,)."""
        return np.interp(self.frame_seconds(), self.times, self.relevance)

    def row_of_frame(self) -> NDArray[np.intp]:
        """The grid time nearest to each frame, the earlier of two equally near ones, shape (frames,)."""
        times = self.times.astype(np.float64)
        return np.searchsorted((times[1:] + times[:-1]) / 2, self.frame_seconds())

    def held_features(self) -> tuple[Floats, NDArray[np.intp]]:
        """e_v at the times at which it changes, (M, d), and which of these rows each frame shows, (frames,)."""
        e_v = np.asarray(self.e_v, np.float32)
        new = np.concatenate([[True], np.any(e_v[1:] != e_v[:-1], axis=1)])
        return e_v[new], (np.cumsum(new) - 1)[self.row_of_frame()]

    def found(self) -> Flags:
        """Whether each sentence has a moment that may be claimed, shape (N,); all if the encoder cannot tell."""
        if self.confidence is None:
            return np.ones(len(self.document), bool)
        return np.asarray(self.confidence >= FOUND)

    def sentence_at(self, seconds: Sequence[float]) -> list[int | None]:
        """The sentence each time belongs to, or None where the relevance is low: the text is not being followed."""
        between = (self.times[1:] + self.times[:-1]) / 2
        nearest = np.searchsorted(between, seconds)
        best = self.sentence_weights.argmax(1)
        fits = follows(self.relevance)
        return [int(best[i]) if fits[i] else None for i in nearest]

    def save(self, path: Path, *, overwrite: bool = True) -> None:
        """Write as npz, whole or not at all."""
        meta = {
            "schema": SCHEMA,
            "document": self.document,
            "frames": self.frames,
            "rate": str(self.rate),
            "encoder": self.encoder,
            "fit": self.fit,
            "by_pictures": self.by_pictures,
        }
        known = {"confidence": self.confidence, "lines": self.lines}
        sure: dict[str, Any] = {name: array for name, array in known.items() if array is not None}
        with whole_file(path, overwrite=overwrite) as part, part.open("wb") as file:
            np.savez_compressed(
                file,
                meta=np.array(json.dumps(meta)),
                times=self.times,
                e_v=self.e_v,
                e_d=self.e_d,
                relevance=self.relevance,
                sentence_weights=self.sentence_weights,
                **sure,
            )

    @classmethod
    def load(cls, path: Path) -> Alignment:
        """Read what `save` wrote."""
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                meta = json.loads(str(arrays["meta"]))
                if meta["schema"] != SCHEMA:
                    raise InputError(f"{path} is a {meta['schema']} file; this version reads {SCHEMA}.")
                return cls(
                    times=arrays["times"],
                    e_v=arrays["e_v"],
                    e_d=arrays["e_d"],
                    relevance=arrays["relevance"],
                    sentence_weights=arrays["sentence_weights"],
                    document=tuple(meta["document"]),
                    frames=int(meta["frames"]),
                    rate=Fraction(meta["rate"]),
                    encoder=meta["encoder"],
                    confidence=arrays.get("confidence"),
                    fit=meta.get("fit"),
                    by_pictures=meta.get("by_pictures", False),
                    lines=arrays.get("lines"),
                )
        except FileNotFoundError:
            raise InputError(f"There is no alignment file {path}.") from None
        except InputError:
            raise
        except Exception as error:  # a damaged archive of arrays raises whatever its readers do, of tokens even
            reason = " ".join(str(error).split())[:200]
            raise InputError(f"{path} is not an alignment file written by saffa ({reason}).") from None


def follows(relevance: Floats) -> Flags:
    """Where the text is being followed, by relevance alone, shape (T,)."""
    low, high = float(relevance.min()), float(relevance.max())
    return np.asarray(relevance > low + 0.4 * (high - low))
