"""How fast the agent walks and learns: NumPy inference, and training beside the authors' stepwise way.

    python -m benchmarks.agent_speed [inference]

Made-up videos of the size of `msvd-long` (F ≈ 2,900, embeddings of width 128; one for every frame, or one for 32 frames
as VDAN+ gives them), one thread. The stepwise way plays the first few of the episodes that the fast way plays; rates
are per step, the best of several rounds taken in turns. Inference is also timed at its slowest: msvd-plus's embeddings
(width 1,280, one for about 14 frames, or one for every frame) and an agent that stands on every frame; SFF-RL, which
tends to that, is timed there beside SAFFA. The last columns set the times beside two limits, 40 µs a step (for the
published width, 128) and .1 ms a frame; the exit code is 0 whatever they say, for on a busy machine a time proves
nothing. A bare forward pass of the published policy is timed first, to tell how busy the machine is.
Times are CPU seconds, which other programs disturb least: with one thread, on a machine at rest, they are those of the
clock. Two kinds of policy are timed, because the length of an episode depends on it: a fresh one, which drifts to
high speeds, and one that mostly does nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import product

import numpy as np
import torch
from tests.research.training.saffa import stepwise
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from saffa.methods.dynamics import DECELERATE, NOTHING
from saffa.methods.paper.agent import RULES, Method, Traits
from saffa.methods.paper.embedding_track import Track
from saffa.methods.paper.observation import Observation
from saffa.methods.paper.rollouts import rollout
from saffa.research.training.saffa.networks import PublishedNetworks
from saffa.research.training.saffa.settings import AgentSettings
from saffa.research.training.saffa.training import PublishedTrainer, published_trainer

VIDEOS, LENGTHS, WIDTH, ROUNDS = 32, (1_500, 4_300), 128, 3
CELLS = (1, 32)  # frames that share an embedding
WIDE, WIDE_CELL = 1_280, 14
BATCHES = (1, 16)
STEPWISE = 6  # episodes; it is slow
RUN = 100 * 600  # episodes: 100 epochs over the training videos of msvd-long
FRESH, STILL, SLOW = "fresh", "mostly nothing", "slower and slower"
LIMIT, STEP_LIMIT = 0.1, 40.0  # ms per frame, µs per step
SPEEDS, SLOW_SPEEDS = (2, 5, 12, 20), (2, 12)
WALKS: tuple[tuple[Method, int, int, str], ...] = (
    ("saffa", WIDTH, 1, FRESH),
    ("saffa", WIDTH, 32, FRESH),
    ("saffa", WIDE, WIDE_CELL, FRESH),
    ("saffa", WIDE, WIDE_CELL, SLOW),
    ("saffa", WIDE, 1, SLOW),
    ("sff-rl", WIDTH, 1, SLOW),
    ("sff-rl", WIDE, WIDE_CELL, SLOW),
    ("sff-rl", WIDE, 1, SLOW),
)


def videos(width: int, cell: int) -> list[Track]:
    random = np.random.default_rng(0)
    made = []
    for frames in random.integers(*LENGTHS, VIDEOS):
        pairs = random.standard_normal((-(-int(frames) // cell), 2, width), np.float32)
        pairs /= np.linalg.norm(pairs, axis=2, keepdims=True)
        made.append(Track(pairs.reshape(len(pairs), 2 * width), np.arange(frames) // cell))
    return made


def inference() -> None:
    print(
        "| agent | embeddings | target | policy | µs per step: median video | best | within 40: median, best "
        "| ms per frame of the video | within .1 |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for method, width, cell, policy in WALKS:
        networks = PublishedNetworks.seeded(traits(method, width), 0)
        lean(networks, policy)
        agent = networks.agent(method)
        tracks = videos(width, cell)
        for speed in SLOW_SPEEDS if policy == SLOW else SPEEDS:
            rates = []
            for track in tracks:
                began = time.process_time()
                steps = len(rollout(agent, track, speed).actions)
                seconds = time.process_time() - began
                rates.append((seconds / steps * 1e6, seconds / track.frames * 1e3))
            (median, frame), (best, _) = np.median(rates, 0), np.min(rates, 0)
            kind = f"{width} wide, one for {cell} frame{'s' if cell > 1 else ''}"
            kept = f"{told(median <= STEP_LIMIT)}, {told(best <= STEP_LIMIT)}"
            cells = [method, kind, f"{speed}×", policy, f"{median:.0f}", f"{best:.0f}", kept, f"{frame:.3f}"]
            print(f"| {' | '.join(cells)} | {told(frame <= LIMIT)} |", flush=True)


def told(kept: bool) -> str:
    return "yes" if kept else "NO"


def bare() -> None:
    """The policy of the published size on one state, nothing around it."""
    policy = PublishedNetworks.seeded(traits("saffa", WIDTH), 0).agent("saffa").policy
    state = np.random.default_rng(0).standard_normal(policy.inputs, np.float32)
    rates = []
    for _ in range(50):
        began = time.process_time()
        for _ in range(100):
            policy(state)
        rates.append((time.process_time() - began) / 100 * 1e6)
    print(f"a bare forward pass: median {np.median(rates):.0f} µs, best {min(rates):.0f}\n")


def traits(method: Method, width: int) -> Traits:
    own = method == "saffa"
    return Traits(Observation(2 * width, position=own, skip=own), RULES[method], method)


def lean(networks: PublishedNetworks, policy: str) -> None:
    """Make one action likely."""
    if policy != FRESH:
        with torch.no_grad():
            networks.policy.fc3.bias[NOTHING if policy == STILL else DECELERATE] += 5


def trainer(tracks: list[Track], policy: str, batch: int) -> PublishedTrainer:
    made = published_trainer(tracks, AgentSettings(batch=batch))
    lean(made.learner.networks, policy)
    return made


def stepwise_rate(made: PublishedTrainer, epoch: int) -> float:
    """Seconds per step of the reference."""
    began = time.process_time()
    orders = [made.orders(epoch, video)[0] for video in range(STEPWISE)]
    steps = sum(stepwise.update(made.learner, order, made.settings.reward).steps for order in orders)
    return (time.process_time() - began) / steps


def training() -> None:
    print(
        "| frames a look | policy | way | steps per episode | µs per step | episodes/s | times "
        "| 100 epochs × 600 videos |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for cell, policy in product(CELLS, (FRESH, STILL)):
        tracks = videos(WIDTH, cell)
        rates: dict[str, list[float]] = {}
        lengths = []
        reference, *fast = (trainer(tracks, policy, batch) for batch in (1, *BATCHES))
        for epoch in range(1, ROUNDS + 1):  # in turns, so that a busy machine is equally busy for all
            rates.setdefault("stepwise PyTorch", []).append(stepwise_rate(reference, epoch))
            for made in fast:
                began = time.process_time()
                facts = made.epoch(epoch)
                seconds = time.process_time() - began
                rates.setdefault(f"saffa, batch {made.settings.batch}", []).append(seconds / facts.steps)
                lengths.append(facts.steps / facts.episodes)
        steps, slow = float(np.mean(lengths)), min(rates["stepwise PyTorch"])
        for way, seen in rates.items():
            episode = min(seen) * steps
            print(
                f"| {cell} | {policy} | {way} | {steps:.0f} | {min(seen) * 1e6:.0f} | {1 / episode:.1f} "
                f"| {slow / min(seen):.1f} | {RUN * episode / 60:.0f} min |",
                flush=True,
            )


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="Speed of the paper's agents, learning and walking.")
    parser.add_argument("part", nargs="?", choices=("all", "inference"), default="all")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    with threadpool_limits(1):
        bare()
        inference()
        if chosen.part == "all":
            print()
            training()


if __name__ == "__main__":
    main(sys.argv[1:])
