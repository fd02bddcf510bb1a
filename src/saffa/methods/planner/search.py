"""The exact planner: the best selection for a reward curve under the agent's dynamics, of a wanted length.

Maximises Σ reward over the selected frames (design: the agent's problem with everything known). The
wanted number of frames enters as a price per selected frame (a Lagrange multiplier) that is searched.
Where no price gives exactly that number, the two neighbouring optima are joined by a short bridge in
which the number of steps is planned exactly.

The search begins with a guess: a price that gives too many steps and one that gives too few. A crude model tells how
many steps a price gives: frames worth more than the price are all taken, others at the highest speed. How far it is
off hardly changes with the price, so one try tells where the right price is.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.core.types import Doubles, Flags, Ints
from saffa.methods.dynamics import SpeedLimits
from saffa.methods.planner.bounds import Bounds

if TYPE_CHECKING:
    from saffa.methods.planner.kernels import BestPaths

EVENNESS = 1e-4
"""Cost of a skip's squared distance from the target speed, against a reward of unit deviation: it only
decides ties, so that a flat reward gives even spacing."""

MAX_ROUNDS = 30
"""Prices tried at most; about five are needed."""
WIDTHS = (20, 40, 80, 160)
"""Selected frames to each side of a bridge."""
PLACES = 16
"""Stretches of a path that are tried when a few steps have to be added or taken away."""
SLOW = 2.0
"""Speed up to which a stretch is slow: people follow what is said."""
UNWANTED = 1e6
"""Cost of a frame that a correction skips: more than anything that can be gained outside, so as few as possible."""
LEVELS = 2000
"""Values of the reward that the model knows."""
BEYOND, MORE = 0.01, 4
"""The second try aims so much below or above the wanted steps, each that stays on the same side MORE times as much."""
NEAR, OTHER_SIDE = 8, 2
"""Numbers of steps that are further apart than NEAR are brought together by a guess at the wanted one, and by one as
far on the other side, times OTHER_SIDE, as the first one missed it."""
TRIES = 5
"""On the same side, before the end is tried."""


@dataclass(frozen=True)
class Path:
    """Selected frames after frame 0, with the dynamics state in which each was reached."""

    frames: Ints
    states: Ints
    price: float = nan
    """Of a frame, where the path is the best for one."""

    def __len__(self) -> int:
        return len(self.frames)


class Planner:
    """Plans over one reward curve, of shape (frames,), within bounds on the path if there are any.

    `toll` (frames,) is what it costs to begin or end a slow stretch at a frame, in deviations of the reward.
    """

    def __init__(
        self,
        reward: NDArray[np.floating],
        speed: float,
        dynamics: SpeedLimits,
        bounds: Bounds | None = None,
        toll: Doubles | None = None,
    ) -> None:
        spread = float(reward.std())
        # A flat curve has no preference: rounding noise in it must not become one.
        flat = spread <= 1e-9 * max(1.0, float(np.abs(reward).max()))
        self._reward: Doubles = np.zeros(len(reward))
        if not flat:
            np.divide(reward - reward.mean(), spread, out=self._reward)
        self._dynamics = dynamics
        self._velocity = dynamics.velocities()
        self._successors = dynamics.successors()
        self._cost: Doubles = EVENNESS * (self._velocity.astype(np.float64) - speed) ** 2
        self._spread = float(np.ptp(self._reward))
        self._ceiling: Ints = np.full(len(reward), self._velocity[-1])
        start = min(max(round(speed), dynamics.min_velocity), dynamics.max_velocity)
        self._start = dynamics.state(start, 1)
        if bounds is not None:
            self._reward = np.where(bounds.skipped, self._reward - UNWANTED, self._reward)
            self._ceiling = np.minimum(self._ceiling, bounds.ceiling)
            self._start = self._possible_start(start)
        self._slow: Flags = dynamics.paces() <= SLOW
        crossing = (self._slow[:, None] != self._slow[self._successors]).astype(np.float64)
        self._toll: Doubles = np.zeros(len(reward)) if toll is None else toll
        self._rule = (self._cost, self._velocity, self._successors, crossing)
        self._paths: BestPaths | None = None

    def _possible_start(self, wanted: int) -> int:
        """The state nearest to the wanted velocity from which the bounds can be kept."""
        from saffa.methods.planner.kernels import possible_starts  # noqa: PLC0415

        possible = possible_starts(self._ceiling, self._velocity, self._successors)
        calm = [self._dynamics.state(v, 1) for v in np.unique(self._velocity).tolist()]
        found = [state for state in calm if possible[state]]
        if not found:
            raise InputError("These corrections cannot be met within the limits of speed; widen --min-speed.")
        return min(found, key=lambda state: abs(int(self._velocity[state]) - wanted))

    def extent(self) -> tuple[int, int]:
        """Fewest and most frames that can be selected, whatever slow stretches cost."""
        reach, free = self._reach(), self._without_toll()
        return 1 + len(free._best(reach)), 1 + len(free._best(-reach))

    def _without_toll(self) -> Planner:
        """The same planner where slow stretches may begin and end anywhere."""
        free = copy(self)
        free._toll, free._paths = np.zeros(len(self._toll)), None
        return free

    def select(self, wanted: int) -> Ints:
        """Exactly `wanted` frames if the dynamics allow it, else as near as they allow; the first is frame 0."""
        frames = len(self._reward)
        if frames == 1 or wanted <= 1:
            return np.zeros(1, np.int64)
        if wanted >= frames and self._reward.min() > -UNWANTED / 2:
            return np.arange(frames)
        path = self._of_length(wanted - 1)
        if len(path) != wanted - 1 and self._toll.any():  # the length comes before whole lines
            path = self._without_toll()._of_length(wanted - 1)
        return np.concatenate([np.zeros(1, np.int64), path.frames])

    def _of_length(self, steps: int) -> Path:
        many, few = self._bracket(steps)
        if len(many) == steps or len(few) == steps:
            return many if len(many) == steps else few
        if not len(few) < steps < len(many):  # beyond what the dynamics can do
            return min(many, few, key=lambda path: abs(len(path) - steps))
        return self._join(many, few, steps)

    def _bracket(self, steps: int) -> tuple[Path, Path]:
        """Two optimal paths for one price, with at least and at most the wanted number of steps.

        A path with value v and n steps is worth v − n·price. At the price at which two such lines meet
        either a better path shows up, nearer to the wanted number, or none does and both are optimal there. While
        the two numbers are far apart, a price between theirs in proportion to the steps comes nearer.
        """
        many, few = self._around(steps)
        goals = [steps]
        for _ in range(MAX_ROUNDS):
            if not len(few) < steps < len(many):
                break
            goal = goals.pop() if goals and len(many) - len(few) > NEAR else 0
            if len(few) < goal < len(many):
                price = few.price + (many.price - few.price) * (goal - len(few)) / (len(many) - len(few))
            else:
                goal, price = 0, (self._value(many) - self._value(few)) / (len(many) - len(few))
            path = self._best(price)
            if not goal and len(path) in (len(many), len(few)):
                break
            if goal == steps:
                goals = [steps + OTHER_SIDE * (steps - len(path))]
            many, few = (path, few) if len(path) >= steps else (many, path)
        return many, few

    def _around(self, steps: int) -> tuple[Path, Path]:
        """Optimal paths with at least and at most the wanted number of steps; the nearest twice if there are none."""
        fastest, wanted = int(self._velocity[-1]), self._reward > -UNWANTED / 2
        free = wanted & (self._ceiling >= fastest)
        # What corrections keep or skip takes its steps at any price.
        bound = float((1 / np.maximum(self._ceiling[wanted & ~free], 1)).sum()) + float((~wanted).sum()) / fastest
        guess = PriceGuess(self._reward[free], fastest, self._reach(), steps, bound)
        price: float | None = guess.first
        path = before = self._best(guess.first)
        while price is not None and len(path) != steps and (len(path) < steps) == (len(before) < steps):
            before = path
            price = guess.beyond(price, len(path))
            path = before if price is None else self._best(price)
        return (before, path) if len(before) > len(path) else (path, before)

    def _reach(self) -> float:
        """A price beyond which the path is as sparse, or below minus which it is as dense, as it can be.

        A frame is worth at most the whole spread of the reward (and of the evenness cost) more than a skip over it.
        """
        dearest = self._spread * float(self._velocity[-1]) + float(self._cost.max()) * len(self._velocity)
        return dearest + 2 * float(self._toll.max()) + 1

    def _best(self, price: float) -> Path:
        from saffa.methods.planner.kernels import BestPaths  # noqa: PLC0415

        if self._paths is None:
            self._paths = BestPaths(self._reward, self._ceiling, self._toll, *self._rule)
        return Path(*self._paths.find(price, self._start), price)

    def _value(self, path: Path) -> float:
        before = np.concatenate([[self._start], path.states[:-1]])
        edges = np.concatenate([[0], path.frames[:-1]])[self._slow[before] != self._slow[path.states]]
        return float(self._reward[path.frames].sum() - self._cost[path.states].sum() - self._toll[edges].sum())

    def _join(self, many: Path, few: Path, steps: int) -> Path:
        """Follow the denser path, then the sparser one, with a planned bridge where the counts meet."""
        for width in WIDTHS:
            joined = self._bridge(many, few, steps, width)
            if len(joined) == steps:
                return joined
        return self._adjusted(min((joined, many, few), key=lambda path: abs(len(path) - steps)), steps)

    def _adjusted(self, path: Path, steps: int) -> Path:
        """Replan one stretch of a path with more or fewer steps, wherever that costs least.

        For the rare case that the bridge cannot have the right number of steps because its two ends are bound to
        given states; elsewhere along the path there is nearly always room for a few steps more or less.
        """
        for width in (40, 80, 160):
            needed = width + steps - len(path)
            if needed < 1 or width >= len(path):
                continue
            begins = np.unique(np.linspace(-1, len(path) - 1 - width, PLACES).astype(np.int64)).tolist()
            tries = [found for found in (self._replanned(path, b, b + width, needed) for b in begins) if found]
            if tries:
                return max(tries, key=self._value)
        return path

    def _replanned(self, path: Path, begin: int, finish: int, needed: int) -> Path | None:
        """The path with `needed` steps from its step `begin` (-1 is frame 0) to `finish`; None if that cannot be."""
        from saffa.methods.planner.bridge import bridge  # noqa: PLC0415

        start = (0, self._start) if begin < 0 else (int(path.frames[begin]), int(path.states[begin]))
        end = (int(path.frames[finish]), int(path.states[finish]))
        if end[0] - start[0] < needed:
            return None
        values, actions = bridge(self._reward, self._ceiling, self._toll, *self._rule, start, end, needed, needed)
        if not np.isfinite(values[needed]):
            return None
        middle = self._follow(actions, start, end[0], needed)
        return Path(
            np.concatenate([path.frames[: begin + 1], middle.frames, path.frames[finish + 1 :]]),
            np.concatenate([path.states[: begin + 1], middle.states, path.states[finish + 1 :]]),
        )

    def _bridge(self, many: Path, few: Path, steps: int, width: int) -> Path:
        from saffa.methods.planner.bridge import bridge, steps_to_end  # noqa: PLC0415

        # Steps in all when changing over from `many` to `few` after the i-th frame of `many`.
        after = len(few) - np.searchsorted(few.frames, many.frames, side="right")
        change = int(np.argmax(np.arange(1, len(many) + 1) + after >= steps))
        begin = max(change - width, -1)  # index into `many`; -1 is frame 0
        start = (0, self._start) if begin < 0 else (int(many.frames[begin]), int(many.states[begin]))
        finish = min(int(np.searchsorted(few.frames, many.frames[change])) + width, len(few) - 1)
        end = (int(few.frames[finish]), int(few.states[finish]))
        needed = steps - (begin + 1) - (len(few) - finish - 1)
        window = end[0] - start[0]
        if needed < 1 or window < 1:
            return many
        to_end = steps_to_end(self._ceiling, self._velocity, self._successors, start[0], end)
        low, high = to_end[:, 0, start[1]].tolist()
        given = (self._reward, self._ceiling, self._toll, *self._rule, start, end)
        count = needed
        if low <= needed <= high:  # told in a tenth of the time that a bridge takes
            values, actions = bridge(*given, needed, needed, to_end)
        if not low <= needed <= high or not np.isfinite(values[needed]):
            if width != WIDTHS[-1]:
                return many
            values, actions = bridge(*given, min(window, needed + 2), 0, to_end)
            possible = np.flatnonzero(np.isfinite(values))
            if not len(possible):
                return many
            count = int(possible[np.argmin(np.abs(possible - needed))])
        middle = self._follow(actions, start, end[0], count)
        return Path(
            np.concatenate([many.frames[: begin + 1], middle.frames, few.frames[finish + 1 :]]),
            np.concatenate([many.states[: begin + 1], middle.states, few.states[finish + 1 :]]),
        )

    def _follow(self, actions: NDArray[np.uint8], start: tuple[int, int], end: int, count: int) -> Path:
        from saffa.methods.planner.bridge import fewest  # noqa: PLC0415

        frame, state = start
        frames, states, fastest = [], [], int(self._velocity.max())
        plain = len(self._velocity) - actions.shape[1]
        for left in range(count, 0, -1):
            if state < plain:
                action = 1
            else:
                action = int(actions[frame - start[0], state - plain, left - fewest(end - frame, fastest)])
            state = int(self._successors[state, action])
            frame = min(frame + int(self._velocity[state]), len(self._reward) - 1)
            frames.append(frame)
            states.append(state)
        return Path(np.array(frames, np.int64), np.array(states, np.int64))


class PriceGuess:
    """Guesses for a reward (frames,) and a wanted number of steps; prices lie within ±`reach`.

    `bound` of the steps are taken elsewhere, whatever the price.
    """

    def __init__(self, reward: Doubles, fastest: int, reach: float, steps: int, bound: float = 0.0) -> None:
        self._levels = np.sort(reward[:: max(1, len(reward) // LEVELS)])[::-1] if len(reward) else np.zeros(1)
        self._shares = np.linspace(1 / fastest, 1, len(self._levels))  # of the frames that are worth a level or more
        self._reach, self._steps, self._bound = reach, max(1.0, steps - bound), bound
        self._tries = 0
        self.first = self._price_of(self._steps / max(1, len(reward)))

    def beyond(self, price: float, steps: int) -> float | None:
        """A price on the other side of the right one, after one that gave so many steps; None if there is none."""
        taken = steps - self._bound
        side = 1 if taken > self._steps else -1
        if price == side * self._reach:
            return None
        goal = self._steps * (1 - side * BEYOND * MORE**self._tries)
        self._tries += 1
        share = float(np.interp(-price, -self._levels, self._shares))
        guess = self._price_of(share * goal / max(taken, 1.0))
        return guess if self._tries < TRIES and price * side < guess * side else side * self._reach

    def _price_of(self, share: float) -> float:
        return float(np.interp(share, self._shares, self._levels))
