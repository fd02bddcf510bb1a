"""Everything that decides a training run, so that a checkpoint can tell whether it continues the same one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from saffa.core.errors import InputError
from saffa.core.selection import check_speed
from saffa.methods.dynamics import Variant
from saffa.methods.paper.agent import RULES, Method, Traits
from saffa.methods.paper.compact import Signal
from saffa.methods.paper.episode import SPEEDS
from saffa.methods.paper.observation import Observation
from saffa.research.training.saffa.reinforce import Learning
from saffa.research.training.saffa.reward import Reward

State = Literal["published", "compact"]
Signals = Signal | Literal["both"]


@dataclass(frozen=True)
class AgentSettings:
    """The defaults are the authors' for SAFFA (method.md A5, A6); `presets.SFF_RL` are those of SFF-RL."""

    method: Method = "saffa"
    position: bool = True
    """Whether the state has NRPE."""
    skip: bool = True
    """Whether the state has the one-hot vector of the average skip."""
    variant: Variant = "code"
    """Order of the dynamics."""
    reward: Reward = field(default_factory=Reward)
    learning: Learning = field(default_factory=Learning)
    state: State = "published"
    """What the agent sees: [e_D ; e_v ; NRPE ; one-hot], or the compact state (`methods/paper/compact_walk.py`)."""
    signal: Signals = "relevance"
    """What the compact state reads and is paid for: relevance, e_D·e_v, or each in videos of its own."""
    hidden: tuple[int, int] = (256, 128)
    """Widths of the hidden layers of the compact state's networks; the published ones are always 256 and 128."""
    look_ahead: bool = True
    """Whether the compact state sees what is to come (two passes), or the past alone (a single pass)."""
    keep_length: bool = True
    """Whether the compact agent is kept from actions after which S* is out of reach (`limits.py`)."""
    episodes: int = 1
    """Episodes of each video and S* in an update: their mean is the baseline where `learning.group` is set."""
    speeds: tuple[float, float] = SPEEDS
    """S* is a whole number drawn from this range for every episode; a range of one value fixes it."""
    epochs: int = 100
    batch: int | None = 1
    """Videos per update, over all workers; None: all of them."""
    seed: int = 0
    snapshot: int = 10
    """Keep a checkpoint every so many epochs."""

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "snapshot", "episodes"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} must be 1 or more, not {value}.")
        if self.learning.group and self.episodes < 2:
            raise InputError("The group's mean as baseline needs 2 episodes per video or more.")
        if self.seed < 0:
            raise InputError(f"seed must be 0 or more, not {self.seed}.")
        low, high = map(check_speed, self.speeds)
        if low > high:
            raise InputError(f"Target speeds from {low:g} to {high:g} are not a range.")

    def traits(self, embedding: int, encoder: str = "") -> Traits:
        """Traits of the agent that comes out, for embeddings of width 2d."""
        rules = replace(RULES[self.method], variant=self.variant)
        return Traits(Observation(embedding, self.position, self.skip), rules, self.method, encoder)

    @property
    def scheduled(self) -> bool:
        """Whether what an epoch does depends on how many there will be."""
        return self.reward.first_sigma is not None or self.learning.last_lr != 1

    def to_json(self) -> dict[str, Any]:
        """These settings as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AgentSettings:
        """Read what `to_json` wrote."""
        try:
            parts: dict[str, Any] = {
                "reward": Reward(**data["reward"]),
                "learning": Learning(**data["learning"]),
                "speeds": tuple(data["speeds"]),
                "hidden": tuple(data.get("hidden", cls.hidden)),
            }
            return cls(**(dict(data) | parts))
        except (TypeError, KeyError, ValueError) as error:
            raise InputError(f"These are not the settings of a training run ({error}).") from None
