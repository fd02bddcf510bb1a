"""Train an agent on any set of alignments: sampled episodes in a compiled loop, one update per batch of videos."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypedDict, TypeVar, Unpack

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError, SaffaError
from saffa.core.types import Progress
from saffa.methods.dynamics import MAX_VELOCITY
from saffa.methods.paper.agent import Agent
from saffa.methods.paper.compact import KIND, CompactAgent
from saffa.methods.paper.embedding_track import Track, Video, as_tracks
from saffa.methods.paper.loading import RUN_CHECKPOINT
from saffa.research.training.run import RunLog, World, import_board, joined_world, open_board
from saffa.research.training.saffa import checkpoint
from saffa.research.training.saffa.compact import CompactNetworks, CompactPlayer, SignalTrack, signal_tracks
from saffa.research.training.saffa.episode_sampling import EpisodeOrder, PublishedPlayer
from saffa.research.training.saffa.experience import Experience
from saffa.research.training.saffa.networks import PublishedNetworks
from saffa.research.training.saffa.reinforce import Learnable, N, PolicyLearner
from saffa.research.training.saffa.reward import Reward
from saffa.research.training.saffa.settings import AgentSettings
from saffa.research.training.saffa.training_log import EpochFacts, Tally
from saffa.storage.models import MANIFEST, RUN_AGENT, check_target

LAST = RUN_CHECKPOINT
_OF_A_RUN = re.compile(r"epoch-\d{4,}\.pth|events\.out\.tfevents\.\d.*")

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)
N_co = TypeVar("N_co", bound=Learnable, covariant=True)


class Player(Protocol[N_co, A_co]):
    """Plays episodes with a policy that is being learned."""

    @property
    def tracks(self) -> Sequence[Track] | Sequence[SignalTrack]:
        """The videos."""

    @property
    def networks(self) -> N_co:
        """The networks that learn."""

    def play(self, orders: Sequence[EpisodeOrder], reward: Reward) -> list[Experience]:
        """One sampled episode for each order."""

    def agent(self) -> A_co:
        """The policy as an agent to use."""

    def save(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the agent as a model folder."""


class Trainer(Generic[N, A]):
    """A learner and its videos. The same settings give the same weights, whatever the pauses between epochs."""

    def __init__(self, player: Player[N, A], settings: AgentSettings, world: World = World()) -> None:
        self.player, self.tracks = player, player.tracks
        self.settings = settings
        self.world = world
        longest = max(track.frames for track in self.tracks)
        if settings.speeds[1] > max(longest, MAX_VELOCITY):
            raise InputError(f"A speed of {settings.speeds[1]:g} is beyond the longest video, {longest} frames.")
        self.learner = PolicyLearner(self.player.networks, settings.learning)

    @property
    def agent(self) -> A:
        """The policy as it is now; the published one shares the memory of the networks."""
        return self.player.agent()

    def epoch(self, number: int) -> EpochFacts:
        """Play every video once and learn, batch by batch."""
        began, tally = time.perf_counter(), Tally()
        # The matrices are small: on a busy machine a second thread costs more than it brings (18 times, measured),
        # and with one the result does not depend on the machine's cores. More cores: more processes (torchrun).
        with threadpool_limits(1):
            batches = list(self._batches(number))
            for place, batch in enumerate(batches):
                done = (number - 1 + place / len(batches)) / self.settings.epochs
                orders = [order for video in self.world.share(batch) for order in self.orders(number, video)]
                episodes = self.player.play(orders, self.settings.reward.after(done))
                size = len(batch) * self.settings.episodes
                losses = self.learner.gradients(episodes, size)
                self.world.add_gradients(self.learner.networks.parameters())
                self.learner.step(done)
                tally.add(episodes, losses, size)
        tally.sums = self.world.add(tally.sums)
        return tally.facts(number, time.perf_counter() - began)

    @property
    def finite(self) -> bool:
        """Whether all weights are numbers still."""
        return all(bool(weights.isfinite().all()) for weights in self.learner.networks.parameters())

    def orders(self, epoch: int, video: int) -> list[EpisodeOrder]:
        """The episodes of a video in an epoch: S* and draws come from a stream that only these numbers name."""
        random = self._random(epoch, video)
        low, high = self.settings.speeds
        speed = low if low == high else int(random.integers(int(low), int(high) + 1))
        track = self.tracks[video]
        return [EpisodeOrder(track, speed, random.random(track.frames)) for _ in range(self.settings.episodes)]

    def _batches(self, epoch: int) -> Iterator[list[int]]:
        """Batches of all videos; of each encoder as many as the smallest set has, so that each counts alike."""
        order = self._random(epoch).permutation(len(self.tracks)).tolist()
        sets: dict[str, list[int]] = {}
        for video in order:
            sets.setdefault(self.tracks[video].encoder, []).append(video)
        fewest = min(map(len, sets.values()))
        kept = {video for videos in sets.values() for video in videos[:fewest]}
        order = [video for video in order if video in kept]
        size = self.settings.batch or len(order)
        for start in range(0, len(order), size):
            yield order[start : start + size]

    def _random(self, *names: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.settings.seed, spawn_key=names))


PublishedTrainer = Trainer[PublishedNetworks, Agent]
CompactTrainer = Trainer[CompactNetworks, CompactAgent]


