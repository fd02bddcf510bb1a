"""Teach `saffa+` the price: `python -m saffa.agent.plus_training OUT DIR [DIR …]` over folders of alignments.

For every half second of every training video and many speeds of the rest, the right price is known afterwards: the
quantile of the relevance still to come that leaves just the slow time that can be afforded. The network learns
its median given what was seen until then. No step boundaries are used.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file
from torch import nn

from saffa.agent.dynamics import MAX_VELOCITY
from saffa.agent.plus import INPUTS, share_features, slow_share
from saffa.agent.plus_seen import FEATURES, PERIOD, Prior, Seen
from saffa.agent.policy import LAYERS
from saffa.alignment import Alignment
from saffa.model_store import file_sha256

SPEEDS = np.exp(np.linspace(np.log(1.3), np.log(24.5), 12))
"""Of the rest of a video, for which prices are learned."""
HIDDEN, STEPS, BATCH, RATE = 48, 2000, 768, 3e-3
MEMBERS = 5
"""Networks whose mean is the price: one alone differs noticeably from seed to seed."""
STRANGERS = 0.3
"""Share of the examples in which the encoder is a stranger: the agent must also work without a known scale."""

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Lessons:
    """inputs (n, FEATURES) and the right prices (n, len(SPEEDS)), in running deviations."""

    inputs: Floats
    prices: Floats


def curve_of(alignment: Alignment) -> NDArray[np.float64]:
    """Relevance every PERIOD seconds as the agent would read it, shape (n,)."""
    times = np.arange(max(2, int(alignment.duration / PERIOD))) * PERIOD
    cell = np.clip(np.searchsorted(alignment.times, times, side="right") - 1, 0, None)
    return alignment.relevance[cell].astype(np.float64)


def prior_of(alignments: Sequence[Alignment]) -> Prior:
    """Scale of an encoder."""
    values = np.concatenate([curve_of(alignment) for alignment in alignments])
    return Prior(float(values.mean()), float(values.std()))


def lessons_of(alignment: Alignment, prior: Prior | None) -> Lessons:
    """Every second look at one video."""
    curve, seen = curve_of(alignment), Seen(alignment.duration, prior)
    levels = 1 - np.array([slow_share(speed, MAX_VELOCITY) for speed in SPEEDS])
    inputs, prices = [], []
    for look, relevance in enumerate(curve[:-2].tolist()):
        seen.add(relevance)
        if look % 2 == 0:
            inputs.append(seen.features())
            prices.append((np.quantile(curve[look + 1 :], levels) - seen.mean) / seen.deviation)
    shape = (-1, FEATURES)
    return Lessons(np.array(inputs, np.float32).reshape(shape), np.clip(prices, -10, 10).astype(np.float32))


def all_lessons(groups: Sequence[Sequence[Alignment]], priors: Sequence[Prior], seed: int) -> list[Lessons]:
    """One pool of lessons per encoder, some of its videos as a stranger's."""
    random = np.random.default_rng(seed)
    pools = []
    for videos, prior in zip(groups, priors, strict=True):
        parts = [lessons_of(video, None if random.random() < STRANGERS else prior) for video in videos]
        pools.append(Lessons(np.concatenate([p.inputs for p in parts]), np.concatenate([p.prices for p in parts])))
    return pools


def fit(pools: Sequence[Lessons], seed: int = 0, steps: int = STEPS) -> dict[str, Floats]:
    """Weights by their names; every batch has as much of each encoder. Least absolute error: the median."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    net = nn.Sequential(
        nn.Linear(INPUTS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1)
    )
    optimiser = torch.optim.Adam(net.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    shares = np.array([share_features(slow_share(speed, MAX_VELOCITY)) for speed in SPEEDS], np.float32)
    for _ in range(steps):
        inputs, targets = [], []
        for pool in pools:
            rows = random.integers(len(pool.inputs), size=BATCH // len(pools))
            speeds = random.integers(len(SPEEDS), size=len(rows))
            inputs.append(np.concatenate([pool.inputs[rows], shares[speeds]], 1))
            targets.append(pool.prices[rows, speeds])
        told = net(torch.from_numpy(np.concatenate(inputs)))[:, 0]
        loss = (told - torch.from_numpy(np.concatenate(targets))).abs().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    layers = [layer for layer in net if isinstance(layer, nn.Linear)]
    return {
        f"price.{name}.{kind}": getattr(layer, kind).detach().numpy()
        for name, layer in zip(LAYERS, layers, strict=True)
        for kind in ("weight", "bias")
    }


def mean_of(members: Sequence[dict[str, Floats]]) -> dict[str, Floats]:
    """One network that gives the mean of several: their hidden layers side by side."""
    first, second, third = LAYERS
    hidden = len(members[0][f"price.{first}.bias"])
    across = np.zeros((hidden * len(members),) * 2, np.float32)
    for k, member in enumerate(members):
        block = slice(k * hidden, (k + 1) * hidden)
        across[block, block] = member[f"price.{second}.weight"]
    last = np.concatenate([member[f"price.{third}.weight"] for member in members], 1) / len(members)
    return {
        f"price.{first}.weight": np.concatenate([member[f"price.{first}.weight"] for member in members]),
        f"price.{first}.bias": np.concatenate([member[f"price.{first}.bias"] for member in members]),
        f"price.{second}.weight": across,
        f"price.{second}.bias": np.concatenate([member[f"price.{second}.bias"] for member in members]),
        f"price.{third}.weight": last.astype(np.float32),
        f"price.{third}.bias": np.mean([member[f"price.{third}.bias"] for member in members], 0, dtype=np.float32),
    }


def train(folders: Sequence[Path], output: Path, seed: int = 0, steps: int = STEPS) -> None:
    """One folder of alignments per encoder → a model folder."""
    groups = [[Alignment.load(path) for path in sorted(folder.glob("*.npz"))] for folder in folders]
    priors = [prior_of(videos) for videos in groups]
    pools = all_lessons(groups, priors, seed)
    weights = mean_of([fit(pools, seed + member, steps) for member in range(MEMBERS)])
    output.mkdir(parents=True, exist_ok=True)
    file = output / "weights.safetensors"
    save_file(weights, file)
    facts = {
        "schema": "saffa.model/1",
        "kind": "saffa+",
        "priors": {v[0].encoder: [p.mean, p.deviation] for v, p in zip(groups, priors, strict=True)},
        "videos": {v[0].encoder: len(v) for v in groups},
        "seed": seed,
        "date": datetime.now(UTC).date().isoformat(),
        "command": "python -m saffa.agent.plus_training OUT DIR [DIR …]",
        "files": {file.name: file_sha256(file)},
    }
    (output / "model.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    train([Path(name) for name in sys.argv[2:]], Path(sys.argv[1]))
