"""A trained agent: its networks, what it sees and the rules it walks by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.methods.dynamics import ACTIONS
from saffa.methods.paper.episode import Rules
from saffa.methods.paper.observation import POSITION, SKIP, Observation
from saffa.methods.paper.policy import Mlp, softmax

Method = Literal["saffa", "sff-rl"]
SFF_RL_VELOCITY = 20
RULES: dict[Method, Rules] = {
    "saffa": Rules(),
    "sff-rl": Rules(variant="paper", max_velocity=SFF_RL_VELOCITY, keeps_end=False),
}


@dataclass(frozen=True)
class Traits:
    """What an agent is, beside its weights; stored with them. `encoder` names whose embeddings it learned from."""

    observation: Observation = field(default_factory=Observation)
    rules: Rules = field(default_factory=Rules)
    method: Method = "saffa"
    encoder: str = ""

    def to_json(self) -> dict[str, Any]:
        """The traits as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Traits:
        """What `to_json` wrote."""
        try:
            parts = {"observation": Observation(**data["observation"]), "rules": Rules(**data["rules"])}
            return cls(**(dict(data) | parts))
        except (TypeError, KeyError, ValueError) as error:
            raise InputError(f"These are not the traits of an agent ({error}).") from None

    @classmethod
    def of_width(cls, width: int, method: Method) -> Traits:
        """The published agents, told by the width of their state: 356 is the full one, 256 has embeddings alone."""
        published = Observation().embedding
        if method == "sff-rl" or width == published:
            return cls(Observation(width, position=False, skip=False), RULES[method], method)
        if width == published + POSITION:
            raise InputError(
                f"An agent with {width} inputs has either the position or the skip part, and its file does not say "
                "which. Say it: load_agent(path, observation=Observation(position=…, skip=…))."
            )
        return cls(Observation(width - POSITION - SKIP), RULES[method], method)


@dataclass(frozen=True, eq=False)
class Agent:
    """Policy and, where it is known, critic. Inference is NumPy."""

    policy: Mlp
    critic: Mlp | None = None
    traits: Traits = Traits()
    name: str = "saffa"

    def __post_init__(self) -> None:
        wanted = self.traits.observation.width
        for network in (self.policy, self.critic):
            if network is not None and network.inputs != wanted:
                raise InputError(f"The agent's networks take {network.inputs} numbers, but its state has {wanted}.")
        if self.policy.outputs != len(ACTIONS):
            raise InputError(f"A policy has {len(ACTIONS)} actions, this one {self.policy.outputs}.")

    @property
    def observation(self) -> Observation:
        """What it sees."""
        return self.traits.observation

    @property
    def rules(self) -> Rules:
        """How it walks."""
        return self.traits.rules

    def probabilities(self, states: Floats) -> Floats:
        """π(a|s) for states (width,) or (n, width): (3,) or (n, 3), in the order accelerate, nothing, decelerate."""
        return softmax(self.policy(states))

    def values(self, states: Floats) -> Floats:
        """v(s) for states (n, width), shape (n,)."""
        if self.critic is None:
            raise InputError(f"The agent {self.name} came without its critic.")
        return self.critic(states)[..., 0]

    def check_width(self, width: int) -> None:
        """InputError unless embeddings of that width (2d) are what it learned from."""
        wanted = self.observation.embedding
        if width != wanted:
            known = f" It was trained with the encoder {self.traits.encoder}." if self.traits.encoder else ""
            raise InputError(
                f"The agent {self.name} reads embeddings of width {wanted // 2}, but these have {width // 2}.{known} "
                "Use the encoder that it was trained with."
            )

    def tensors(self) -> dict[str, Floats]:
        """All weights by their published names, `policy.` and `critic.` before them."""
        return self.policy.tensors("policy") | ({} if self.critic is None else self.critic.tensors("critic"))

    @classmethod
    def of_tensors(cls, tensors: Mapping[str, Floats], traits: Traits, name: str) -> Agent:
        """Build an agent from what `tensors` gives."""
        for key, array in tensors.items():
            if not np.isfinite(array).all():
                raise InputError(f"The agent {name} is not usable: {key} has values that are not finite.")
        has_critic = any(key.startswith("critic.") for key in tensors)
        critic = Mlp.of_tensors(tensors, "critic") if has_critic else None
        return cls(Mlp.of_tensors(tensors, "policy"), critic, traits, name)
