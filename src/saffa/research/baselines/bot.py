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

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import Alignment
from saffa.core.narration import Narration
from saffa.core.selection import Selection, check_speed
from saffa.core.types import Doubles
from saffa.core.video import Axis, Video
from saffa.methods.base import Progress
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
    ) -> NDArray[np.int64]:
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
class Bot:
    """Reads the frames' words and pictures where they are given by `watching`."""

    sampler: GraphSampler = field(default_factory=GraphSampler)
    words: FrameWords | None = field(default=None, repr=False)
    footage: Footage | None = field(default=None, repr=False)
    name: str = "bot"
    reads_text: bool = True

    def watching(self, video: Axis, narration: Narration | None, progress: Progress) -> Bot:
        """The same with what this video shows and says."""
        words = FrameWords.of(narration, float(video.frames / video.rate)) if narration else None
        footage = watch(video, progress) if isinstance(video, Video) else None
        return replace(self, words=words, footage=footage)

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Plan over the whole video; the name says what the score and the terms were."""
        speed = check_speed(speed)
        if self.words is not None:
            score = self.words.scores(alignment.document, alignment.frame_seconds())
        else:
            score = alignment.relevance[alignment.row_of_frame()].astype(np.float64)
        frames = graph_frames(self.sampler, score, alignment, speed, self.footage)
        told = "topics" if self.words is not None else "relevance"
        terms = "A+M only" if self.footage is None else "F+V+A+M"
        return Selection(frames, alignment.frames, speed, f"{self.name} ({told}, MIFF-style, {terms})")


def graph_frames(
    sampler: GraphSampler, score: Doubles, alignment: Alignment, speed: float, footage: Footage | None
) -> NDArray[np.int64]:
    """From pictures where they were watched, else from the encoder's features."""
    rate = float(alignment.rate)
    if footage is None:
        return sampler.frames(score, rate, speed, Appearance.of_features(alignment))
    return sampler.frames(score, rate, speed, footage.colours, footage.flow)


@dataclass(frozen=True, eq=False)
class NonRl:
    """The graph sampler with the agent's own signal."""

    sampler: GraphSampler = field(default_factory=GraphSampler)
    footage: Footage | None = field(default=None, repr=False)
    name: str = "non-rl"
    reads_text: bool = True

    def watching(self, video: Axis, narration: Narration | None, progress: Progress) -> NonRl:  # noqa: ARG002
        """The same with what this video shows."""
        return replace(self, footage=watch(video, progress) if isinstance(video, Video) else None)

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Plan over the whole video; each frame has the e_D·e_v of its grid time."""
        speed = check_speed(speed)
        fit = np.einsum("td,td->t", alignment.e_d, alignment.e_v, dtype=np.float64)
        frames = graph_frames(self.sampler, fit[alignment.row_of_frame()], alignment, speed, self.footage)
        terms = "A+M only" if self.footage is None else "F+V+A+M"
        return Selection(frames, alignment.frames, speed, f"{self.name} (MIFF-style, {terms})")
