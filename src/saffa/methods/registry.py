"""All methods by name: how each is made, and what it can do.

A new method is one file and one entry here; an object with a `select` of your own may also be given wherever a name is
(docs/extending.md). Methods of `research` are named by string, so that nothing here depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

from saffa.core.errors import InputError
from saffa.methods.base import Sampler, Settings

AGENT = "an agent trained with the encoder (one that comes with saffa, or --agent)"
LABELS = "a model trained with the encoder (`saffa train ffnet`)"
PICTURES = "for video files: OpenCV (saffa[baselines])"


@dataclass(frozen=True)
class Method:
    """A way to choose frames, as `--method` and the tables know it."""

    name: str
    label: str
    """Label in a table: what it is, and what stands in for parts that are not at hand."""
    make: Callable[[Settings], Sampler] = field(repr=False)
    trained: bool = False
    """Learned from videos: report several seeds."""
    supervised: bool = False
    """Learned from their step boundaries."""
    meets_speed: bool = True
    """Whether it tries to meet the target speed."""
    keeps_length: bool = False
    """Whether it meets the length to the frame."""
    needs: str = ""
    """What it needs beside an alignment, for people."""
    uses: tuple[str, ...] = ()
    """The settings that change anything."""
    auto_encoder: str = "auto"
    """What `--encoder auto` takes on a file: agents of the papers read only the embeddings that they learned with."""


def methods() -> dict[str, Method]:
    """All of them, in the order of the tables."""
    agent, plan = ("agent",), ("balance", "min_speed", "max_speed", "ramp", "whole_lines")
    published: dict[str, Any] = {"needs": AGENT, "uses": agent, "auto_encoder": "narrated"}
    known = (
        Method("uniform", "Uniform", _uniform, keeps_length=True),
        Method("ffnet", "FFNet (supervised)", _ffnet, True, True, meets_speed=False, needs=LABELS, uses=agent),
        Method("sas", "SAS (features for YOLO)", partial(_baseline, "sas:Sas"), needs=PICTURES),
        Method("sasv2", "SASv2 (features for YOLO)", partial(_baseline, "sasv2:SasV2"), needs=PICTURES),
        Method("bot", "BoT (MIFF-style sampler)", partial(_baseline, "bot:Bot"), needs=PICTURES),
        Method("non-rl", "Non-RL (MIFF-style sampler)", partial(_baseline, "bot:NonRl"), needs=PICTURES),
        Method("sff-rl", "SFF-RL", _sff_rl, trained=True, meets_speed=False, **published),
        Method("saffa-published", "SAFFA (as published)", _published_saffa, trained=True, **published),
        Method("saffa", "SAFFA (compact state)", _saffa, trained=True, keeps_length=True, uses=agent),
        Method("saffa+", "another name of saffa", partial(_saffa, name="saffa+"), trained=True, keeps_length=True),
        Method("plan", "Planner", _plan, keeps_length=True, uses=plan),
    )
    return {method.name: method for method in known}


def load_sampler(method: str, settings: Settings | None = None) -> Sampler:
    """The method of that name, ready to select."""
    known = methods()
    if method not in known:
        raise InputError(f"Unknown method {method!r}. Use one of: {', '.join(known)}.")
    return known[method].make(settings or Settings())


def unused_settings(method: str, settings: Settings) -> tuple[str, ...]:
    """A warning for what was chosen and changes nothing with this method, or none."""
    uses = methods()[method].uses
    idle = [name for name, value in asdict(settings).items() if value is not None and name not in uses]
    if not idle:
        return ()
    flags = " and ".join(f"--{name.replace('_', '-')}" for name in idle)
    return (f"{flags} {'changes' if len(idle) == 1 else 'change'} nothing with --method {method}.",)


def _uniform(_: Settings) -> Sampler:
    from saffa.methods.uniform import Uniform  # noqa: PLC0415

    return Uniform()


def _plan(chosen: Settings) -> Sampler:
    from saffa.methods.planner.plan import Plan  # noqa: PLC0415 (numba)

    whole = chosen.whole_lines is not False
    return Plan(chosen.balance, chosen.min_speed, chosen.max_speed, ramp=chosen.ramp or "normal", whole_lines=whole)


def _saffa(chosen: Settings, name: str = "saffa") -> Sampler:
    """The compact agent that comes with saffa; or the one that is named, of either kind."""
    from saffa.methods.paper.compact import CompactSaffa, find_compact, shipped_agent  # noqa: PLC0415 (numba)

    agent = chosen.agent if name == "saffa" else None
    found = shipped_agent() if agent is None else find_compact(agent)
    return CompactSaffa(found, name) if found is not None else _published_saffa(chosen)


def _published_saffa(chosen: Settings) -> Sampler:
    from saffa.methods.paper.loading import load_agent  # noqa: PLC0415
    from saffa.methods.paper.saffa import Saffa  # noqa: PLC0415

    return Saffa(None if chosen.agent is None else load_agent(chosen.agent))


def _sff_rl(chosen: Settings) -> Sampler:
    from saffa.methods.paper.loading import load_agent  # noqa: PLC0415
    from saffa.methods.paper.saffa import SffRl  # noqa: PLC0415

    return SffRl(None if chosen.agent is None else load_agent(chosen.agent))


def _ffnet(chosen: Settings) -> Sampler:
    made: Sampler = import_module("saffa.research.baselines.ffnet").Ffnet(chosen.agent)
    return made


def _baseline(place: str, chosen: Settings) -> Sampler:  # noqa: ARG001
    """A method of the paper's comparison; imported when it is made, most compile their loops."""
    module, _, name = place.partition(":")
    made: Sampler = getattr(import_module(f"saffa.research.baselines.{module}"), name)()
    return made
