"""Learn what each clue of a narration is worth from videos whose steps are known.

A conditional random field: the weights are moved until the chain of steps, free to choose, shows the sentences where
they are shown in truth (d/d evidence = P(free) − P(held to the truth)). Every video is read with its whole text and
with each half of it, so that the weights do not rely on all steps being named. Several runs over other parts of the
videos are averaged; evidence is linear in the weights, so the average is one model.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from saffa.core.errors import InputError
from saffa.core.types import Doubles, Floats
from saffa.core.whole_file import whole_file
from saffa.encoders.narrated.encoder import clues_of, grouped_lengths
from saffa.encoders.narrated.learned import StepLengths, Weights
from saffa.encoders.narrated.passages import GRAPH, PIECES, Reads
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.evaluation.texts import with_texts
from saffa.storage.models import VOCABULARY, WEIGHTS, ModelFolder, write_model

STATE, MODEL = "last.npz", "model"
HELD = 40.0
"""Log-odds that hold a time to its true sentence."""
DECAY, SECOND_DECAY, WARM = 0.9, 0.99, 0.3
"""Of Adam's means, and the share of the steps over which its rate rises before it falls."""


@dataclass(frozen=True)
class NarratedSettings:
    """How the weights are learned."""

    epochs: int = 6
    runs: int = 5
    share: float = 0.8
    """Of the videos, for each run."""
    rate: float = 0.03
    batch: int = 8
    dropout: float = 0.15
    decay: float = 0.03
    """How strongly weights are drawn to 0."""
    slack: float = 2.0
    """Seconds by which a boundary may be wrong."""
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Lesson:
    """A video with a text: its clues (T, G, C), the chain, and what holds it to the truth."""

    clues: Floats
    chain: StepLengths
    hold: Floats

    @classmethod
    def of(cls, video: BenchmarkVideo, slack: float, reader: Reads | None = None) -> Lesson:
        """Read a video with the text that it has; None: with the network that comes with saffa."""
        found = clues_of(video, video.document, video.narration, reader=reader)
        chain = StepLengths.over(
            found.grid.cells, found.grid.seconds, grouped_lengths(found.lexicon, list(found.groups))
        )
        hold = held(video, found.grid.times(), slack)
        return cls(np.stack(list(found), -1).astype(np.float32), chain, hold)

    def gradient(self, weights: Doubles, constant: float) -> tuple[Floats, float]:
        """d/d evidence of the loss, (T, G), and the loss, both per second."""
        evidence = (self.clues @ weights + constant).astype(np.float32)
        free, likely = self.chain.posterior(evidence)
        truth, told = self.chain.posterior(evidence + self.hold)
        offset = float(self.hold.max(1).clip(0).sum())
        return np.asarray((free - truth) / len(evidence), np.float32), (likely - (told - offset)) / len(evidence)


def held(video: BenchmarkVideo, times: Floats, slack: float) -> Floats:
    """What to add to the evidence, (T, N), so that the chain keeps to the true steps up to `slack` seconds."""
    allowed = np.zeros((len(times), len(video.steps) + 1), bool)
    steps = [(a / float(video.rate), b / float(video.rate)) for a, b in video.steps]
    inside = np.zeros(len(times), bool)
    for k, (start, end) in enumerate(steps):
        allowed[:, k] = (times >= start - slack) & (times < end + slack)
        inside |= (times >= start + slack) & (times < end - slack)
    allowed[:, -1] = ~inside
    for k, (start, end) in enumerate(steps):  # the middle of a step is sure, however short it is
        middle = int(np.argmin(np.abs(times - (start + end) / 2)))
        allowed[middle] = np.arange(len(steps) + 1) == k
    sure = ~allowed[:, -1:]
    return np.where(allowed[:, :-1], np.where(sure, HELD, 0.0), -HELD).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Networks:
    """What reads passages: in turn for the training videos, none of which its network has seen; and the one to ship."""

    readers: Sequence[Reads]
    final: ModelFolder

    @property
    def facts(self) -> dict[str, Any]:
        """How the networks were trained."""
        return dict(self.final.facts["training"])


@dataclass(eq=False)
class Remembering:
    """Reads the passages of a video once, though it comes with several texts."""

    reader: Reads
    known: dict[tuple[int, ...], Floats] = field(default_factory=dict)

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        """As its reader."""
        return self.reader.numbers(texts)

    def vectors(self, rows: Sequence[Sequence[int]]) -> Floats:
        """As its reader; rows that were read before come from memory."""
        keys = [tuple(row) for row in rows]
        fresh = [key for key in dict.fromkeys(keys) if key not in self.known]
        self.known.update(zip(fresh, self.reader.vectors(fresh), strict=True))
        return np.stack([self.known[key] for key in keys])


