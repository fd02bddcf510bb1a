"""The `fused` encoder: one relevance from what is said and what is seen.

Both sides speak the same language, log-likelihood ratios "step k is shown" for each second, and the rule is to add
them, as of two witnesses. Ordinary talk and silence have a ratio near 0, matching words a large one, and that of a
picture is bounded: so the narration counts more where people say matching things. Where they speak at all, a picture
is trusted a quarter of what it is trusted where they are silent. The sum goes through the chain of steps, and
relevance is read from it as in `narrated`.

An embedding has two halves, [words ; pictures], each of length √½: e_d · e_v is the mean of both agreements.

The constants were chosen on narrated training videos of YouCook2 with frames put in for pictures
(docs/method/visual.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.types import Floats
from saffa.core.video import Axis, Narration, Video
from saffa.encoders.base import Reading
from saffa.encoders.narrated.encoder import Heard, NarratedEncoder
from saffa.encoders.narrated.grid import sentence_weights, smooth
from saffa.encoders.narrated.live import NarratedLiveEncoder
from saffa.encoders.narrated.passages import close_reader
from saffa.encoders.visual.confidence import certainty
from saffa.encoders.visual.encoder import VisualEncoder
from saffa.encoders.visual.evidence import VisualEvidence, Weighing, chance
from saffa.encoders.visual.shared_space import attend
from saffa.encoders.words import unit

NOW = 0.3
"""Share of the relevance that is what a moment says by itself, whatever the order of the steps."""
BESIDE_WORDS = Weighing(usual=1.0, limit=2.0, trust=1.0)
SPEAKING, SILENT = 0.05, 0.2
"""Trust in a picture where people speak, and where they do not."""
TALK, AROUND = 0.3, 25.0
"""Words a second that are talk, and seconds (a standard deviation) over which they are counted."""


@dataclass(frozen=True, eq=False)
class FusedEncoder:
    """Aligns a video with a text by what is said and seen in it; needs a narration."""

    visual: VisualEncoder = field(default_factory=VisualEncoder)
    name: str = "fused"
    streaming: bool = False

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """Align the whole video."""
        heard = Heard.of(video, document, narration)
        close_reader()  # looking at the video needs the room
        sight = VisualEvidence.of(self.visual.model, document)
        images = self.visual.images(video, heard.grid)
        evidence = heard.evidence + trust(heard) * level(sight.evidence(images, heard.groups, BESIDE_WORDS))
        shown = heard.shown(evidence)
        weights = sentence_weights(shown, heard.groups, heard.lengths)
        return Alignment.of(
            self.name,
            video,
            document,
            times=heard.grid.times(),
            e_v=joined(heard.grid.spoken_vectors(heard.lexicon, heard.times), images),
            e_d=joined(
                unit(weights @ heard.lexicon.sentence_vectors()),
                attend(images, sight.sentences, self.visual.model.sharpness).documents,
            ),
            relevance=(1 - NOW) * heard.relevance(shown) + NOW * chance(evidence),
            sentence_weights=weights,
            **self.certainty(heard, sight, images, shown),
        )

    @staticmethod
    def certainty(heard: Heard, sight: VisualEvidence, images: Floats, shown: Floats) -> dict[str, Any]:
        """Fit and confidence by the narration, or by the pictures if these are surer of the part without speech.

        So pictures only add: they speak up for a text of which nothing is said, and against none.
        """
        told = heard.certainty(shown)
        silence = float((trust(heard) - SPEAKING).mean() / (SILENT - SPEAKING))
        seen = certainty(sight, images, shown, heard.grid.seconds, heard.groups)
        if silence * seen.get("fit", 0.0) <= told["fit"]:
            return told
        return {**seen, "fit": silence * seen["fit"], "confidence": silence * seen["confidence"]}


@dataclass(frozen=True, eq=False)
class AutoEncoder:
    """`auto`: what the file offers. With a narration both ears and eyes, without one the eyes."""

    visual: VisualEncoder = field(default_factory=VisualEncoder)
    name: str = "auto"
    streaming: bool = True

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """Align with the encoder that fits; the alignment tells which one it was."""
        if narration is None or not len(narration):
            return self.visual.encode(video, document, narration)
        if not isinstance(video, Video):  # a benchmark's entry: words, no pictures
            return NarratedEncoder().encode(video, document, narration)
        return FusedEncoder(self.visual).encode(video, document, narration)

    def open(self, video: Axis, document: Document, narration: Narration | None) -> Reading:
        """Begin to read a video: along its narration, known beforehand or coming along, else by its pictures."""
        if narration is None:
            return self.visual.open(video, document, narration)
        listener = NarratedEncoder() if len(narration) else NarratedLiveEncoder()
        return listener.open(video, document, narration)


def trust(heard: Heard) -> Floats:
    """Trust in the pictures of each cell, (T, 1): little where people speak."""
    words = np.zeros((heard.grid.cells, 1), np.float32)
    np.add.at(words, heard.grid.places(heard.times), 1 / heard.grid.seconds)
    talk = np.minimum(smooth(words, AROUND / heard.grid.seconds) / TALK, 1.0)
    return np.asarray(SPEAKING * talk + SILENT * (1 - talk), np.float32)


def level(evidence: Floats) -> Floats:
    """The evidence of pictures (T, G), its mean over time drawn towards 0 where they hardly differ.

    What looks the same from beginning to end says nothing about when: over a long video with a still picture it would
    drown what is said.
    """
    differs = np.minimum(evidence.std(0), 1.0) ** 2
    return np.asarray(evidence - (1 - differs) * evidence.mean(0), np.float32)


def joined(first: Floats, second: Floats) -> Floats:
    """Unit vectors (T, a) and (T, b) side by side, each counting half: (T, a + b), unit norm."""
    return np.concatenate([first, second], axis=1) * np.float32(np.sqrt(0.5))