def published_trainer(
    videos: Path | Iterable[Video], settings: AgentSettings, world: World = World()
) -> PublishedTrainer:
    """A trainer of the paper's agent (or SFF-RL's)."""
    tracks = as_tracks(Track.load_folder(videos) if isinstance(videos, Path) else videos)
    return Trainer(PublishedPlayer(tracks, settings), settings, world)


def compact_trainer(
    videos: Path | Iterable[Alignment | SignalTrack], settings: AgentSettings, world: World = World()
) -> CompactTrainer:
    """A trainer of the compact agent."""
    return Trainer(CompactPlayer(signal_tracks(videos, settings), settings), settings, world)


def train_agent(
    videos: Path | Iterable[Video],
    output: Path,
    settings: AgentSettings = AgentSettings(),
    **options: Unpack[RunOptions],
) -> Agent:
    """Train and leave a run in the folder `output`: log.jsonl, last.pth (to resume), snapshots, and agent/ (to use).

    `videos` is a folder of alignments (npz), or alignments, tracks or embeddings (F, 2d) in memory.
    """
    return _train(lambda world: published_trainer(videos, settings, world), output, settings, **options)


def train_compact(
    videos: Path | Iterable[Alignment | SignalTrack],
    output: Path,
    settings: AgentSettings,
    **options: Unpack[RunOptions],
) -> CompactAgent:
    """Train the compact agent in the same way, on alignments of one or more encoders."""
    return _train(lambda world: compact_trainer(videos, settings, world), output, settings, **options)


class RunOptions(TypedDict, total=False):
    """How a run is done, whatever is trained."""

    resume: bool
    overwrite: bool
    tensorboard: bool
    progress: Progress | None


def _train(
    make: Callable[[World], Trainer[N, A]],
    output: Path,
    settings: AgentSettings,
    *,
    resume: bool = False,
    overwrite: bool = False,
    tensorboard: bool = False,
    progress: Progress | None = None,
) -> A:
    _check_folder(output, resume, overwrite)
    if tensorboard:
        import_board()  # there, or refused before anything is changed
    with joined_world() as world:
        trainer = make(world)
        known = checkpoint.fingerprint(trainer.tracks)
        world.wait()  # all have looked at the folder before the first one changes it
        done = checkpoint.restore(output / LAST, trainer.learner, settings, known) if resume else 0
        if world.leads:
            output.mkdir(parents=True, exist_ok=True)
            if overwrite and not resume:
                _clear(output)
        board = open_board(output, done + 1) if tensorboard and world.leads else None
        with RunLog(output, first=done + 1, quiet=not world.leads, board=board) as log:
            for number in range(done + 1, settings.epochs + 1):
                facts = trainer.epoch(number)
                log.write(asdict(facts))
                if not (facts.finite and trainer.finite):  # every process comes to the same answer
                    raise SaffaError(_diverged(output, number))
                if world.leads:
                    _save(output, trainer, number, known)
                    if progress is not None:
                        progress("Training", number / settings.epochs)
        if world.leads:
            really = replace(settings, epochs=max(done, settings.epochs))  # a run may have gone further before
            about = {"settings": really.to_json(), "videos": len(trainer.tracks), "videos_sha256": known}
            trainer.player.save(output / RUN_AGENT, {"training": about})
        world.wait()
    return trainer.agent


def _save(output: Path, trainer: Trainer[N, A], epoch: int, videos: str) -> None:
    """The snapshot first: killed between the two, a resumed run writes it again."""
    snapshot = [f"epoch-{epoch:04d}.pth"] if epoch % trainer.settings.snapshot == 0 else []
    for name in (*snapshot, LAST):
        checkpoint.save(output / name, trainer.learner, trainer.settings, epoch, videos)


def _diverged(output: Path, epoch: int) -> str:
    kept = f"{output / LAST} is as it was after epoch {epoch - 1}" if epoch > 1 else "no agent was written"
    told = f"Training diverged in epoch {epoch}: losses or weights are no longer finite; {kept}."
    return f"{told} Try a smaller --lr or --critic-lr."


def _check_folder(output: Path, resume: bool, overwrite: bool) -> None:
    if output.exists() and not output.is_dir():
        raise InputError(f"{output} is a file; give a folder for the run.")
    if not output.parent.is_dir():
        raise InputError(f"The folder {output.parent} does not exist; create it or choose another place.")
    agent = output / RUN_AGENT
    check_target(agent, overwrite=True)
    if _kind(agent) not in (None, "agent", KIND):
        raise InputError(f"{agent} is a {_kind(agent)}, not an agent that this would train; choose another folder.")
    if ((output / LAST).exists() or agent.exists()) and not (resume or overwrite):
        raise InputError(f"{output} holds a run. Use --resume to go on with it or --overwrite to start again.")


def _kind(folder: Path) -> str | None:
    """Kind of the model in a folder; None if there is none, or a damaged one."""
    try:
        return str(json.loads((folder / MANIFEST).read_text("utf-8"))["kind"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _clear(output: Path) -> None:
    """Take an older run away: what saffa wrote and nothing else, at last the file that makes it a run."""
    if (output / RUN_AGENT).exists():
        shutil.rmtree(output / RUN_AGENT)
    for path in output.iterdir():
        if path.is_file() and _OF_A_RUN.fullmatch(path.name):
            path.unlink()
    (output / LAST).unlink(missing_ok=True)
