"""One protocol for all methods: (Alignment, target speed) → Selection."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from saffa.core.alignment import Alignment
from saffa.core.selection import Selection
from saffa.core.types import Share
from saffa.core.video import Axis, Narration

if TYPE_CHECKING:
    from saffa.methods.paper.online import OnlineAgent


@dataclass(frozen=True)
class Settings:
    """What a user may choose beside the speed; methods ignore what does not concern them."""

    balance: float | None = None
    min_speed: float | None = None
    max_speed: float | None = None
    agent: str | None = None
    ramp: str | None = None
    whole_lines: bool | None = None


class Sampler(Protocol):
    """A way to choose frames."""

    @property
    def name(self) -> str:
        """Name in `--method`."""

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

    def watching(self, video: Axis, narration: Narration | None, progress: Share) -> Sampler:
        """A copy of the sampler that knows this one video."""


def watched(sampler: Sampler, video: Axis, narration: Narration | None, progress: Share = lambda _: None) -> Sampler:
    """The sampler, shown the video if it wants to see it; `progress` hears the share done, 0 to 1."""
    return sampler.watching(video, narration, progress) if isinstance(sampler, Watching) else sampler
