"""`saffa+` as a sampler: the online agent that learned from the planner."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from saffa.core.alignment import Alignment
from saffa.core.selection import Selection, check_speed, chosen_frames
from saffa.core.types import Doubles
from saffa.methods.dynamics import Dynamics, Limits
from saffa.methods.paper.online import PlusOnline
from saffa.methods.plus.plus import PlusAgent, places_in_text, shipped_agent, walk


@dataclass(frozen=True, eq=False)
class SaffaPlus:
    """One agent for any encoder: it reads relevance and the place in the text, never embeddings."""

    agent: PlusAgent = field(default_factory=shipped_agent, repr=False)
    name: str = "saffa+"
    reads_text: bool = True

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Walk through the video once; at each time the last grid cell that has begun is all it sees."""
        speed = check_speed(speed)
        sentences = len(alignment.document)
        progress = alignment.sentence_weights @ places_in_text(sentences)
        reader = _Reader(alignment.times.tolist(), alignment.relevance.tolist(), progress.tolist())
        rate = float(alignment.rate)
        frames = walk(self.agent, reader, alignment.frames, rate, speed, alignment.encoder, sentences)
        return Selection(frames, alignment.frames, speed, self.name)

    def preference(self, alignment: Alignment, speed: float) -> Doubles:
        """The frames that the agent chooses: corrections leave as many of them as they can."""
        return chosen_frames(self.select(alignment, speed))

    def limits(self, speed: float, rate: Fraction) -> Limits:  # noqa: ARG002
        """The agent's own rule."""
        return Dynamics.for_speed(speed)

    @property
    def may_rise(self) -> bool:
        """The highest speed is nobody's choice."""
        return True

    def begin(self, frames: int, rate: Fraction, speed: float, encoder: str) -> PlusOnline:
        """A walk through a video that is being read."""
        return PlusOnline(self.agent, frames, float(rate), speed, encoder)


class _Reader:
    """Relevance and place in the text of the newest cell whose time has come; before the first one, its own."""

    def __init__(self, times: list[float], relevance: list[float], progress: list[float]) -> None:
        self._times, self._seen, self._cell = times, list(zip(relevance, progress, strict=True)), 0

    def __call__(self, seconds: float) -> tuple[float, float]:
        times = self._times
        while self._cell + 1 < len(times) and times[self._cell + 1] <= seconds:
            self._cell += 1
        return self._seen[self._cell]
