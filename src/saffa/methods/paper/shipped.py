"""The agents that come with saffa: which one reads the embeddings of which encoder."""

from __future__ import annotations

from functools import lru_cache

from saffa.core.errors import InputError
from saffa.encoders.registry import entry_of
from saffa.methods.paper.agent import Agent, Method
from saffa.methods.paper.loading import load_agent
from saffa.storage.models import ModelFolder, shipped_models


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
    """By name of the encoder, in the order of their names; further seeds (`NAME-1`, …) come after the first."""
    found: dict[str, ModelFolder] = {}
    for model in shipped_models():
        traits = model.facts.get("traits", {}) if model.kind == "agent" else {}
        if traits.get("method") == method:
            found.setdefault(str(traits["encoder"]), model)
    return found
