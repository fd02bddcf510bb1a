"""BoT (Ramos et al., WACV 2020) with a MIFF-style sampler: no code of BoT is public, so method_bot.md §5 is built.

1. Score of every frame, 0..100: bags of topics (`topics`) where the frames have words, else the encoder's relevance.
2. Ranges of high score and a speed for each level (`ranges`).
3. Shortest path through a graph of jumps (`skip_graph`): instability and velocity from block flow, appearance,
   semantics. Without pictures there is no flow: the "A+M only" variant, appearance = distance of features.
4. The weights of these terms are searched for each video (`graph_search`).

The paper's Non-RL variant (ablation table) is the same sampler over e_D·e_v.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.selection import Selection, check_speed
from saffa.core.types import Doubles, Ints, Share
from saffa.core.video import Axis, Narration, Video
from saffa.research.baselines.appearance import Appearance
from saffa.research.baselines.block_flow import BlockFlow
from saffa.research.baselines.footage import Footage, watch
from saffa.research.baselines.graph_search import Goal, searched_path
from saffa.research.baselines.ranges import level_speeds, scaled_score, score_ranges
from saffa.research.baselines.skip_graph import REACH, SkipGraph, semantic_term
from saffa.research.baselines.topics import FrameWords

ABSORB = 50
"""Frames: shorter gaps between ranges go to their neighbour."""


@dataclass(frozen=True, eq=False)
class GraphSampler:
    """The sampler alone, for any score."""

    seed: int = 0

    def frames(
        self, score: Doubles, rate: float, speed: float, appearance: Appearance, flow: BlockFlow | None = None
    ) -> Ints:
        """Selected frames for a score of every frame, (F,)."""
        count = len(score)
        reach = min(REACH, count - 1)
        if reach < 1:
            return np.zeros(1, np.int64)
        score = scaled_score(score)
        ranges = score_ranges(score, rate, ABSORB)
        speeds = level_speeds(ranges, speed)
        terms = [appearance.band(reach), semantic_term(score, reach)]
        goal = Goal(score, speed)
        if flow is not None:
            focus = flow.focus(reach)
            terms += [flow.instability(focus), flow.velocity(reach, speed)]
            goal = Goal(score, speed, focus)
        graph = SkipGraph.of(terms)
        return searched_path(graph, ranges, speeds, goal, self.seed)


@dataclass(frozen=True, eq=False)
class GraphMethod:
    """A method that plans over the whole video with a score of its own, on the pictures that `watching` gives."""

    sampler: GraphSampler = field(default_factory=GraphSampler)
    footage: Footage | None = field(default=None, repr=False)
    name: str = ""
    reads_text: bool = True

    def watching(self, video: Axis, narration: Narration | None, progress: Share) -> Self:  # noqa: ARG002
        """This method, ready for what the video shows."""
        return replace(self, footage=watch(video, progress) if isinstance(video, Video) else None)

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Select frames by the score; the name says what the score and the terms of the graph were."""
        speed, rate = check_speed(speed), float(alignment.rate)
        score, told = self.score(alignment)
        if self.footage is None:
            frames = self.sampler.frames(score, rate, speed, Appearance.of_features(alignment))
        else:
            frames = self.sampler.frames(score, rate, speed, self.footage.colours, self.footage.flow)
        terms = "A+M only" if self.footage is None else "F+V+A+M"
        return Selection(frames, alignment.frames, speed, f"{self.name} ({told}MIFF-style, {terms})")

    def score(self, alignment: Alignment) -> tuple[Doubles, str]:
        """How interesting each frame is, (F,), and what that is called."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Bot(GraphMethod):
    """Reads the frames' words and pictures where they are given by `watching`."""

    words: FrameWords | None = field(default=None, repr=False)
    name: str = "bot"

    def watching(self, video: Axis, narration: Narration | None, progress: Share) -> Self:
        """This method, ready for what the video shows and says."""
        words = FrameWords.of(narration, float(video.frames / video.rate)) if narration else None
        return replace(super().watching(video, narration, progress), words=words)

    def score(self, alignment: Alignment) -> tuple[Doubles, str]:
        """Topics of what is said, where something is; else relevance."""
        if self.words is not None:
            return self.words.scores(alignment.document, alignment.frame_seconds()), "topics, "
        return alignment.relevance[alignment.row_of_frame()].astype(np.float64), "relevance, "


@dataclass(frozen=True, eq=False)
class NonRl(GraphMethod):
    """The graph sampler with the agent's own signal."""

    name: str = "non-rl"

    def score(self, alignment: Alignment) -> tuple[Doubles, str]:
        """The e_D·e_v of each frame's grid time."""
        fit = np.einsum("td,td->t", alignment.e_d, alignment.e_v, dtype=np.float64)
        return fit[alignment.row_of_frame()], ""
