"""One protocol for all methods: (Alignment, target speed) → Selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.narration import Narration
from saffa.core.selection import Selection
from saffa.core.video import Axis

if TYPE_CHECKING:
    from saffa.methods.paper.online import OnlineAgent


Progress = Callable[[float], None]


@dataclass(frozen=True)
class Settings:
    """What a user may choose beside the speed; methods ignore what does not concern them."""

    balance: float | None = None
    min_speed: float | None = None
    max_speed: float | None = None
    agent: str | None = None
    ramp: str | None = None


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


@runtime_checkable
class OnlineSampler(Sampler, Protocol):
    """A method that needs no look at what is to come: it can choose while the video is being read."""

    def begin(
        self, frames: int, rate: Fraction, speed: float, encoder: str, known: Alignment | None = None
    ) -> OnlineAgent:
        """A walk through a video of (probably) so many frames; `encoder` names who will answer.

        `known`: all answers, where they are known before the first picture (subtitles in a file).
        """


@runtime_checkable
class Watching(Protocol):
    """A sampler that wants more of a video than its alignment: pictures, or what is said."""

    def watching(self, video: Axis, narration: Narration | None, progress: Progress) -> Sampler:
        """The same sampler for this one video."""


def watched(sampler: Sampler, video: Axis, narration: Narration | None, progress: Progress = lambda _: None) -> Sampler:
    """The sampler, shown the video if it wants to see it; `progress` hears the share done, 0 to 1."""
    return sampler.watching(video, narration, progress) if isinstance(sampler, Watching) else sampler


@dataclass(frozen=True)
class Method:
    """A way to choose frames, as `--method` and the tables know it."""

    name: str
    label: str
    """As in a table: what it is, and what stands in for parts that are not at hand."""
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
    heeds: tuple[str, ...] = ()
    """The settings that change anything."""


AGENT = "an agent trained with the encoder (one that comes with saffa, or --agent)"


def methods() -> dict[str, Method]:
    """All methods by name, in the order of the tables."""
    from saffa.methods.planner.plan import Plan  # noqa: PLC0415
    from saffa.methods.uniform import Uniform  # noqa: PLC0415

    known = (
        Method("uniform", "Uniform", lambda _: Uniform(), keeps_length=True),
        *_baselines(),
        Method(
            "sff-rl",
            "SFF-RL",
            lambda chosen: _agent_sampler("sff-rl", chosen.agent),
            trained=True,
            meets_speed=False,
            needs=AGENT,
            heeds=("agent",),
        ),
        Method(
            "saffa-published",
            "SAFFA (as published)",
            lambda chosen: _agent_sampler("saffa", chosen.agent),
            trained=True,
            needs=AGENT,
            heeds=("agent",),
        ),
        Method(
            "saffa",
            "SAFFA (compact state)",
            lambda chosen: _saffa(chosen.agent),
            trained=True,
            keeps_length=True,
            heeds=("agent",),
        ),
        Method("saffa+", "another name of saffa", lambda _: _saffa(None, "saffa+"), trained=True, keeps_length=True),
        Method(
            "plan",
            "Planner",
            lambda chosen: Plan(chosen.balance, chosen.min_speed, chosen.max_speed, ramp=chosen.ramp or "normal"),
            keeps_length=True,
            heeds=("balance", "min_speed", "max_speed", "ramp"),
        ),
    )
    return {method.name: method for method in known}


def unheeded(method: str, settings: Settings) -> tuple[str, ...]:
    """A warning for what was chosen and changes nothing with this method, or none."""
    heeds = methods()[method].heeds
    idle = [name for name, value in asdict(settings).items() if value is not None and name not in heeds]
    if not idle:
        return ()
    flags = " and ".join(f"--{name.replace('_', '-')}" for name in idle)
    return (f"{flags} {'changes' if len(idle) == 1 else 'change'} nothing with --method {method}.",)


def load_sampler(method: str, settings: Settings | None = None) -> Sampler:
    """The sampler of that name."""
    known = methods()
    if method not in known:
        raise InputError(f"Unknown method {method!r}. Use one of: {', '.join(known)}.")
    return known[method].make(settings or Settings())


def _baselines() -> tuple[Method, ...]:
    """The methods that the paper compares with; imported when they are made, most compile their loops."""
    pictures = "for video files: OpenCV (saffa[baselines])"
    return (
        Method(
            "ffnet",
            "FFNet (supervised)",
            lambda chosen: _baseline("ffnet", chosen),
            trained=True,
            supervised=True,
            meets_speed=False,
            needs="a model trained with the encoder (`saffa train ffnet`)",
            heeds=("agent",),
        ),
        Method("sas", "SAS (features for YOLO)", lambda chosen: _baseline("sas", chosen), needs=pictures),
        Method("sasv2", "SASv2 (features for YOLO)", lambda chosen: _baseline("sasv2", chosen), needs=pictures),
        Method("bot", "BoT (MIFF-style sampler)", lambda chosen: _baseline("bot", chosen), needs=pictures),
        Method("non-rl", "Non-RL (MIFF-style sampler)", lambda chosen: _baseline("non-rl", chosen), needs=pictures),
    )


def _baseline(method: str, settings: Settings) -> Sampler:
    from saffa.research.baselines.bot import Bot  # noqa: PLC0415
    from saffa.research.baselines.ffnet import Ffnet  # noqa: PLC0415
    from saffa.research.baselines.non_rl import NonRl  # noqa: PLC0415
    from saffa.research.baselines.sas import Sas  # noqa: PLC0415
    from saffa.research.baselines.sasv2 import SasV2  # noqa: PLC0415

    if method == "ffnet":
        return Ffnet(settings.agent)
    made: dict[str, Callable[[], Sampler]] = {"sas": Sas, "sasv2": SasV2, "bot": Bot, "non-rl": NonRl}
    return made[method]()


def _saffa(agent: str | None, name: str = "saffa") -> Sampler:
    """The compact agent that comes with saffa; or the one that is named, of either kind."""
    from saffa.methods.paper.compact import CompactSaffa, find_compact, shipped_agent  # noqa: PLC0415

    found = shipped_agent() if agent is None else find_compact(agent)
    return CompactSaffa(found, name) if found is not None else _agent_sampler("saffa", agent)


def _agent_sampler(method: str, agent: str | None) -> Sampler:
    from saffa.methods.paper.loading import load_agent  # noqa: PLC0415
    from saffa.methods.paper.saffa import Saffa  # noqa: PLC0415
    from saffa.methods.paper.sff_rl import SffRl  # noqa: PLC0415

    loaded = None if agent is None else load_agent(agent)
    return Saffa(loaded) if method == "saffa" else SffRl(loaded)
