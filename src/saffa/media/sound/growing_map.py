"""A TimeMap in the making: the picture adds a knot for each frame it keeps, the sound follows as far as it is known."""

from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from saffa.core.timemap import TimeMap

Floats = NDArray[np.float64]


class GrowingMap:
    """Frame i of the output starts at source time `starts[i]`; one thread adds, others read."""

    def __init__(self, rate: Fraction) -> None:
        self.rate = rate
        self._starts: list[Fraction] = []
        self._end: Fraction | None = None
        self._failure: BaseException | None = None
        self._changed = threading.Condition(threading.RLock())

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def starts(self) -> tuple[Fraction, ...]:
        """Source times of the frames kept so far."""
        return tuple(self._starts)

    @property
    def end(self) -> Fraction | None:
        """End of the source, once it is known."""
        return self._end

    @property
    def last(self) -> Fraction:
        """Source time up to which the map is known."""
        return self._end if self._end is not None else self._starts[-1] if self._starts else Fraction(0)

    def starts_at(self, index: int) -> Fraction:
        """Source time of one of the frames kept so far."""
        return self._starts[index]

    def add(self, start: Fraction) -> None:
        """One more frame; later ones start later."""
        with self._changed:
            if self._starts and start <= self._starts[-1]:
                raise ValueError("the knots of a map must be strictly increasing")
            self._starts.append(start)
            self._changed.notify_all()

    def finish(self, end: Fraction) -> None:
        """The end of the source: the map is whole."""
        with self._changed:
            self._end = end
            self._changed.notify_all()

    def fail(self, reason: BaseException) -> None:
        """Nobody will add anything: whoever waits raises this."""
        with self._changed:
            self._failure = self._failure or reason
            self._changed.notify_all()

    def wait(self, ready: Callable[[], bool]) -> None:
        """Wait until the map is whole or `ready`."""
        with self._changed:
            self._changed.wait_for(lambda: self._failure is not None or self._end is not None or ready())
            if self._failure is not None:
                raise self._failure

    def knots(self, first: int) -> tuple[Floats, Floats, bool]:
        """Source and output seconds of the knots from `first` on, as a TimeMap has them, and whether these are all."""
        with self._changed:
            source, whole = self._starts[first:], self._end is not None
            if self._end is not None:
                source.append(self._end)
        slot = 1 / self.rate
        output = [float(i * slot) for i in range(first, first + len(source))]
        return np.array([float(t) for t in source]), np.array(output), whole

    def whole(self) -> TimeMap:
        """The finished map."""
        if self._end is None:
            raise ValueError("the map is not finished")
        return TimeMap.from_frames(self._starts, self._end, self.rate)
