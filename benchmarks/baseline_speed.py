"""How long sampling takes, method by method: no encoding, no optical flow, no training.

    python -m benchmarks.baseline_speed

Made-up videos at 12×, one thread, CPU milliseconds per source frame: the better of two runs after one that loads the
compiled code. "coarse" has an embedding of 256 numbers a second, as youcook2-narrated; "fine" one of 1280 numbers
for every frame, as msvd-long; "pictures" has measures of every picture instead (block flow, colours). Networks have
random weights: the time of a step does not depend on them. How many steps there are does: agents lean towards slower,
so that they stand on every frame, the most that a walk can cost (`sff-rl` as trained is near that, `saffa` at 12× is
not). Limits: SAS 2 ms, BoT's sampler 5 ms, networks .1 ms. A limit that is missed says NO; the exit code stays 0, for
on a busy machine a time proves nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from saffa.core.alignment import Alignment
from saffa.core.selection import Selection
from saffa.core.types import Floats
from saffa.methods.base import Sampler
from saffa.methods.dynamics import DECELERATE
from saffa.methods.paper.agent import RULES, Agent, Method, Traits
from saffa.methods.paper.observation import Observation
from saffa.methods.paper.policy import Mlp
from saffa.methods.paper.saffa import Saffa, SffRl
from saffa.methods.registry import load_sampler
from saffa.research.baselines.appearance import Appearance
from saffa.research.baselines.block_flow import BlockFlow
from saffa.research.baselines.bot import Bot, NonRl
from saffa.research.baselines.ffnet import HIDDEN, LONGEST, QNetwork
from saffa.research.baselines.footage import Footage
from saffa.research.baselines.sas import PictureDescriptor, Sas
from saffa.research.baselines.sasv2 import SasV2

SPEED, RATE, ROUNDS = 12.0, 30, 2
COARSE, FINE, PICTURES = 9_000, 3_000, 3_000
LEAN = 20.0
LIMITS = {
    "sas": 2.0,
    "sasv2": 2.0,
    "bot": 5.0,
    "non-rl": 5.0,
    "ffnet": 0.1,
    "sff-rl": 0.1,
    "saffa-published": 0.1,
    "saffa": 0.1,
}


def video(frames: int, grid: int, width: int) -> Alignment:
    random = np.random.default_rng(0)
    cells = frames // grid
    drift = np.cumsum(random.standard_normal((cells, width), np.float32), 0)
    drift /= np.linalg.norm(drift, axis=1, keepdims=True)
    hills = np.interp(np.linspace(0, 19, cells), np.arange(20), random.random(20))
    return Alignment(
        times=((np.arange(cells) + 0.5) * grid / RATE).astype(np.float32),
        e_v=drift,
        e_d=drift[::-1].copy(),
        relevance=hills.astype(np.float32),
        sentence_weights=np.ones((cells, 1), np.float32),
        document=("stir the soup",),
        frames=frames,
        rate=Fraction(RATE),
        encoder="made",
    )


def pictures(frames: int) -> PictureDescriptor:
    random = np.random.default_rng(1)
    flow = BlockFlow(random.standard_normal((frames, 50, 2)).astype(np.float32))
    shares = random.dirichlet(np.ones(128), (frames, 3)).reshape(frames, 3, 128).cumsum(2).reshape(frames, 384)
    colours = Appearance(shares.astype(np.float32), np.arange(frames), cumulative=True)
    footage = Footage(flow, colours, random.random((frames, 144)).astype(np.float32), 320, 180)
    return PictureDescriptor(footage, random.standard_normal((frames // 15, 80)), np.arange(frames) // 15)


def layers(sizes: Sequence[int]) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    random = np.random.default_rng(2)
    pairs = list(pairwise(sizes))
    weights = tuple(random.standard_normal((b, a), np.float32) * np.float32((2 / a) ** 0.5) for a, b in pairs)
    return weights, tuple(np.zeros(b, np.float32) for _, b in pairs)


class WalkingFfnet:
    """`ffnet` without the file of a model."""

    name = "ffnet"
    reads_text = True

    def __init__(self, width: int) -> None:
        self.network = QNetwork(*layers((width, *HIDDEN, LONGEST)))

    def select(self, alignment: Alignment, speed: float) -> Selection:
        frames = self.network.walk(*alignment.held_features())
        return Selection(frames, alignment.frames, speed, self.name)


def agent(method: Method, width: int) -> Sampler:
    """`saffa` or `sff-rl` with random weights that slows down until it stands on every frame."""
    observation = Observation(2 * width, position=method == "saffa", skip=method == "saffa")
    weights, biases = layers((observation.width, 256, 128, 3))
    biases[2][DECELERATE] += LEAN
    policy = Mlp((weights[0], weights[1], weights[2]), (biases[0], biases[1], biases[2]))
    made = Agent(policy, None, Traits(observation, RULES[method], method))
    return Saffa(made) if method == "saffa" else SffRl(made)


def networks(width: int) -> list[Sampler]:
    """All methods that are a network walking through the video by its embeddings."""
    return [WalkingFfnet(width), agent("sff-rl", width), agent("saffa", width)]


def best_time(select: Callable[[], Selection]) -> float:
    """CPU seconds."""
    select()
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        select()
        times.append(time.process_time() - began)
    return min(times)


def rows(kind: str, made: Alignment, samplers: Sequence[Sampler]) -> None:
    uniform = 0.0
    for sampler in samplers:
        spent = best_time(lambda s=sampler: s.select(made, SPEED)) / made.frames * 1e3  # type: ignore[misc]
        uniform = uniform or max(spent, 1e-9)
        limit = LIMITS.get(sampler.name)
        told = f"{limit:g} | {'yes' if spent <= limit else 'NO'}" if limit else " | "
        print(f"| {kind} | {sampler.name} | {spent:.2g} | {told} | {spent / uniform:,.0f} |")


def main(_: Sequence[str]) -> None:
    plain = [load_sampler(name) for name in ("uniform", "sas", "sasv2", "bot", "non-rl", "saffa", "plan")]
    print("| video | method | ms a frame | limit | kept | times uniform |\n|---|---|---|---|---|---|")
    with threadpool_limits(1):
        for kind, made in (("coarse", video(COARSE, RATE, 256)), ("fine", video(FINE, 1, 1280))):
            width = made.e_v.shape[1]
            rows(kind, made, [*plain, *networks(width)])
        seen = pictures(PICTURES)
        watching = [
            plain[0],
            Sas(pictures=seen),
            SasV2(pictures=seen),
            Bot(footage=seen.footage),
            NonRl(footage=seen.footage),
        ]
        rows("pictures", video(PICTURES, RATE, 256), watching)


if __name__ == "__main__":
    main(sys.argv[1:])
