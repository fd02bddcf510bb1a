"""Agents that walk while the video is being read: told what is seen where they stand, they say where to land next."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from saffa.encoders.base import AlignmentRow
from saffa.methods.paper.agent import Agent
from saffa.methods.paper.episode import Episode
from saffa.methods.paper.observation import Position
from saffa.methods.paper.policy import Split, chances_of


class OnlineAgent(Protocol):
    """One walk, made from the expected number of frames, the rate and the target speed. It begins on frame 0.

    On the answers that an Alignment holds for every frame, the frames are those that the method selects from it.
    """

    def step(self, frame: int, answer: AlignmentRow) -> int | None:
        """The frame to land on after `frame`, or None when the walk is over. Called once for each, in order."""


class PaperOnline:
    """The paper's agent (or SFF-RL's): the state of §3.2.1 from e_D and e_v where it stands, the likeliest action."""

    def __init__(self, agent: Agent, frames: int, speed: float) -> None:
        self._agent = agent
        self._episode = Episode(frames, speed, agent.rules)
        self._policy = Split(agent.policy, agent.observation)
        self._position = Position(frames)
        self._seen = np.full(agent.observation.embedding, np.nan, np.float32)
        self._cell = self._policy.look(self._seen)

    def step(self, frame: int, answer: AlignmentRow) -> int | None:
        """The next frame. A last move past the end counts as in `rollout`: SFF-RL's selects nothing."""
        agent, episode = self._agent, self._episode
        if episode.done:
            return None
        self._look(answer)
        position = self._position.at(episode.left)
        chances = chances_of(self._policy.scores(self._cell, position, episode.skip_index))
        episode.move(chances.index(max(chances)))
        stays = episode.frame == frame or (episode.done and not agent.rules.keeps_end)
        return None if stays else episode.frame

    def _look(self, answer: AlignmentRow) -> None:
        """The answer's part of the first layer; the same answer as before costs nothing."""
        seen, half = self._seen, len(answer.e_d)
        self._agent.check_width(2 * half)
        if not (np.array_equal(seen[half:], answer.e_v) and np.array_equal(seen[:half], answer.e_d)):
            seen[:half], seen[half:] = answer.e_d, answer.e_v
            self._cell = self._policy.look(seen)
