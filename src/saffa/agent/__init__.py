"""The fast-forward agent: dynamics, state, environment, policy, learning.

`saffa.agent.rollout(agent, embeddings, target_speed=12)` runs one over a video's embeddings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saffa.methods.paper.rollouts import Rollout, rollout
    from saffa.research.training.saffa.registration import register
    from saffa.research.training.saffa.training import train_agent

_HOMES = {
    "Rollout": "saffa.methods.paper.rollouts",
    "register": "saffa.research.training.saffa.registration",
    "rollout": "saffa.methods.paper.rollouts",
    "train_agent": "saffa.research.training.saffa.training",
}

__all__ = ["Rollout", "register", "rollout", "train_agent"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'saffa.agent' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
