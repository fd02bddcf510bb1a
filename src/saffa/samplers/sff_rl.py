"""SFF-RL (CVPR 2020) as a sampler: it follows the text and disregards the target speed, except as its start."""

from __future__ import annotations

from dataclasses import dataclass

from saffa.agent.agent import Method
from saffa.samplers.saffa import Saffa


@dataclass(frozen=True, eq=False)
class SffRl(Saffa):
    """The agent before SAFFA, which walks by other rules; see `saffa.agent.sff_rl`."""

    name: Method = "sff-rl"
