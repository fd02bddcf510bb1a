"""SAFFA with the compact state: one agent that reads the text with any encoder and keeps the length.

It reads a scalar, the encoder's relevance (or e_D·e_v), in deviations from its mean. Two passes know the whole video:
the deviations are the video's own, and the agent looks ahead. A single pass knows what has been seen: the encoder's
scale stands in the agent's manifest or in the encoder's entry, a stranger's is estimated on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.selection import Selection, check_speed, chosen_frames, wanted_frames
from saffa.core.types import Doubles, Floats, Ints
from saffa.encoders.base import AlignmentRow, Query
from saffa.encoders.registry import entry_of
from saffa.encoders.replay import Replay
from saffa.methods.dynamics import MAX_VELOCITY, Dynamics, SpeedLimits
from saffa.storage.models import WEIGHTS, ModelFolder, find, shipped, write_model

if TYPE_CHECKING:
    from saffa.methods.paper.compact_walk import CompactWeights

KIND = "compact-agent"
NAME = "saffa-compact"
"""Name of the agent that comes with saffa."""
LAYERS = ("first", "first_bias", "second", "second_bias", "third", "third_bias")
FLAT = 1e-6
"""A deviation up to which a signal says nothing: the selection is even."""

Signal = Literal["relevance", "product"]
"""What is read: the encoder's relevance, or e_D·e_v as in the paper's reward."""


@dataclass(frozen=True)
class Scale:
    """Mean and deviation of a signal, and how many frames of the video at hand this knowledge outweighs."""

    mean: float
    deviation: float
    weight: float = float("inf")


STRANGER = Scale(0.45, 0.25, 300.0)
"""An encoder that the agent has not met: relevances and cosines are about this large, and the video soon tells."""


@dataclass(frozen=True, eq=False)
class CompactAgent:
    """Policies that look ahead, policies for a single pass, and the scales of the encoders that they have met."""

    ahead: CompactWeights | None = field(repr=False)
    online: CompactWeights | None = field(repr=False)
    scales: Mapping[str, Scale] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> CompactAgent:
        """Read a model folder; PyTorch is not needed."""
        model = ModelFolder.open(folder)
        if model.kind != KIND:
            raise InputError(f"{folder} is a {model.kind}, not an agent with the compact state.")

        def built(tensors: Mapping[str, NDArray[Any]]) -> CompactAgent:
            scales = {name: Scale(**scale) for name, scale in model.facts["scales"].items()}
            return cls(networks_of(tensors, "ahead"), networks_of(tensors, "online"), scales)

        return model.read(built)

    def networks(self, *, look_ahead: bool) -> CompactWeights:
        """The policies of one kind."""
        found = self.ahead if look_ahead else self.online
        if found is None:
            kind = "that looks ahead" if look_ahead else "for a single pass"
            raise InputError(f"This agent has no policy {kind}; train one and join them (`saffa models join`).")
        return found

    def scale_of(self, encoder: str) -> Scale:
        """Scale by which a single pass reads an encoder: as learned, else by the encoder's entry, else a guess."""
        entry = entry_of(encoder)
        told = Scale(*entry.scale) if entry.scale else STRANGER
        return self.scales.get(entry.visited or encoder, told)


def networks_of(tensors: Mapping[str, Floats], kind: str) -> CompactWeights | None:
    """The policies whose tensors begin with `kind`; None if there are none."""
    from saffa.methods.paper.compact_walk import STATE, CompactWeights  # noqa: PLC0415 (numba)

    if f"{kind}.first" not in tensors:
        return None
    found = CompactWeights(*(np.ascontiguousarray(tensors[f"{kind}.{layer}"], np.float32) for layer in LAYERS))
    members, _, hidden = found.first.shape
    narrow = found.second.shape[-1]
    shapes = [(STATE, hidden), (hidden,), (hidden, narrow), (narrow,), (narrow, 3), (3,)]
    if [array.shape for array in found] != [(members, *shape) for shape in shapes]:
        raise ValueError(f"the layers of {kind} do not fit together")
    return found


