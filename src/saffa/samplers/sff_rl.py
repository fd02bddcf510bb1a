"""SFF-RL (CVPR 2020) as a sampler: it follows the text and disregards the target speed, except as its start."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from saffa.agent.agent import Agent
from saffa.agent.online import PaperOnline
from saffa.alignment import Alignment
from saffa.samplers.saffa import check_method, select
from saffa.selection import Selection


@dataclass(frozen=True, eq=False)
class SffRl:
    """The agent before SAFFA; see `saffa.agent.sff_rl`."""

    agent: Agent = field(repr=False)
    name: str = "sff-rl"
    reads_text: bool = True

    def __post_init__(self) -> None:
        check_method(self.agent, "sff-rl")

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Frame 0, where the walk begins, and every frame that the agent lands on."""
        return select(self.agent, alignment, speed, self.name)

    def begin(self, frames: int, rate: Fraction, speed: float, encoder: str) -> PaperOnline:  # noqa: ARG002
        """A walk through a video that is being read."""
        return PaperOnline(self.agent, frames, speed)
