"""The paper's Non-RL variant (ablation table): BoT's sampler over e_D·e_v instead of BoT's own score."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.narration import Narration
from saffa.core.selection import Selection, check_speed
from saffa.core.video import Axis, Video
from saffa.methods.base import Progress
from saffa.research.baselines.bot import GraphSampler, graph_frames
from saffa.research.baselines.footage import Footage, watch


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