def save_compact(agent: CompactAgent, folder: Path, facts: Mapping[str, Any], *, overwrite: bool = False) -> None:
    """Write a model folder that `CompactAgent.load` reads."""

    def fill(part: Path) -> dict[str, Any]:
        kinds = {"ahead": agent.ahead, "online": agent.online}
        tensors = {
            f"{kind}.{layer}": array
            for kind, networks in kinds.items()
            if networks is not None
            for layer, array in zip(LAYERS, networks, strict=True)
        }
        save_file(tensors, part / WEIGHTS)
        scales = {name: {"mean": scale.mean, "deviation": scale.deviation} for name, scale in agent.scales.items()}
        return {"kind": KIND, "scales": scales, **facts}

    write_model(folder, fill, overwrite=overwrite)


def joined(agents: Sequence[CompactAgent]) -> CompactAgent:
    """One agent whose scores are the mean of all: of those that look ahead, and of those that do not."""

    from saffa.methods.paper.compact_walk import CompactWeights  # noqa: PLC0415 (numba)

    def together(parts: Sequence[CompactWeights | None]) -> CompactWeights | None:
        found = [part for part in parts if part is not None]
        return CompactWeights(*map(np.concatenate, zip(*found, strict=True))) if found else None

    scales = {name: scale for agent in agents for name, scale in agent.scales.items()}
    return CompactAgent(together([a.ahead for a in agents]), together([a.online for a in agents]), scales)


@lru_cache(maxsize=1)
def shipped_agent() -> CompactAgent:
    """The agent that comes with saffa."""
    return CompactAgent.load(shipped(NAME))


def find_compact(name: str | Path) -> CompactAgent | None:
    """The compact agent of that name or folder; None if it is none, or is not there."""
    path = find(name)
    compact = path is not None and path.is_dir() and ModelFolder.open(path).kind == KIND
    return CompactAgent.load(path) if path is not None and compact else None


def stride_for(speed: float) -> int:
    """Frames that count as one: above 25×, so many that the speed is one that was trained, about 12×."""
    return 1 if speed <= MAX_VELOCITY else max(2, round(2 * speed / MAX_VELOCITY))


def signal_of(alignment: Alignment, signal: Signal = "relevance") -> Doubles:
    """The signal at every frame, linear between grid times, shape (frames,)."""
    if signal == "relevance":
        return alignment.relevance_per_frame()
    products = np.einsum("td,td->t", alignment.e_d, alignment.e_v)
    return np.asarray(np.interp(alignment.frame_seconds(), alignment.times, products))


def deviations(signal: Doubles) -> Floats:
    """A signal in its own deviations from its mean, within REACH; all zero where it is flat."""
    from saffa.methods.paper.compact_walk import REACH  # noqa: PLC0415 (numba)

    spread = float(signal.std())
    if spread <= FLAT:
        return np.zeros(len(signal), np.float32)
    return np.asarray(np.clip((signal - signal.mean()) / spread, -REACH, REACH), np.float32)


@dataclass(frozen=True, eq=False)
class CompactSaffa:
    """The compact agent as a method. `look_ahead=False` walks through an alignment as through a video being read."""

    agent: CompactAgent = field(default_factory=shipped_agent, repr=False)
    name: str = "saffa"
    signal: Signal = "relevance"
    look_ahead: bool = True
    reads_text: bool = True

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Exactly round(frames / speed) frames; the first is 0."""
        speed = check_speed(speed)
        frames = self._ahead(alignment, speed) if self.look_ahead else self._online(alignment, speed)
        return Selection(frames, alignment.frames, speed, self.name)

    def preference(self, alignment: Alignment, speed: float) -> Doubles:
        """The frames that the agent chooses: corrections leave as many of them as they can."""
        return chosen_frames(self.select(alignment, speed))

    def limits(self, speed: float, rate: Fraction) -> SpeedLimits:  # noqa: ARG002
        """The agent's own rule."""
        return Dynamics.for_speed(speed)

    @property
    def may_rise(self) -> bool:
        """The highest speed is nobody's choice."""
        return True

    def begin(
        self, frames: int, rate: Fraction, speed: float, encoder: str, known: Alignment | None = None
    ) -> CompactOnline | Planned:
        """A walk through a video that is being read; it looks ahead where all answers are known beforehand."""
        if known is not None and self.look_ahead:
            return Planned(self.select(known, speed).frames)
        return CompactOnline(self.agent, frames, float(rate), speed, encoder, self.signal)

    def _ahead(self, alignment: Alignment, speed: float) -> Ints:
        from saffa.methods.paper.compact_walk import CompactCourse, walk  # noqa: PLC0415 (numba)

        wanted, stride = wanted_frames(alignment.frames, speed), stride_for(speed)
        signal = deviations(signal_of(alignment, self.signal)[::stride])
        if not signal.any():
            return self._online(replace(alignment, encoder=""), speed)
        sums = np.concatenate([[0.0], np.cumsum(signal, dtype=np.float64)])
        rate = float(alignment.rate) / stride
        course = CompactCourse(signal, sums, rate, speed / stride, wanted, look_ahead=True, keep_length=True)
        reached = walk(self.agent.networks(look_ahead=True), course, np.zeros(0)).reached
        return stride * np.concatenate([np.zeros(1, np.int64), reached])

    def _online(self, alignment: Alignment, speed: float) -> Ints:
        run, replay = self.begin(alignment.frames, alignment.rate, speed, alignment.encoder), Replay(alignment)
        selected, frame = [0], run.step(0, replay.answer(Query(0, 0.0)))
        while frame is not None:
            selected.append(frame)
            frame = run.step(frame, replay.answer(Query(frame, frame / float(alignment.rate))))
        return np.array(selected, np.int64)


