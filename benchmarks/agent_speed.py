"""How fast the agent walks and learns: NumPy inference, and training beside the authors' stepwise way.

    python -m benchmarks.agent_speed

Made-up videos of the size of `msvd-long` (F ≈ 2,900, embeddings of width 128), one thread. The stepwise way plays
the first few of the episodes that the fast way plays; rates are per step, the best of several rounds taken in turns.
Times are CPU seconds, which other programs disturb least: with one thread, on a machine at rest, they are those of the
clock. Two kinds of policy are timed, because the length of an episode depends on it: a fresh one, which drifts to
high speeds, and one that mostly does nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np
import torch
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from saffa.agent import stepwise
from saffa.agent.agent import Traits
from saffa.agent.dynamics import NOTHING
from saffa.agent.networks import Networks
from saffa.agent.rollouts import rollout
from saffa.agent.settings import Settings
from saffa.agent.track import Track
from saffa.agent.training import Trainer

VIDEOS, LENGTHS, WIDTH, ROUNDS = 32, (1_500, 4_300), 128, 3
BATCHES = (1, 16)
STEPWISE = 6  # episodes; it is slow
RUN = 100 * 600  # episodes: 100 epochs over the training videos of msvd-long
FRESH, STILL = "fresh", "mostly nothing"


def videos() -> list[Track]:
    random = np.random.default_rng(0)
    made = []
    for frames in random.integers(*LENGTHS, VIDEOS):
        pairs = random.standard_normal((frames, 2, WIDTH), np.float32)
        pairs /= np.linalg.norm(pairs, axis=2, keepdims=True)
        made.append(Track.of_embeddings(pairs.reshape(frames, 2 * WIDTH)))
    return made


def inference(tracks: Sequence[Track]) -> None:
    agent = Networks.seeded(Traits(), 0).agent()
    print("| target | µs per step: median video | best | median by the clock |\n|---|---|---|---|")
    for speed in (2, 12):
        rates = []
        for track in tracks:
            began = np.array([time.process_time(), time.perf_counter()])
            steps = len(rollout(agent, track, speed).actions)
            rates.append((np.array([time.process_time(), time.perf_counter()]) - began) / steps * 1e6)
        (median, clock), (best, _) = np.median(rates, 0), np.min(rates, 0)
        print(f"| {speed}× | {median:.0f} | {best:.0f} | {clock:.0f} |")


def trainer(tracks: list[Track], policy: str, batch: int) -> Trainer:
    made = Trainer(tracks, Settings(batch=batch))
    if policy == STILL:
        with torch.no_grad():
            made.learner.networks.policy.fc3.bias[NOTHING] += 5
    return made


def stepwise_rate(made: Trainer, epoch: int) -> float:
    """Seconds per step of the reference."""
    began = time.process_time()
    orders = [made.order(epoch, video) for video in range(STEPWISE)]
    steps = sum(stepwise.update(made.learner, order, made.settings.reward).steps for order in orders)
    return (time.process_time() - began) / steps


def training(tracks: list[Track]) -> None:
    print("| policy | way | steps per episode | µs per step | episodes/s | times | 100 epochs × 600 videos |")
    print("|---|---|---|---|---|---|---|")
    for policy in (FRESH, STILL):
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
                f"| {policy} | {way} | {steps:.0f} | {min(seen) * 1e6:.0f} | {1 / episode:.1f} "
                f"| {slow / min(seen):.1f} | {RUN * episode / 60:.0f} min |"
            )


def main(_: Sequence[str]) -> None:
    torch.set_num_threads(1)
    with threadpool_limits(1):
        tracks = videos()
        inference(tracks)
        print()
        training(tracks)


if __name__ == "__main__":
    main(sys.argv[1:])
