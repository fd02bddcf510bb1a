"""Teach `saffa+`: `python -m saffa.research.training.plus.training OUT --data DIR --seeds 0,1,2` (needs PyTorch).

Rounds of the hindsight teacher come first: the agent walks, is told what each of its choices cost, learns from all
walks so far and walks again (DAgger). Then come rounds of trying each action out with its own walk as the
continuation, which is what the agent really faces. Several seeds make one network (`plus_ensemble`). One network learns
from the videos of all encoders and serves any; an encoder with enough videos of its own kind gets another one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file
from torch import Tensor, nn

from saffa.core.selection import wanted_frames
from saffa.methods.dynamics import Dynamics
from saffa.methods.plus.memory import INPUTS
from saffa.methods.plus.moves import Curve, Network, rules_for, walk_curve
from saffa.methods.plus.plus import LAYERS, STRANGER, WEIGHTS, Prior, own_weights
from saffa.research.datasets import narrated as youcook2_narrated
from saffa.research.training.plus.curves import School, narrated_school, schools
from saffa.research.training.plus.ensemble import course_text, keep_member, kept_member, merged
from saffa.research.training.plus.scales import visual_scales
from saffa.research.training.plus.teacher import IMPOSSIBLE, hindsight, hindsight_losses, prices_for, probe
from saffa.storage.models import RUN_AGENT, write_model

Floats = NDArray[np.float32]
WORST = 30.0
"""Losses are cut here: one hopeless state must not outweigh a video."""


@dataclass(frozen=True)
class Course:
    """How it is taught."""

    seed: int = 0
    hidden: int = 64
    videos: int = 360
    """Of each school in a round at most: no encoder should count much more because it has more videos."""
    rounds: int = 4
    walks: int = 4
    visits: int = 120
    stray: tuple[float, float] = (0.5, 0.1)
    steps: tuple[int, int] = (2000, 5000)
    probe_rounds: int = 12
    probes: int = 25
    probe_memory: int = 6
    probe_stray: float = 0.02
    probe_steps: int = 800
    settled: int = 2
    """After so many rounds of own walks the weights of each round are averaged: single rounds go up and down."""
    inertia: float = 0.7
    """What is kept of the average from one round to the next."""
    hold: int = 4
    strangers: float = 0.3
    wordless: float = 0.2


OWN = Course(hidden=128, strangers=0.0, wordless=0.0)
"""Of a network for one encoder, whose scale and sentences are always known. With 1,468 videos to learn from, twice the
width is not learned by heart."""


@dataclass
class Lessons:
    """Inputs (n, INPUTS) and losses (n, 3) of each round."""

    inputs: list[Floats] = field(default_factory=list)
    losses: list[Floats] = field(default_factory=list)

    def add(self, inputs: Floats, losses: Floats) -> None:
        """One more video."""
        self.inputs.append(inputs)
        self.losses.append(losses)


class Teacher:
    """Rounds over the schools' curves with one random stream."""

    def __init__(self, course: Course, groups: Sequence[School]) -> None:
        self._course, self._groups = course, groups
        self._random = np.random.default_rng(course.seed)
        self._dynamics = Dynamics()
        self._rules = rules_for(self._dynamics)

    def hindsight_round(self, network: Network, *, first: bool) -> tuple[Floats, Floats]:
        """Every curve walked at several speeds, half of the walks strayingly."""
        lessons, course = Lessons(), self._course
        for group in self._groups:
            for curve in self._drawn(group):
                visits = []
                for n in range(course.walks):
                    speed = self._speed(near=n == 0)
                    stray = course.stray[0 if first else 1] if n % 2 else 0.0
                    scale, seen = self._scale(group.prior), self._seen(curve)
                    start, wanted = self._start(speed), wanted_frames(curve.frames, speed)
                    seed = int(self._random.integers(1 << 30))
                    walk = walk_curve(network, self._rules, seen, scale, start, wanted, stray, seed)
                    kept = np.flatnonzero(walk.free)
                    if len(kept) > course.visits:
                        kept = self._random.choice(kept, course.visits, replace=False)
                    visits.append((walk.inputs[kept], walk.frames[kept], walk.states[kept], walk.left[kept]))
                inputs, frames, states, left = (np.concatenate(parts) for parts in zip(*visits, strict=True))
                order = np.argsort(-frames, kind="stable")
                reward = group.reward.of(curve).astype(np.float32)
                prices = prices_for(reward)
                values = hindsight(reward, prices, self._rules, frames[order], states[order])
                lessons.add(inputs[order], hindsight_losses(values, prices, left[order]))
        return np.concatenate(lessons.inputs), np.concatenate(lessons.losses)

    def probe_round(self, network: Network) -> tuple[Floats, Floats]:
        """Every curve walked once, some steps tried out in every way."""
        lessons, course = Lessons(), self._course
        for group in self._groups:
            for curve in self._drawn(group):
                speed = self._speed(near=self._random.random() < 0.5)
                scale, seen = self._scale(group.prior), self._seen(curve)
                start, wanted = self._start(speed), wanted_frames(curve.frames, speed)
                chance, seed = min(1.0, course.probes / wanted), int(self._random.integers(1 << 30))
                rules, reward, hold = self._rules, group.reward.of(curve), course.hold
                inputs, earned = probe(
                    network, rules, seen, scale, reward, start, wanted, chance, course.probe_stray, hold, seed
                )
                if len(inputs):
                    lessons.add(inputs, earned - earned.max(1, keepdims=True))
        return np.concatenate(lessons.inputs), np.concatenate(lessons.losses)

    def _drawn(self, group: School) -> Iterator[Curve]:
        """Some videos of a school, none twice: seen more often, the few narrated ones would be learned by heart."""
        for i in self._random.permutation(len(group.curves))[: self._course.videos]:
            yield group.curves[i]

    def _speed(self, *, near: bool) -> float:
        """Of the whole range, or near the benchmark's."""
        if near:
            return float(self._random.uniform(8, 16))
        return float(np.exp(self._random.uniform(np.log(1.5), np.log(23))))

    def _start(self, speed: float) -> int:
        return self._dynamics.state(round(speed), 1)

    def _scale(self, prior: Prior) -> tuple[float, float]:
        known = STRANGER if self._random.random() < self._course.strangers else prior
        return known.mean, known.deviation

    def _seen(self, curve: Curve) -> Curve:
        return curve._replace(sentences=0) if self._random.random() < self._course.wordless else curve


