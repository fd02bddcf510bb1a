"""The fast-forward agent: dynamics, state, environment, policy, learning.

`saffa.agent.rollout(agent, embeddings, target_speed=12)` runs one over a video's embeddings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saffa.agent.registration import register
    from saffa.agent.rollouts import Rollout, rollout
    from saffa.agent.training import train_agent

_HOMES = {
    "Rollout": "saffa.agent.rollouts",
    "register": "saffa.agent.registration",
    "rollout": "saffa.agent.rollouts",
    "train_agent": "saffa.agent.training",
}

__all__ = ["Rollout", "register", "rollout", "train_agent"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'saffa.agent' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
