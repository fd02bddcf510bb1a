"""SAFFA and SFF-RL as published: an agent that walks through the video once and sees only where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.selection import Selection
from saffa.encoders.registry import entry_of
from saffa.methods.paper.agent import Agent, Method
from saffa.methods.paper.loading import load_agent
from saffa.methods.paper.online import PaperOnline
from saffa.methods.paper.rollouts import rollout
from saffa.storage.models import ModelFolder, shipped_models


@dataclass(frozen=True, eq=False)
class Saffa:
    """The skip-aware agent (paper §3.2), which steers towards the target speed.

    Without `agent` the one that comes with saffa for the encoder is taken.
    """

    agent: Agent | None = field(default=None, repr=False)
    name: str = "saffa-published"
    reads_text: bool = True

    @property
    def method(self) -> Method:
        """What the agent must have been trained as."""
        return "saffa"

    def __post_init__(self) -> None:
        if self.agent is not None and self.agent.traits.method != self.method:
            own = self.agent.traits.method
            raise InputError(f"The agent {self.agent.name} is for the method {own}, not for {self.method}.")

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Frame 0, where the walk begins, and every frame that the agent lands on.

        The agent's own list lacks frame 0; a one-frame video has no other.
        """
        roll = rollout(self._agent(alignment.encoder), alignment, speed)
        frames = np.unique(np.concatenate([[0], roll.selected]))
        return Selection(frames, alignment.frames, float(speed), self.name)

    def begin(
        self,
        frames: int,
        rate: Fraction,  # noqa: ARG002
        speed: float,
        encoder: str,
        known: Alignment | None = None,  # noqa: ARG002
    ) -> PaperOnline:
        """A walk through a video that is being read."""
        return PaperOnline(self._agent(encoder), frames, speed)

    def _agent(self, encoder: str) -> Agent:
        return self.agent or shipped_agent(self.method, encoder)


@dataclass(frozen=True, eq=False)
class SffRl(Saffa):
    """The agent before SAFFA, which walks by other rules; see `saffa.research.training.saffa.presets`."""

    name: str = "sff-rl"

    @property
    def method(self) -> Method:
        """What the agent must have been trained as."""
        return "sff-rl"


@lru_cache(maxsize=8)
def shipped_agent(method: Method, encoder: str) -> Agent:
    """The first seed's agent that learned from this encoder; InputError that says what to do if there is none."""
    known = _by_encoder(method)
    wanted = entry_of(encoder).space or encoder
    if wanted not in known:
        raise InputError(
            f"{method} as published comes trained for the encoders {', '.join(known)}, not for {encoder}. Use --method "
            "saffa, which reads any encoder, or another --encoder; or train an agent and name it with --agent."
        )
    return load_agent(known[wanted].path)


def _by_encoder(method: Method) -> dict[str, ModelFolder]:
    """Shipped agents by their encoder, in the order of names; further seeds (`NAME-1`, …) come after the first."""
    found: dict[str, ModelFolder] = {}
    for model in shipped_models():
        traits = model.facts.get("traits", {}) if model.kind == "agent" else {}
        if traits.get("method") == method:
            found.setdefault(str(traits["encoder"]), model)
    return found
