"""gymnasium's way to the environment by module: `gymnasium.make("saffa.agent.env:saffa/FastForward-v0", …)`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module("saffa.research.training.saffa.env"), name)


import_module("saffa.research.training.saffa.registration").register()
