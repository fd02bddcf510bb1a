"""`saffa+`: an online agent. At each frame it knows what it has seen, where it is and how many frames are left.

A small network scores the three actions. It has learned from the planner with hindsight (`plus_teacher`): what each
action would have cost, given all that came later, averaged over what may come. The dynamics decide which actions
still allow the wanted number of frames (`plus_limits`), so the length is met without learning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from saffa.core.errors import InputError
from saffa.core.selection import wanted_frames
from saffa.core.strict_json import read_json
from saffa.methods.dynamics import MAX_VELOCITY, Dynamics
from saffa.storage.models import shipped

if TYPE_CHECKING:
    from saffa.methods.plus.moves import Network

NAME = "saffa_plus"
WEIGHTS = "weights.safetensors"
LAYERS = ("first", "first_bias", "second", "second_bias", "third", "third_bias")


@dataclass(frozen=True)
class Prior:
    """Mean and deviation of an encoder's relevance over videos to learn from: how much is a lot.

    `place`: whether the place in the text that it tells is to be trusted.
    """

    mean: float
    deviation: float
    place: bool = True


STRANGER = Prior(0.0, 0.0, place=False)
"""Of any other encoder: it is judged by its own running mean and deviation alone."""


@dataclass(frozen=True, eq=False)
class PlusAgent:
    """A network for any encoder, the scale of the encoders that it has met, and networks for one encoder each."""

    network: Network = field(repr=False)
    priors: Mapping[str, Prior]
    own: Mapping[str, Network] = field(default_factory=dict, repr=False)

    def network_for(self, encoder: str) -> Network:
        """Its own one, if there is one."""
        return self.own.get(encoder, self.network)

    @classmethod
    def load(cls, folder: Path) -> PlusAgent:
        """From a model folder; no PyTorch."""
        try:
            facts: dict[str, Any] = read_json(folder / "model.json")
            priors = {name: Prior(**scale) for name, scale in facts["priors"].items()}
            own = {encoder: _network(folder / own_weights(encoder)) for encoder in facts.get("own", {})}
            return cls(_network(folder / WEIGHTS), priors, own)
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise InputError(f"{folder} is not a saffa+ agent ({error}).") from None


def own_weights(encoder: str) -> str:
    """Name of the file with the network for one encoder."""
    return f"{encoder}-{WEIGHTS}"


def _network(file: Path) -> Network:
    from saffa.methods.plus.memory import INPUTS  # noqa: PLC0415 (numba)
    from saffa.methods.plus.moves import Network  # noqa: PLC0415

    tensors = load_file(file)
    network = Network(*(np.ascontiguousarray(tensors[name], np.float32) for name in LAYERS))
    if (len(network.first), len(network.third_bias)) != (INPUTS, 3):
        raise ValueError(f"the network in {file.name} takes {len(network.first)} numbers")
    return network


@lru_cache(maxsize=1)
def shipped_agent() -> PlusAgent:
    """The agent that comes with saffa."""
    return PlusAgent.load(shipped(NAME))


def places_in_text(sentences: int) -> NDArray[np.float64]:
    """Middle of each sentence on a scale from 0 to 1, shape (sentences,); weights times these: how far the text is."""
    return (np.arange(sentences) + 0.5) / max(sentences, 1)


def stride_for(speed: float) -> int:
    """Frames that count as one: above 25×, so many that the speed is one that it has learned, about half of that.

    At 60× it strides from fifth frame to fifth frame as at 12× from frame to frame. With a higher ceiling instead, at
    which it has never walked and brakes for ages, it fell below uniform (docs/notebook/agent.md).
    """
    return 1 if speed <= MAX_VELOCITY else max(2, round(2 * speed / MAX_VELOCITY))


class PlusWalk:
    """One walk: told the relevance at the frame it stands on, it says where to land next.

    `sentences` is the length of the text; 0 if the place in the text is not known. A stranger's place is not trusted:
    that of `narrated-live` lags behind and misled it to below uniform (docs/notebook/agent.md).
    """

    def __init__(
        self, agent: PlusAgent, frames: int, rate: float, speed: float, encoder: str = "", sentences: int = 0
    ) -> None:
        from saffa.methods.plus.memory import INPUTS, fresh_memory  # noqa: PLC0415 (numba)
        from saffa.methods.plus.moves import rules_for  # noqa: PLC0415

        dynamics, prior = Dynamics(), agent.priors.get(encoder, STRANGER)
        self._network, self._rules = agent.network_for(encoder), rules_for(dynamics)
        self._stride = stride_for(speed)
        self._rate, self._last = rate / self._stride, (frames - 1) // self._stride
        known = sentences if prior.place else 0
        self._memory = fresh_memory(frames / rate, prior.mean, prior.deviation, known)
        self._inputs = np.zeros(INPUTS)
        self._state = dynamics.state(round(speed / self._stride), 1)
        self._wanted = wanted_frames(frames, speed)
        self._left = self._wanted - 1
        self._looks = 0

    def step(self, frame: int, relevance: float, progress: float = 0.0) -> int | None:
        """The next frame, or None when the walk is over. `progress` is the place in the text, 0 to 1."""
        from saffa.methods.plus.memory import is_blank  # noqa: PLC0415 (numba)
        from saffa.methods.plus.moves import Spot, even_move, move, take_in  # noqa: PLC0415

        place = frame // self._stride
        if place >= self._last or self._left <= 0:
            return None
        spot = Spot(place, self._last, self._left, self._state, self._rate)
        self._looks = take_in(self._memory, spot, self._looks, float(relevance), float(progress))
        if is_blank(self._memory):  # no text, or an encoder that finds nothing
            evenly = self._last * (1 - (self._left - 1) / (self._wanted - 1))
            self._state = even_move(self._rules, spot, evenly)
        else:
            self._state = move(self._network, self._rules, self._memory, self._inputs, spot, float(relevance))
        self._left -= 1
        return self._stride * min(place + int(self._rules.velocity[self._state]), self._last)


def walk(
    agent: PlusAgent,
    seen_at: Callable[[float], tuple[float, float]],
    frames: int,
    rate: float,
    speed: float,
    encoder: str = "",
    sentences: int = 0,
) -> NDArray[np.int64]:
    """Selected frames, the first is 0. `seen_at(seconds)` gives relevance and place in the text.

    It is asked for visited times only, in order.
    """
    run = PlusWalk(agent, frames, rate, speed, encoder, sentences)
    selected, frame = [0], run.step(0, *seen_at(0.0))
    while frame is not None:
        selected.append(frame)
        frame = run.step(frame, *seen_at(frame / rate))
    return np.array(selected, np.int64)
