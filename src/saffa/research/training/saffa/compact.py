"""Episodes and networks of the compact agent while it learns. `training.Trainer` does the rest, as for SAFFA."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.selection import wanted_frames
from saffa.core.types import Doubles, Floats, Ints
from saffa.methods.dynamics import ACTIONS
from saffa.methods.paper.compact import CompactAgent, Scale, Signal, deviations, save_compact, signal_of
from saffa.methods.paper.compact_walk import REACH, STATE, CompactCourse, CompactWeights, walk
from saffa.research.training.saffa.episode_sampling import EpisodeOrder
from saffa.research.training.saffa.experience import Experience
from saffa.research.training.saffa.networks import Network
from saffa.research.training.saffa.reward import Reward
from saffa.research.training.saffa.settings import AgentSettings


@dataclass(frozen=True, eq=False)
class SignalTrack:
    """A video as the compact agent meets it: a signal at every frame.

    fit   (F,)  the signal as the encoder gives it, which is paid
    seen  (F,)  the signal in deviations, which the agent sees; by default in the video's own
    """

    fit: Floats = field(repr=False)
    rate: float
    name: str
    encoder: str
    """Whose signal it is; `NAME:product` for e_D·e_v."""
    scale: Scale | None = None

    @cached_property
    def seen(self) -> Floats:
        """The signal in deviations, within REACH."""
        if self.scale is None:
            return deviations(self.fit.astype(np.float64))
        return np.asarray(np.clip((self.fit - self.scale.mean) / self.scale.deviation, -REACH, REACH), np.float32)

    @cached_property
    def sums(self) -> Doubles:
        """Sums of what is seen before each frame, (F + 1,)."""
        return np.concatenate([[0.0], np.cumsum(self.seen, dtype=np.float64)])

    @property
    def frames(self) -> int:
        """Length of the video, F."""
        return len(self.fit)

    @cached_property
    def mean_fit(self) -> float:
        """Mean of the signal over all frames."""
        return float(self.fit.mean(dtype=np.float64))

    def fit_at(self, frames: Ints) -> Floats:
        """The signal at n frames, (n,)."""
        return self.fit[frames]

    def content(self) -> bytes:
        """All that an episode depends on, for the fingerprint of a run."""
        return self.fit.tobytes() + f"{self.rate} {self.encoder}".encode()

    @classmethod
    def of_alignment(cls, alignment: Alignment, name: str, signal: Signal = "relevance") -> SignalTrack:
        """One of the two signals of an alignment."""
        encoder = alignment.encoder + (":product" if signal == "product" else "")
        return cls(signal_of(alignment, signal).astype(np.float32), float(alignment.rate), name, encoder)


def signal_tracks(videos: Path | Iterable[Alignment | SignalTrack], settings: AgentSettings) -> list[SignalTrack]:
    """Tracks from a folder of alignments (npz) or from memory, scaled as the agent will see them."""
    kinds: tuple[Signal, ...] = ("relevance", "product") if settings.signal == "both" else (settings.signal,)
    given = _load(videos) if isinstance(videos, Path) else [(str(k), video) for k, video in enumerate(videos)]
    tracks = [
        made
        for name, video in given
        for made in (
            [video]
            if isinstance(video, SignalTrack)
            else [SignalTrack.of_alignment(video, name, kind) for kind in kinds]
        )
    ]
    if not tracks:
        raise InputError("There are no videos to train on.")
    if settings.look_ahead:
        return tracks
    scales = scales_of(tracks)
    return [replace(track, scale=scales[track.encoder]) for track in tracks]


def _load(folder: Path) -> list[tuple[str, Alignment]]:
    paths = sorted(folder.glob("*.npz")) if folder.is_dir() else []
    if not paths:
        raise InputError(f"There is no alignment (.npz) in {folder}. Make some with `saffa align`.")
    return [(path.stem, Alignment.load(path)) for path in paths]


def scales_of(tracks: Sequence[SignalTrack]) -> dict[str, Scale]:
    """Mean and deviation of every encoder's signal."""
    found = {}
    for encoder in sorted({track.encoder for track in tracks}):
        values = np.concatenate([track.fit for track in tracks if track.encoder == encoder]).astype(np.float64)
        if not values.std() > 0:
            raise InputError(f"The signal of {encoder} is the same everywhere; there is nothing to learn from.")
        found[encoder] = Scale(float(values.mean()), float(values.std()))
    return found


@dataclass(frozen=True)
class CompactTraits:
    """What a compact agent is, beside its weights."""

    look_ahead: bool
    keep_length: bool
    hidden: tuple[int, int]

    def to_json(self) -> dict[str, Any]:
        """These facts as plain values."""
        return {"state": "compact", **asdict(self)}


class CompactNetworks(nn.Module):
    """Policy and critic of one compact agent."""

    def __init__(self, traits: CompactTraits, seed: int) -> None:
        super().__init__()
        self.traits = traits
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.policy = Network(STATE, len(ACTIONS), traits.hidden)
            self.critic = Network(STATE, 1, traits.hidden)

    def inputs(self, episodes: Sequence[Experience]) -> tuple[Floats, Ints, Floats]:
        """All states of the episodes as `Network.of_parts` takes them; no part of them is shared."""
        states = np.concatenate([e.states for e in episodes if e.states is not None])
        return np.zeros((1, 0), np.float32), np.zeros(len(states), np.int64), states

    def compiled(self) -> CompactWeights:
        """The policy as it is now, for the compiled walk."""
        layers = (self.policy.fc1, self.policy.fc2, self.policy.fc3)
        arrays = [part.detach().numpy() for layer in layers for part in (layer.weight.T, layer.bias)]
        return CompactWeights(*(np.ascontiguousarray(array)[None] for array in arrays))


class CompactPlayer:
    """Plays the episodes of a training run with the policy as it is."""

    def __init__(self, tracks: Sequence[SignalTrack], settings: AgentSettings) -> None:
        self.tracks = tracks
        traits = CompactTraits(settings.look_ahead, settings.keep_length, settings.hidden)
        self.networks = CompactNetworks(traits, settings.seed)

    def play(self, orders: Sequence[EpisodeOrder], reward: Reward) -> list[Experience]:
        """One sampled episode for each order."""
        compiled = self.networks.compiled()
        return [self._play(compiled, order, reward) for order in orders]

    def _play(self, compiled: CompactWeights, order: EpisodeOrder, reward: Reward) -> Experience:
        track, traits, speed = order.track, self.networks.traits, float(order.speed)
        if not isinstance(track, SignalTrack):
            raise TypeError("the compact state needs a signal")
        wanted = wanted_frames(track.frames, speed)
        course = CompactCourse(track.seen, track.sums, track.rate, speed, wanted, traits.look_ahead, traits.keep_length)
        steps = walk(compiled, course, order.draws)
        none = np.zeros(len(steps.actions), np.int64)
        played = Experience.of(track, speed, steps.reached, steps.actions, none, steps.average_skip, reward)
        return replace(played, states=steps.states, permitted=steps.permitted if traits.keep_length else None)

    def agent(self) -> CompactAgent:
        """The policy as an agent to use."""
        compiled, ahead = self.networks.compiled(), self.networks.traits.look_ahead
        return CompactAgent(compiled if ahead else None, None if ahead else compiled, self._scales())

    def save(self, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the agent as a model folder."""
        save_compact(self.agent(), folder, facts, overwrite=True)

    def _scales(self) -> dict[str, Scale]:
        """Scales of relevance: the signal that a user's encoder gives."""
        return {name: scale for name, scale in scales_of(self.tracks).items() if ":" not in name}
