"""The fast-forward task as a gymnasium environment, `saffa/FastForward-v0`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from saffa.core.selection import check_speed
from saffa.core.types import Floats
from saffa.methods.dynamics import ACTIONS
from saffa.methods.paper.embedding_track import Track, Video, as_tracks
from saffa.methods.paper.episode import SPEEDS, Episode, Rules
from saffa.methods.paper.observation import Observation, position_scales
from saffa.research.training.saffa.registration import register
from saffa.research.training.saffa.reward import Reward


class FastForwardEnv(gymnasium.Env[Floats, np.int64]):
    """An agent walks through a video and chooses which frames are shown (paper §3.2; method.md A5).

    Observation  Box (width,) float32: [e_D ; e_v ; NRPE ; one-hot of the average skip]
    Action       Discrete(3): 0 accelerate, 1 nothing, 2 decelerate
    Reward       e_D·e_v at the frame reached; at the end λ exp(−½((average skip − S*)/σ)²)
    Start        frame 0, velocity S*, acceleration 1. S* is `target_speed`, or drawn from 1..24 at every reset.
                 With several videos one is drawn at every reset; `options={"video": i}` names it, and
                 `options={"target_speed": x}` sets S* for one episode.
    End          `terminated` when the last frame is reached; never truncated.
    Info         frame, velocity, acceleration, average_skip, skip_index, target_speed, video

    `embeddings` is one video or a sequence of them, each (F, 2d) = [e_D ; e_v], an Alignment or a Track; without it
    the environment shows a small made-up video, for trying things out.
    """

    def __init__(
        self,
        embeddings: Video | Sequence[Video] | None = None,
        *,
        target_speed: float | None = None,
        reward: Reward = Reward(),
        observation: Observation | None = None,
        rules: Rules = Rules(),
        render_mode: None = None,
    ) -> None:
        self.render_mode = render_mode
        self.tracks = _tracks(embeddings)
        self.target_speed = None if target_speed is None else check_speed(target_speed)
        self.reward = reward
        self.rules = rules
        self.view = observation or Observation(self.tracks[0].width)
        if self.view.embedding != self.tracks[0].width:
            raise ValueError(f"the videos have embeddings of width {self.tracks[0].width}, not {self.view.embedding}")
        largest = max(1.0, *(float(np.abs(track.embeddings).max()) for track in self.tracks))
        self.observation_space = gymnasium.spaces.Box(-largest, largest, (self.view.width,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(len(ACTIONS))
        self.video = 0
        self.episode: Episode | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        chosen = options or {}
        self.video = int(chosen["video"] if "video" in chosen else self.np_random.integers(len(self.tracks)))
        if not 0 <= self.video < len(self.tracks):
            raise ValueError(f"there is no video {self.video}: the environment has {len(self.tracks)}, counted from 0")
        speed = chosen.get("target_speed", self.target_speed)
        if speed is None:
            speed = int(self.np_random.integers(SPEEDS[0], SPEEDS[1] + 1))
        self.episode = Episode(self.tracks[self.video].frames, check_speed(speed), self.rules)
        return self._state(self.episode), self._info(self.episode)

    def step(self, action: np.int64 | int) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Change the velocity and jump."""
        episode = self.episode
        if episode is None or episode.done:
            raise RuntimeError("the episode is over; call reset() first")
        if action not in ACTIONS:
            raise ValueError(f"there is no action {action}: 0 accelerates, 1 does nothing, 2 decelerates")
        episode.move(int(action))
        track = self.tracks[self.video]
        paid = self.reward.terminal(track.frames, episode.speed, episode.average_skip) if episode.done else None
        if paid is None:
            paid = float(self.reward.on_the_way(track, np.array([episode.frame]))[0])
        return self._state(episode), paid, episode.done, False, self._info(episode)

    def _state(self, episode: Episode) -> Floats:
        track = self.tracks[self.video]
        state = np.empty(self.view.width, np.float32)
        state[: self.view.embedding] = track.at(episode.frame)
        self.view.write(state, position_scales(track.frames), episode.left, episode.skip_index)
        return state

    def _info(self, episode: Episode) -> dict[str, Any]:
        return {
            "frame": episode.frame,
            "velocity": episode.velocity,
            "acceleration": episode.acceleration,
            "average_skip": episode.average_skip,
            "skip_index": episode.skip_index,
            "target_speed": episode.speed,
            "video": self.video,
        }


def _tracks(embeddings: Video | Sequence[Video] | None) -> list[Track]:
    if embeddings is None:
        return [_example()]
    return as_tracks(embeddings if isinstance(embeddings, Sequence) else [embeddings])


def _example(frames: int = 600, width: int = 128) -> Track:
    """A video whose fit to the text comes and goes: e_v turns away from a fixed e_D and back, four times."""
    angle = 1 + np.cos(np.linspace(0, 8 * np.pi, frames))
    pairs = np.zeros((frames, 2 * width), np.float32)
    pairs[:, 0] = 1
    pairs[:, width], pairs[:, width + 1] = np.cos(angle), np.sin(angle)
    return Track.of_embeddings(pairs, "example")


# gymnasium finds an environment by importing its module: make("saffa.agent.env:saffa/FastForward-v0", …). This entry in
# its table is all that the import does.
register()
