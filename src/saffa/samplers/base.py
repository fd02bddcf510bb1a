"""One protocol for all methods: (Alignment, target speed) → Selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from saffa.alignment import Alignment
from saffa.errors import InputError
from saffa.selection import Selection


@dataclass(frozen=True)
class Settings:
    """What a user may choose beside the speed; methods ignore what does not concern them."""

    balance: float | None = None
    min_speed: float | None = None
    max_speed: float | None = None
    agent: str | None = None


class Sampler(Protocol):
    """A way to choose frames."""

    @property
    def name(self) -> str:
        """As in `--method`."""

    @property
    def reads_text(self) -> bool:
        """Whether the alignment matters to it at all."""

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Choose about `alignment.frames / speed` frames."""


def load_sampler(method: str, settings: Settings | None = None) -> Sampler:
    """The sampler of that name."""
    settings = settings or Settings()
    try:
        make = _makers()[method]
    except KeyError:
        raise InputError(f"Unknown method {method!r}. Use one of: {', '.join(_makers())}.") from None
    return make(settings)


def _makers() -> dict[str, Callable[[Settings], Sampler]]:
    from saffa.samplers.plan import Plan  # noqa: PLC0415
    from saffa.samplers.saffa_plus import SaffaPlus  # noqa: PLC0415
    from saffa.samplers.uniform import Uniform  # noqa: PLC0415

    return {
        "plan": lambda chosen: Plan(chosen.balance, chosen.min_speed, chosen.max_speed),
        "saffa": lambda chosen: _agent_sampler("saffa", chosen.agent),
        "saffa+": lambda _: SaffaPlus(),
        "sff-rl": lambda chosen: _agent_sampler("sff-rl", chosen.agent),
        "uniform": lambda _: Uniform(),
    }


def _agent_sampler(method: str, agent: str | None) -> Sampler:
    from saffa.agent.loading import load_agent  # noqa: PLC0415
    from saffa.samplers.saffa import Saffa  # noqa: PLC0415
    from saffa.samplers.sff_rl import SffRl  # noqa: PLC0415

    if agent is None:
        raise InputError(f"The method {method} needs a trained agent: give one with --agent NAME or PATH.")
    return Saffa(load_agent(agent)) if method == "saffa" else SffRl(load_agent(agent))
