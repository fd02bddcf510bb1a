"""A walk of an agent through a whole video. Inference: NumPy, one state at a time, each grid cell looked at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from saffa.core.selection import check_speed
from saffa.core.types import Doubles, Floats, Ints
from saffa.methods.paper.agent import Agent
from saffa.methods.paper.embedding_track import Track, Video, as_track
from saffa.methods.paper.episode import Episode, Start
from saffa.methods.paper.observation import Position
from saffa.methods.paper.policy import BLOCK, Split, chances_of

NEAR = 4


@dataclass(frozen=True, eq=False)
class Rollout:
    """What happened in n steps.

    selected       frames chosen, 0-based, without frame 0 where every walk begins (n or, for SFF-RL, n − 1 frames)
    actions        (n,)    0 accelerate, 1 nothing, 2 decelerate
    skips          (n,)    velocity after each action; the last one may reach past the end
    accelerations  (n,)    likewise
    probabilities  (n, 3)  of the three actions, before each
    skip_indices   (n,)    place of the 1 in the one-hot vector, before each action
    average_skip           mean of the first velocity and `skips`: what the reward compares with the target
    """

    selected: Ints
    actions: Ints
    skips: Ints
    accelerations: Ints
    probabilities: Floats
    skip_indices: Ints
    average_skip: float


def rollout(agent: Agent, embeddings: Video, target_speed: float, start: Start = "target") -> Rollout:
    """Walk through a video, always taking the likeliest action.

    embeddings    (F, 2d) = [e_D ; e_v] of every frame, or an Alignment
    target_speed  any number from 1 up, whole or not
    start         first velocity: the target (the authors' test program) or 1 (their hub demo)
    """
    return walk(agent, as_track(embeddings), check_speed(target_speed), start=start)


def walk(agent: Agent, track: Track, speed: float, *, draws: Doubles | None = None, start: Start = "target") -> Rollout:
    """`rollout`, with actions drawn from the policy where `draws` (≥ F,) gives a uniform number for every step."""
    agent.check_width(track.width)
    episode, policy = Episode(track.frames, speed, agent.rules, start), Split(agent.policy, agent.observation)
    cells = _Cells(policy, track)
    position = Position(track.frames)
    seen: list[tuple[int, int, int, int, int]] = []
    probabilities: list[tuple[float, float, float]] = []
    while not episode.done:
        index = episode.skip_index
        chances = chances_of(policy.scores(cells.at(episode.frame), position.at(episode.left), index))
        action = chances.index(max(chances)) if draws is None else draw(chances, draws[len(seen)])
        episode.move(action)
        probabilities.append(chances)
        seen.append((episode.frame, action, episode.velocity, episode.acceleration, index))
    frames, actions, skips, accelerations, indices = np.array(seen, np.int64).T
    return Rollout(
        selected=frames if agent.rules.keeps_end else frames[:-1],
        actions=actions,
        skips=skips,
        accelerations=accelerations,
        probabilities=np.array(probabilities, np.float32),
        skip_indices=indices,
        average_skip=episode.average_skip,
    )


class _Cells:
    """What each frame's cell adds to the first layer, made when it is met.

    Who moves on by a few wide cells at most will need the next ones too: they come in one product, whose rows cost a
    quarter of a product with a vector each. Who leaps pays for what it lands on alone; narrow cells too come one by
    one, for a product of matrices drives the weights out of the cache.
    """

    def __init__(self, policy: Split, track: Track) -> None:
        self._policy, self._embeddings, self._rows = policy, track.embeddings, track.rows
        self._row, self._first = -1, 0
        self._block = self._here = np.empty((0, 0), np.float32)

    def at(self, frame: int) -> Floats:
        """For a frame not before the last one asked for; overwritten by the next call."""
        row = int(self._rows[frame])
        if row != self._row:
            self._here = self._found(row)
            self._row = row
        return self._here

    def _found(self, row: int) -> Floats:
        if row >= self._first + len(self._block):
            alone = self._policy.narrow or row - self._row > NEAR
            coming = self._embeddings[row : row + (1 if alone else BLOCK)]
            if len(coming) == 1:
                return self._policy.look(coming[0])
            self._block, self._first = self._policy.cells(coming), row
        found: Floats = self._block[row - self._first]
        return found


def draw(chances: tuple[float, float, float], uniform: float) -> int:
    """The action that a uniform number in [0, 1) stands for, chance by chance."""
    return int(uniform >= chances[0]) + int(uniform >= chances[0] + chances[1])
