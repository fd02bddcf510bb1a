"""The `narrated` encoder: relevance from the timed words of a narration alone.

1. Every spoken word gets a time inside its line (`lexicon`).
2. What is said gives evidence for each sentence at each time. `narrated` weighs many clues, among them those of a
   network that reads passages; network and weights learned from the step boundaries of 217 cooking videos (`clues`,
   `passages`, `learned`): it is supervised. `narrated-plain` has learned
   nothing and asks only how near the words come to those of a sentence (`echo`).
3. The chain of steps (`step_hmm`) adds order and duration and bridges silence. It gives P(step k is shown at t), and
   their sum the relevance.

How the constants were chosen and what is measured: docs/method/narrated.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Doubles, Floats, Ints
from saffa.core.video import NO_SUBTITLES, Axis, Narration
from saffa.encoders.narrated.clues import Clues
from saffa.encoders.narrated.confidence import nearness, sentence_confidence, text_fit
from saffa.encoders.narrated.echo import gathered, word_evidence
from saffa.encoders.narrated.grid import Grid, sentence_weights
from saffa.encoders.narrated.learned import StepLengths, shipped_weights
from saffa.encoders.narrated.lexicon import Lexicon, SpokenWords, run_on, word_counts
from saffa.encoders.narrated.passages import Reads
from saffa.encoders.replay import Replay
from saffa.encoders.step_hmm import StepHmm
from saffa.encoders.words import unit

MIDDLE = 0.3
"""Weight of the plain encoder's preference for the middle: intros and outros are talk."""


@dataclass(frozen=True)
class NarratedEncoder:
    """Aligns a video with a text by what is said in it; not `learned` is the plain one."""

    learned: bool = True
    streaming: bool = True

    @property
    def name(self) -> str:
        """Name in `--encoder`."""
        return "narrated" if self.learned else "narrated-plain"

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """Align the whole narration; refuses a video without one."""
        heard = Heard.of(video, document, narration, learned=self.learned)
        shown = heard.shown(heard.evidence)
        weights = sentence_weights(shown, heard.groups, heard.lengths)
        return Alignment.of(
            self.name,
            video,
            document,
            times=heard.grid.times(),
            e_v=heard.grid.spoken_vectors(heard.lexicon, heard.times),
            e_d=unit(weights @ heard.lexicon.sentence_vectors()),
            relevance=heard.relevance(shown),
            sentence_weights=weights,
            **heard.certainty(shown),
        )

    def open(self, video: Axis, document: Document, narration: Narration | None) -> Replay:
        """For a video that is read once. A subtitle file is known as a whole before the first picture, and so used."""
        if narration is not None and not len(narration):
            raise InputError("The subtitles of a pipe come along with its pictures: use --encoder narrated-live.")
        return Replay(self.encode(video, document, narration))


@dataclass(frozen=True, eq=False)
class Heard:
    """Evidence of a narration about the steps, before their order is considered.

    `evidence` (T, G) holds log-likelihood ratios of each group of sentences in each cell of the grid; `times` (W,) are
    those of the spoken words.
    """

    grid: Grid
    groups: list[Ints]
    lexicon: Lexicon
    times: Floats
    evidence: Floats
    learned: bool

    @classmethod
    def of(cls, video: Axis, document: Document, narration: Narration | None, *, learned: bool = True) -> Heard:
        """Weigh every spoken word; InputError for a video without narration."""
        clues = clues_of(video, document, narration, cut_lines=learned)
        grid, groups, lexicon = clues.grid, list(clues.groups), clues.lexicon
        if learned:
            evidence = shipped_weights().evidence(clues)
        else:
            grouped = [np.concatenate([lexicon.sentences[k] for k in group]) for group in groups]
            evidence = gathered(grid, word_evidence(lexicon, grouped), lexicon.said, clues.times)
        return cls(grid, groups, lexicon, clues.times, evidence, learned)

    def shown(self, evidence: Floats) -> Floats:
        """Chance that each group is shown at each time, (T, G), from evidence of that shape."""
        if self.learned:
            return StepLengths.over(self.grid.cells, self.grid.seconds, self.group_lengths).posterior(evidence)[0]
        return StepHmm.over(self.grid.cells, self.group_lengths).posterior(evidence)

    def relevance(self, shown: Floats) -> Floats:
        """Chance that any step is shown, scaled to a top of 1, shape (T,).

        Its root: a moment that is likely enough should be worth nearly as much as a certain one, or all the slow time
        goes to the easiest steps. The plain encoder takes the chance itself and prefers the middle of the video.
        """
        chance = shown.sum(1)
        likely = chance / max(float(chance.max()), 1e-9)
        if self.learned:
            return np.asarray(np.sqrt(likely), np.float32)
        progress = self.grid.times() / (self.grid.cells * self.grid.seconds)
        return np.asarray((likely + MIDDLE * middle_preference(progress)) / (1 + MIDDLE), np.float32)

    def certainty(self, shown: Floats) -> dict[str, Any]:
        """Whether the text fits at all, and whether each sentence's best moment is right, as `Alignment` takes them."""
        near = nearness(self.lexicon.vectors, self.lexicon.said, self.lexicon.sentences)
        fit = text_fit(near, len(self.times))
        return {"fit": fit, "confidence": sentence_confidence(shown, self.grid.seconds, self.groups, fit)}

    @property
    def lengths(self) -> Doubles:
        """Words of each sentence, at least 1, shape (N,)."""
        return word_counts(self.lexicon.sentences)

    @property
    def group_lengths(self) -> Doubles:
        """Words of each group, at least 1, shape (G,)."""
        return grouped_lengths(self.lexicon, self.groups)


def clues_of(
    video: Axis,
    document: Document,
    narration: Narration | None,
    *,
    cut_lines: bool = True,
    reader: Reads | None = None,
) -> Clues:
    """What a narration says about a text; `cut_lines` lets lines that were cut run on. InputError without narration.

    `reader` reads its passages; None: the network that comes with saffa.
    """
    if narration is None or not len(narration):
        raise InputError(NO_SUBTITLES)
    duration = float(video.frames / video.rate)
    spoken = SpokenWords.of(run_on(narration.cues, duration) if cut_lines else narration.cues, duration)
    grid = Grid.of(duration, len(document))
    groups = grid.groups(len(document))
    texts = [" ".join(document.sentences[k] for k in group.tolist()) for group in groups]
    return Clues(grid, Lexicon.of(spoken.words, document), spoken.times, groups, texts, reader)


def grouped_lengths(lexicon: Lexicon, groups: list[Ints]) -> Doubles:
    """Words of each group of sentences, at least 1, shape (G,)."""
    return word_counts([np.concatenate([lexicon.sentences[k] for k in group]) for group in groups])


def middle_preference(progress: Floats) -> Floats:
    """1 in the middle of a video, near 0 at its ends; `progress` runs from 0 to 1, shape (T,)."""
    return np.asarray(np.exp(-0.5 * ((progress - 0.5) / 0.3) ** 4), np.float32)
