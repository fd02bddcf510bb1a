"""Sound along a map that is still growing: the same pieces as along the finished one, each as soon as it is certain."""

from __future__ import annotations

from math import floor

from saffa.media.sound.growing_map import GrowingMap
from saffa.media.sound.wsola import CHUNK, GAIN_SPAN, Course, Plan

_BEYOND = 4  # hops that a plan looks past its last one
_BEFORE = 3  # knots before the first hop: its neighbours, and what the gain looks back on


class GrowingCourse(Course):
    """Waits until the next piece is what it would be if all were known, so the sound is equal to the last sample.

    A piece takes up to CHUNK samples of source. That much, and no more, the sound stays behind the picture.
    """

    def __init__(self, growing: GrowingMap, rate: int) -> None:
        super().__init__(rate)
        self._map = growing

    def plan(self, done: int) -> Plan | None:
        """What comes after `done` hops; waits for the map. None at the end."""
        seconds = self.grid.hop / self._rate
        back = floor((done * seconds - GAIN_SPAN) * self._map.rate)
        first = max(0, back - _BEFORE)
        sure = 0

        def certain() -> bool:
            nonlocal sure
            known = float((len(self._map) - 1) / self._map.rate)
            sure = floor((known - GAIN_SPAN) / seconds) - 1
            if sure >= done + CHUNK // self.grid.hop + _BEYOND:
                return True
            # Nothing runs slower than the source: only where enough of it has gone by, the exact look is worth it.
            return sure > done + _BEYOND and self._long_enough(done, sure - _BEYOND, first)

        self._map.wait(certain)
        source, output, whole = self._map.knots(first)
        self.follow(source, output, begins=first == 0, ends=whole)
        if not whole:
            return self._next(done, sure - _BEYOND)
        end = self._map.end
        assert end is not None
        self.end, self.total = round(end * self._rate), round(len(self._map) / self._map.rate * self._rate)
        return super().plan(done)

    def _long_enough(self, done: int, sure: int, first: int) -> bool:
        """Whether a whole piece of source lies between two hops."""
        if (self._map.last - self._map.starts_at(first)) * self._rate <= CHUNK:
            return False
        source, output, whole = self._map.knots(first)
        self.follow(source, output, begins=first == 0, ends=whole)
        return bool(self.centre(sure) > self.centre(done) + CHUNK)
