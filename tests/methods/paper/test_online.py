"""A walk while the video is read selects what the same agent selects from the finished alignment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.encoders.base import Query
from saffa.encoders.replay import Replay
from saffa.methods.base import OnlineSampler
from saffa.methods.paper.agent import RULES, Agent, Method, Traits
from saffa.methods.paper.compact import CompactSaffa
from saffa.methods.paper.observation import Observation
from saffa.methods.paper.policy import Mlp
from saffa.methods.paper.saffa import Saffa, SffRl
from saffa.methods.registry import load_sampler

WIDTH = 6
RATE = Fraction(32)  # frame times are exact in float32


def every_frame(frames: int, seed: int) -> Alignment:
    """An answer of its own for each frame."""
    random = np.random.default_rng(seed)
    e_d, e_v = random.normal(size=(2, frames, WIDTH))
    e_d, e_v = (e / np.linalg.norm(e, axis=1, keepdims=True) for e in (e_d, e_v))
    return Alignment(
        times=(np.arange(frames) / int(RATE)).astype(np.float32),
        e_v=e_v.astype(np.float32),
        e_d=e_d.astype(np.float32),
        relevance=np.convolve(random.normal(size=frames), np.ones(40) / 40)[:frames].astype(np.float32),
        sentence_weights=np.ones((frames, 1), np.float32),
        document=("stir",),
        frames=frames,
        rate=RATE,
        encoder="toy",
    )


def seconds_grid(frames: int, seed: int) -> Alignment:
    """An answer for each second, at its middle, as the narrated encoder gives them."""
    fine, every = every_frame(frames, seed), int(RATE)
    rows = np.arange(0, frames, every)
    return replace(
        fine,
        times=(rows / every + 0.5).astype(np.float32),
        e_v=fine.e_v[rows],
        e_d=fine.e_d[rows],
        relevance=fine.relevance[rows],
        sentence_weights=fine.sentence_weights[rows],
    )


def restless(method: Method) -> Agent:
    """Untrained, with weights so large that it does this and that."""
    random = np.random.default_rng(7)
    whole = method == "saffa"
    observation = Observation(2 * WIDTH, position=whole, skip=whole)
    sizes = (observation.width, 16, 16, 3)
    weights = [random.normal(size=(b, a)).astype(np.float32) for a, b in pairwise(sizes)]
    biases = [random.normal(size=b).astype(np.float32) for b in sizes[1:]]
    network = Mlp((weights[0], weights[1], weights[2]), (biases[0], biases[1], biases[2]))
    return Agent(network, None, Traits(observation, RULES[method], method))


SAMPLERS: dict[str, OnlineSampler] = {
    "saffa": Saffa(restless("saffa")),
    "sff-rl": SffRl(restless("sff-rl")),
    "compact": CompactSaffa(look_ahead=False),
}


def walked(sampler: OnlineSampler, alignment: Alignment, speed: float) -> list[int]:
    agent = sampler.begin(alignment.frames, alignment.rate, speed, alignment.encoder)
    reading = Replay(alignment)
    frames, at = [], 0
    following: int | None = 0
    while following is not None:
        at = following
        frames.append(at)
        following = agent.step(at, reading.answer(Query(at, at / int(RATE))))
    return frames


@pytest.mark.parametrize("made", [every_frame, seconds_grid])
@pytest.mark.parametrize("speed", [1, 2.5, 8, 12, 20, 40])
@pytest.mark.parametrize("name", SAMPLERS)
def test_the_same_frames_as_from_the_alignment(name: str, speed: float, made: Callable[[int, int], Alignment]) -> None:
    sampler, acted = SAMPLERS[name], 0
    for frames in (1, 2, 30, 700, 2001):
        alignment = made(frames, frames)
        chosen = sampler.select(alignment, speed)
        assert walked(sampler, alignment, speed) == chosen.frames.tolist()
        acted = max(acted, len(set(np.diff(chosen.frames).tolist())))
    assert acted > 1 or speed == 1, "an agent that never acts would prove nothing"


def test_which_methods_can() -> None:
    assert isinstance(load_sampler("saffa"), OnlineSampler)
    assert not isinstance(load_sampler("plan"), OnlineSampler)
    assert not isinstance(load_sampler("uniform"), OnlineSampler)


def test_embeddings_of_another_width_are_refused() -> None:
    agent = Saffa(restless("saffa")).begin(100, RATE, 4, "toy")
    wide = every_frame(10, 0)
    answer = Replay(wide).answer(Query(0, 0.0))
    agent.step(0, answer)
    doubled = type(answer)(0.0, answer.sentence_weights, np.tile(answer.e_d, 2), np.tile(answer.e_v, 2))
    with pytest.raises(InputError, match="width"):
        agent.step(4, doubled)