@dataclass(frozen=True, eq=False)
class Course:
    """All lessons, their clues standardised, and whose video each is."""

    lessons: tuple[Lesson, ...]
    owners: NDArray[np.int64]
    mean: Doubles
    deviation: Doubles

    @classmethod
    def of(
        cls,
        videos: Sequence[BenchmarkVideo],
        slack: float,
        progress: Callable[[float], None],
        readers: Sequence[Reads],
    ) -> Course:
        """Every video with its whole text and with each half of it, read by `readers` in turn."""
        lessons, owners = [], []
        for place, video in enumerate(videos):
            reader = Remembering(readers[place % len(readers)])
            for other in (*with_texts([video]), *with_texts([video], "half")):
                lessons.append(Lesson.of(other, slack, reader))
                owners.append(place)
            progress((place + 1) / len(videos))
        seen = np.concatenate([x.clues.reshape(-1, x.clues.shape[-1])[::9] for x in lessons]).astype(np.float64)
        mean, deviation = seen.mean(0), seen.std(0) + 1e-3
        scaled = tuple(replace(x, clues=((x.clues - mean) / deviation).astype(np.float32)) for x in lessons)
        return cls(scaled, np.array(owners), mean, deviation)

    def raw(self, learned: Doubles) -> Weights:
        """Weights for clues as they are, from those for standardised ones and the constant at the end."""
        plain = learned[:-1] / self.deviation
        return Weights(plain.astype(np.float32), float(learned[-1] - plain @ self.mean))


class Learner:
    """Adam over one run's lessons; `state` is all that it needs to go on."""

    def __init__(self, course: Course, settings: NarratedSettings, run: int) -> None:
        self.course, self.settings = course, settings
        self.random = np.random.default_rng((settings.seed, run))
        videos = self.random.permutation(int(course.owners.max()) + 1)
        chosen = videos[: max(1, round(settings.share * len(videos)))]
        self.chosen = np.flatnonzero(np.isin(course.owners, chosen))
        size = len(course.mean) + 1
        self.weights, self.first, self.second = np.zeros(size), np.zeros(size), np.zeros(size)
        self.step = 0

    def epoch(self) -> float:
        """Go through the lessons once; the mean loss."""
        settings = self.settings
        order = self.random.permutation(self.chosen)
        batches = [order[a : a + settings.batch] for a in range(0, len(order), settings.batch)]
        losses = [self._batch(batch, len(batches) * settings.epochs) for batch in batches]
        return float(np.mean(losses))

    def _batch(self, batch: NDArray[np.int64], steps: int) -> float:
        slope, loss = np.zeros(len(self.weights)), 0.0
        for number in batch.tolist():
            lesson, keep = self.course.lessons[number], 1 - self.settings.dropout
            kept = (self.random.random(len(slope) - 1) < keep) / keep
            change, lost = lesson.gradient(kept * self.weights[:-1], self.weights[-1])
            slope[:-1] += kept * np.tensordot(change, lesson.clues, ((0, 1), (0, 1)))
            slope[-1] += change.sum()
            loss += lost
        self.step += 1
        slope /= len(batch)
        slope[:-1] += self.settings.decay * self.weights[:-1]
        self.first = DECAY * self.first + (1 - DECAY) * slope
        self.second = SECOND_DECAY * self.second + (1 - SECOND_DECAY) * slope**2
        done = self.step / steps
        rate = self.settings.rate * (done / WARM if done < WARM else (1 - done) / (1 - WARM))
        mean, square = self.first / (1 - DECAY**self.step), self.second / (1 - SECOND_DECAY**self.step)
        self.weights = self.weights - rate * mean / (np.sqrt(square) + 1e-8)
        return loss / len(batch)


def train_narrated(
    videos: Sequence[BenchmarkVideo],
    output: Path,
    networks: Networks,
    settings: NarratedSettings = NarratedSettings(),
    *,
    facts: dict[str, Any] | None = None,
    resume: bool = False,
    progress: Callable[[str, float], None] = lambda *_: None,
) -> Weights:
    """Learn and leave in `output` last.npz (the runs that are done, to go on from) and model/ (to use)."""
    state = output / STATE
    if state.exists():
        check_folder(output, resume=resume)
    output.mkdir(parents=True, exist_ok=True)
    known = json.dumps(asdict(settings), sort_keys=True)
    learned = _resumed(state, known) if resume and state.exists() else []
    course = Course.of(videos, settings.slack, lambda share: progress("Reading", share), networks.readers)
    while len(learned) < settings.runs:
        learner = Learner(course, settings, len(learned))
        for epoch in range(settings.epochs):
            learner.epoch()
            done = len(learned) + (epoch + 1) / settings.epochs
            progress("Training", done / settings.runs)
        learned.append(learner.weights)
        with whole_file(state, overwrite=True) as part, part.open("wb") as file:
            np.savez(file, weights=np.stack(learned), settings=np.array(known))
    weights = course.raw(np.mean(learned, 0))

    def fill(folder: Path) -> dict[str, Any]:
        constant = np.array([weights.constant], np.float32)
        save_file({"clues": weights.clues, "constant": constant}, folder / WEIGHTS)
        for name in (GRAPH, PIECES, VOCABULARY):
            shutil.copyfile(networks.final.path / name, folder / name)
        return {"kind": "narration-weights", "training": asdict(settings), "network": networks.facts, **(facts or {})}

    write_model(output / MODEL, fill, overwrite=True)
    return weights


def check_folder(output: Path, *, resume: bool) -> None:
    """InputError if the folder holds a run that is not to be resumed."""
    if output.exists() and any(output.iterdir()) and not resume:
        raise InputError(f"{output} holds a run. Use --resume to go on with it, or choose another folder.")


def _resumed(state: Path, settings: str) -> list[Doubles]:
    with state.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        if str(stored["settings"]) != settings:
            raise InputError(f"{state.parent} was begun with other settings. Use those, or choose another folder.")
        return list(stored["weights"])