def network_of(model: nn.Sequential) -> Network:
    """For walking."""
    layers = [layer for layer in model if isinstance(layer, nn.Linear)]
    arrays = [
        np.array(array.detach().numpy(), np.float32, order="C")
        for layer in layers
        for array in (layer.weight.T, layer.bias)
    ]
    return Network(*arrays)


def blended(old: Network, new: Network, inertia: float) -> Network:
    """A running average of weights."""
    share = np.float32(inertia)
    return Network(*(share * a + (1 - share) * b for a, b in zip(old, new, strict=True)))


def fit(model: nn.Sequential, inputs: Floats, losses: Floats, steps: int, rate: float, batch: int = 2048) -> None:
    """Least expected loss of the actions that the scores would draw, with a little entropy."""
    seen = torch.from_numpy(inputs)
    cost = torch.from_numpy(np.minimum(-losses, WORST))
    barred = torch.from_numpy(losses <= IMPOSSIBLE / 2)
    optimiser = torch.optim.AdamW(model.parameters(), rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        rows = torch.randint(len(seen), (batch,))
        scores: Tensor = model(seen[rows]).masked_fill(barred[rows], -30.0)
        chances = scores.softmax(1)
        entropy = -(chances * chances.clamp_min(1e-9).log()).sum(1)
        loss = (chances * cost[rows]).sum(1).mean() - 0.01 * entropy.mean()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()


def teach(groups: Sequence[School], course: Course) -> Network:
    """The whole course."""
    torch.set_num_threads(1)
    torch.manual_seed(course.seed)
    hidden = course.hidden
    model = nn.Sequential(
        nn.Linear(INPUTS, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 3)
    )
    teacher, lessons = Teacher(course, groups), Lessons()
    for n in range(course.rounds):
        lessons.add(*teacher.hindsight_round(network_of(model), first=n == 0))
        steps = course.steps[1 if n == course.rounds - 1 else 0]
        fit(model, np.concatenate(lessons.inputs), np.concatenate(lessons.losses), steps, 2e-3)
        print(f"hindsight {n + 1}/{course.rounds}", flush=True)
    lessons, recent = Lessons(), course.probe_memory
    smooth: Network | None = None
    for n in range(course.probe_rounds):
        lessons.add(*teacher.probe_round(network_of(model)))
        inputs, losses = np.concatenate(lessons.inputs[-recent:]), np.concatenate(lessons.losses[-recent:])
        fit(model, inputs, losses, course.probe_steps, 1e-3)
        if n >= course.settled:
            now = network_of(model)
            smooth = now if smooth is None else blended(smooth, now, course.inertia)
        print(f"own walks {n + 1}/{course.probe_rounds}", flush=True)
    return network_of(model) if smooth is None else smooth


def teach_all(groups: Sequence[School], course: Course, seeds: Sequence[int], members: Path) -> Network:
    """The course once for every seed, as one network. Members that are finished already are read from the folder."""
    networks = []
    videos = {g.encoder: (len(g.curves), g.prior.mean, g.prior.deviation, repr(g.reward)) for g in groups}
    for seed in seeds:
        own = replace(course, seed=seed)
        path = members / f"seed-{seed}.safetensors"
        text = course_text(asdict(own), videos)
        network = kept_member(text, path)
        if network is None:
            network = teach(groups, own)
            keep_member(network, text, path)
        networks.append(network)
    return merged(networks)


def save(
    network: Network,
    groups: Sequence[School],
    course: Course,
    seeds: Sequence[int],
    output: Path,
    scales: Mapping[str, Prior] | None = None,
    own: Mapping[str, Network] | None = None,
) -> None:
    """A model folder. `scales`: of encoders that it has not learned with; `own`: networks for one encoder each."""
    priors = {group.encoder: group.prior for group in groups} | dict(scales or {})
    files = {WEIGHTS: network} | {own_weights(encoder): made for encoder, made in (own or {}).items()}
    facts = {
        "kind": "saffa+",
        "priors": {name: asdict(prior) for name, prior in priors.items()},
        "videos": {group.encoder: len(group.curves) for group in groups},
        "course": _told(course),
        "own": dict.fromkeys(own or {}, _told(OWN)),
        "seed": list(seeds),
        "date": datetime.now(UTC).date().isoformat(),
        "command": f"python -m saffa.research.training.plus.training OUT --data DATA --seeds {','.join(map(str, seeds))}",  # noqa: E501
    }

    def fill(part: Path) -> Mapping[str, object]:
        for name, made in files.items():
            save_file(dict(zip(LAYERS, made, strict=True)), part / name)
        return facts

    write_model(output, fill, overwrite=True)


def _told(course: Course) -> dict[str, object]:
    """For the manifest, which names the seeds apart."""
    return {name: value for name, value in asdict(course).items() if name != "seed"}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Teach saffa+.")
    parser.add_argument("output", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder of youcook2_narrated/, msvd/ and image_text/")
    parser.add_argument("--seeds", default="0,1,2", help="one network each; their mean scores decide")
    chosen = parser.parse_args()
    seeds = [int(seed) for seed in chosen.seeds.split(",")]
    course, groups = Course(), list(schools(chosen.data, chosen.output / "encoders"))
    network = teach_all(groups, course, seeds, chosen.output / "members")
    narrated = narrated_school(youcook2_narrated.load(chosen.data, "training"))
    own = {narrated.encoder: teach_all([narrated], OWN, seeds, chosen.output / "members" / narrated.encoder)}
    save(network, groups, course, seeds, chosen.output / RUN_AGENT, visual_scales(chosen.data), own)


if __name__ == "__main__":
    main()
