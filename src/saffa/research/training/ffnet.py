"""Teach FFNet by Q-learning on labelled videos (method.md E), many walks side by side.

As published: memory of 128 jumps, one step of RMSProp on it, then it is emptied; target r + 0.8 max Q(next) from the
same network; actions not taken keep their own prediction. Different: the 128 jumps come from 128 walks at once rather
than from one, and ε falls to its floor within the run (the authors' 1e-5 a batch takes 90,000 batches).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.types import Doubles, Flags, Floats, Ints, Progress, Share
from saffa.research.baselines.ffnet import HIDDEN, LONGEST, QNetwork, jump_rewards, nearness
from saffa.research.datasets.registry import WantedVideos, encoder_for, load_videos
from saffa.research.datasets.store import axis_of, stored
from saffa.research.evaluation.metrics import truth_of
from saffa.research.training.run import LOG, check_run_folder, read_state, write_state
from saffa.storage.models import RUN_AGENT

LAST = "last.pt"
LOGGED = 200
"""Batches per line of the log and per checkpoint."""


@dataclass(frozen=True)
class FfnetSettings:
    """The authors' values, except the length of the run and how fast ε falls."""

    batches: int = 6_000
    memory: int = 128
    gamma: float = 0.8
    lr: float = 2e-4
    epsilon_floor: float = 0.1
    falling: float = 0.75
    """Share of the run over which ε falls from 1 to its floor."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.batches < 1 or self.memory < 1:
            raise InputError("batches and memory must be 1 or more.")

    def epsilon(self, batch: int) -> float:
        """Chance of a random jump."""
        fallen = (1 - self.epsilon_floor) * batch / (self.falling * self.batches)
        return max(self.epsilon_floor, 1 - fallen)


@dataclass(frozen=True, eq=False)
class LabelledVideo:
    """Rows of features (T, d), the row of every frame (F,), and whether the frame lies in a step (F,)."""

    rows: Floats = field(repr=False)
    row_of_frame: Ints = field(repr=False)
    labels: Flags = field(repr=False)


class LabelledCourse:
    """Labelled videos end to end, so that a batch of walks is a handful of array operations."""

    def __init__(self, videos: Iterable[LabelledVideo]) -> None:
        known = list(videos)
        if not known:
            raise InputError("There are no videos to train on.")
        self.rows = torch.from_numpy(np.concatenate([v.rows for v in known]))
        row_offsets = np.cumsum([0, *(len(v.rows) for v in known)])
        self.starts = np.cumsum([0, *(len(v.labels) for v in known)])
        self.row_of_frame = np.concatenate([v.row_of_frame + o for v, o in zip(known, row_offsets, strict=False)])
        self.relevant_before = np.cumsum([0, *np.concatenate([v.labels for v in known])])
        self.nearness = np.concatenate([nearness(v.labels) for v in known])

    def features(self, frames: Ints) -> Tensor:
        """Features of n frames, (n, d), as numbers of size one."""
        found: Tensor = self.rows[torch.from_numpy(self.row_of_frame[frames])] * float(self.rows.shape[1] ** 0.5)
        return found

    def rewards(self, start: Ints, there: Ints, end: Ints) -> Doubles:
        """Rewards of jumps start → there in videos that end at `end`; past the end nothing is landed on."""
        landed = there < end
        between = jump_rewards(self.relevant_before, start, np.minimum(there, end))
        return between + np.where(landed, self.nearness[np.where(landed, there, 0)], 0.0)


class JumpLearner:
    """The network, its optimiser and the walks; everything that a checkpoint must hold."""

    def __init__(self, course: LabelledCourse, settings: FfnetSettings) -> None:
        self.course, self.settings = course, settings
        self.random = np.random.default_rng(settings.seed)
        self.network = _fresh(course.rows.shape[1], settings.seed)
        self.optimiser = torch.optim.RMSprop(self.network.parameters(), lr=settings.lr, alpha=0.9)
        self.queue: list[int] = []
        self.batch = 0
        self.video = np.array([self._next_video() for _ in range(settings.memory)])
        first, end = course.starts[self.video], course.starts[self.video + 1]
        # somewhere in the video, so that the walks do not meet the same moments in step
        self.frame = first + (self.random.random(settings.memory) * (end - first)).astype(np.int64)

    def step(self) -> tuple[float, float, float]:
        """One jump of every walk and one update; mean reward, loss, mean jump."""
        course, settings = self.course, self.settings
        here = course.features(self.frame)
        with torch.no_grad():
            greedy = self.network(here).argmax(1).numpy()
        explores = self.random.random(len(greedy)) < settings.epsilon(self.batch)
        action = np.where(explores, self.random.integers(LONGEST, size=len(greedy)), greedy)
        end = course.starts[self.video + 1]
        there = self.frame + action + 1
        ended = there >= end
        reward = course.rewards(self.frame, there, end)
        with torch.no_grad():
            ahead = self.network(course.features(np.where(ended, self.frame, there))).max(1).values
        target = torch.from_numpy(reward.astype(np.float32)) + settings.gamma * ahead * torch.from_numpy(~ended)
        told = self.network(here).gather(1, torch.from_numpy(action)[:, None])[:, 0]
        loss = ((told - target) ** 2).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        for walk in np.flatnonzero(ended):
            self.video[walk] = self._next_video()
        self.frame = np.where(ended, course.starts[self.video], there)
        self.batch += 1
        return float(reward.mean()), float(loss.detach()), float(action.mean() + 1)

    def _next_video(self) -> int:
        if not self.queue:
            self.queue = self.random.permutation(len(self.course.starts) - 1).tolist()
        return self.queue.pop()

    def save(self, path: Path) -> None:
        """Write everything it takes to go on exactly."""
        state = {
            "settings": asdict(self.settings),
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "walks": json.dumps([self.video.tolist(), self.frame.tolist(), self.queue, self.batch]),
            "random": json.dumps(self.random.bit_generator.state),
        }
        write_state(path, state)

    def restore(self, path: Path) -> None:
        """Go on from what `save` wrote with the same settings."""
        state = read_state(path, "settings", "network", "optimiser", "walks", "random")
        if state["settings"] != asdict(self.settings):
            raise InputError(f"{path} comes from a run with other settings; resume with the same ones.")
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        video, frame, self.queue, self.batch = json.loads(state["walks"])
        self.video, self.frame = np.array(video), np.array(frame)
        self.random.bit_generator.state = json.loads(state["random"])

    def q_network(self, encoder: str) -> QNetwork:
        """The network in NumPy, without PyTorch."""
        layers = [layer for layer in self.network if isinstance(layer, nn.Linear)]
        weights = tuple(layer.weight.detach().numpy().copy() for layer in layers)
        return QNetwork(weights, tuple(layer.bias.detach().numpy().copy() for layer in layers), encoder)


def train_ffnet(
    videos: Iterable[LabelledVideo],
    output: Path,
    settings: FfnetSettings = FfnetSettings(),
    *,
    encoder: str = "",
    facts: dict[str, Any] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress = lambda *_: None,
) -> QNetwork:
    """Train and leave a run in `output`: log.jsonl, last.pt (to resume) and agent/ (to use)."""
    check_run_folder(output, resume=resume, overwrite=overwrite)
    if not output.parent.is_dir():
        raise InputError(f"The folder {output.parent} does not exist; create it or choose another place.")
    torch.set_num_threads(1)  # small matrices: a second thread costs more than it brings
    learner = JumpLearner(LabelledCourse(videos), settings)
    output.mkdir(exist_ok=True)
    if resume and (output / LAST).exists():
        learner.restore(output / LAST)
    else:
        (output / LOG).write_text("", "utf-8")
    while learner.batch < settings.batches:
        began = time.perf_counter()
        sums = [learner.step() for _ in range(min(LOGGED, settings.batches - learner.batch))]
        reward, loss, jump = np.mean(sums, 0).tolist()
        line = {"batch": learner.batch, "epsilon": settings.epsilon(learner.batch), "reward": reward, "loss": loss}
        with (output / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(line | {"jump": jump, "seconds": time.perf_counter() - began}) + "\n")
        learner.save(output / LAST)
        progress("Training", learner.batch / settings.batches)
    trained = learner.q_network(encoder)
    trained.save(output / RUN_AGENT, {"training": asdict(settings), **(facts or {})}, overwrite=True)
    return trained


def _fresh(width: int, seed: int) -> nn.Sequential:
    """Weights N(0, √(2/n)), the last layer's N(0, √(1/n)), n the layer's inputs; biases 0."""
    generator = torch.Generator().manual_seed(seed)
    sizes = (width, *HIDDEN, LONGEST)
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layer = nn.Linear(inputs, outputs)
        gain = 1.0 if outputs == LONGEST else 2.0
        with torch.no_grad():
            layer.weight.copy_(torch.randn(outputs, inputs, generator=generator) * (gain / inputs) ** 0.5)
            layer.bias.zero_()
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@dataclass(frozen=True)
class Labelled:
    """Videos, and the name of the encoder whose e_v they show."""

    videos: tuple[LabelledVideo, ...]
    encoder: str
    left_out: str = ""
    """How many of the split are missing or damaged, for people; empty if none is."""


def labelled_videos(
    benchmark: str,
    data: Path,
    split: str,
    encoder: str = "auto",
    progress: Share = lambda _: None,
    *,
    domain: str | None = None,
    store: Path | None = None,
) -> Labelled:
    """Encode a split and mark the frames inside its steps; `domain` is COIN's, `store` keeps alignments."""
    found = load_videos(benchmark, WantedVideos(data, split, encoder == "none", domain=domain))
    sees = encoder_for(benchmark, encoder)
    if store is not None:
        sees = stored(sees, store)
    videos, encoders = [], set[str]()
    for done, video in enumerate(found.videos):
        alignment = sees.encode(axis_of(video), video.document, video.narration)
        videos.append(labelled(alignment, truth_of(video.steps, video.frames)))
        encoders.add(alignment.encoder)
        progress((done + 1) / len(found.videos))
    if len(encoders) > 1:
        raise InputError(f"The videos were read by several encoders ({', '.join(sorted(encoders))}). Name one.")
    return Labelled(tuple(videos), encoders.pop(), found.summary())


def labelled(alignment: Alignment, truth: Flags) -> LabelledVideo:
    """Neighbouring grid times that look the same become one row: memory, with a grid as fine as the frames."""
    return LabelledVideo(*alignment.held_features(), truth)
