"""Tell gymnasium about the environment: when its module is imported, and on `import saffa` after gymnasium."""

from __future__ import annotations

ENV_ID = "saffa/FastForward-v0"


def register() -> None:
    """Make `gymnasium.make("saffa/FastForward-v0", embeddings=…)` work; calling it again does no harm."""
    from gymnasium.envs import registration  # noqa: PLC0415

    if ENV_ID not in registration.registry:
        registration.register(id=ENV_ID, entry_point="saffa.research.training.saffa.env:FastForwardEnv")