class Planned:
    """A walk whose frames are known before it begins."""

    def __init__(self, frames: Ints) -> None:
        self._next = dict(pairwise(frames.tolist()))

    def step(self, frame: int, answer: AlignmentRow) -> int | None:  # noqa: ARG002
        """The next frame, or None when the walk is over."""
        return self._next.get(frame)


class CompactOnline:
    """A walk of the compact agent through a video that is being read: it knows what it has seen, nothing to come."""

    def __init__(
        self, agent: CompactAgent, frames: int, rate: float, speed: float, encoder: str, signal: Signal = "relevance"
    ) -> None:
        from saffa.methods.paper.compact_walk import begin, expectation  # noqa: PLC0415 (numba)

        self._networks, self._signal = agent.networks(look_ahead=False), signal
        self._running = _RunningScale(agent.scale_of(encoder))
        self._stride = stride_for(speed)
        self._rate, self._last = rate / self._stride, (frames - 1) // self._stride
        self._speed, self._wanted = speed / self._stride, wanted_frames(frames, speed)
        self._place, self._memory = begin(self._speed, self._wanted), expectation()

    def step(self, frame: int, answer: AlignmentRow) -> int | None:
        """The next frame, or None when the walk is over."""
        from saffa.methods.paper.compact_walk import even_step, step  # noqa: PLC0415 (numba)

        place = self._place._replace(frame=frame // self._stride)
        if place.frame >= self._last or place.left <= 0:
            return None
        seen = answer.relevance if self._signal == "relevance" else float(answer.e_d @ answer.e_v)
        signal = self._running.deviations(seen, place.velocity * self._stride)
        if self._running.blank:
            goal = self._last * (1 - (place.left - 1) / (self._wanted - 1))
            self._place = even_step(place, self._last, goal)
        else:
            self._place = step(self._networks, self._memory, place, self._last, self._rate, self._speed, signal)
        return self._stride * self._place.frame


class _RunningScale:
    """Mean and deviation that begin as a given scale and follow the video by as much as the scale's weight allows."""

    def __init__(self, scale: Scale) -> None:
        self._fixed = scale if scale.weight == float("inf") else None
        self._count, self._mean = scale.weight, scale.mean
        self._squares = scale.weight * scale.deviation**2
        self._extent = (float("inf"), float("-inf"))

    @property
    def blank(self) -> bool:
        """Whether nothing is known of the encoder and all that it has said so far is the same."""
        return self._fixed is None and self._extent[0] == self._extent[1]

    def deviations(self, value: float, frames: int) -> float:
        """The value in deviations; it stands for so many frames."""
        if self._fixed is not None:
            return (value - self._fixed.mean) / self._fixed.deviation
        self._extent = min(self._extent[0], value), max(self._extent[1], value)
        self._count += frames
        off = value - self._mean
        self._mean += frames * off / self._count
        self._squares += frames * off * (value - self._mean)
        return (value - self._mean) / max(sqrt(self._squares / self._count), FLAT)
