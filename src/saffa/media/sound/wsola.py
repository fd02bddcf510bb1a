"""Sound that follows the TimeMap: WSOLA with every window anchored to the map, so nothing can drift.

The output is cut into hops of 15 ms. Hop m asks the map which source sample belongs to its centre, may move
a little to where the waveform continues best, and is cross-faded into its neighbour. See docs/method/sound.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from saffa.core.timeline import TimeMap
from saffa.core.types import Doubles, Flags, Floats, Ints

HOP = 0.015  # seconds between window centres: half of a 30 ms window
REACH = 0.010  # seconds a window may move either way: 20 ms in all hold a period of any voice
WIDEST_REACH = 0.5  # fast-forward opens the search up to this, so that memory stays bounded
PICTURE = 0.125  # knots closer than this are pictures of a selection, others are just a map
GAIN_SPAN = 0.05  # the gain looks at the speed this far either way, so that it glides
SEARCH_RATE = 8000  # the search runs on sound thinned out to about this rate, then refines
CHUNK = 1 << 18  # source samples handled at once
SILENCE = 1e-9  # energy of a window that is not worth a search
STEADY = 1.05  # up to this speed sound runs on as long as it may: rounded time stamps leave it whole
FAR = 1 << 62  # samples: no limit
UNIT = 1e-3  # samples per hop by which a stretch may miss speed 1 and still be passed through


def gain(speed: ArrayLike) -> Doubles:
    """Loudness at a speed: 1 up to 4x, then gliding down to -12 dB at 16x and above."""
    x = np.clip(np.log2(np.maximum(speed, 4.0) / 4.0) / 2.0, 0.0, 1.0)
    decibels = -12.0 * x * x * (3.0 - 2.0 * x)
    return np.asarray(10.0 ** (decibels / 20.0), np.float64)


def stretched(blocks: Iterable[Floats], rate: int, channels: int, timemap: TimeMap) -> Iterator[Floats]:
    """Play `blocks` (n, channels) along the map, pitch kept; yields round(duration * rate) samples in all.

    Sample k of the concatenated blocks is at source time k / rate. Blocks that end early continue as silence.
    """
    course, source = _Course(timemap, rate), _Source(blocks, channels)
    grid = course.grid
    done, last = 0, _Place(course.first, locked=False)
    while (plan := course.plan(done)) is not None:
        start = (min(last.at, plan.low[0]) - grid.margin) // grid.thin * grid.thin
        sound = source.window(start, max(int(plan.high.max()), last.at) + grid.margin)
        if course.end < start + len(sound) // channels:  # sound that outlasts the picture
            sound = sound.copy()
            sound[max(0, course.end - start) * channels :] = 0
        search = _Search(sound, channels, start, grid)
        places, last = search.walk(last, plan)
        out = _crossfaded(sound, places - start, channels, grid.hop)
        _apply_gain(out, plan.gain, channels)
        done += len(places) - 1
        wanted = grid.hop * (len(places) - 1) - max(0, done * grid.hop - course.total)
        yield out.reshape(-1, channels)[:wanted]


@dataclass(frozen=True)
class _Grid:
    """The lengths above in samples."""

    hop: int
    reach: int
    widest: int
    thin: int  # one sample in `thin` is searched first

    @classmethod
    def of(cls, rate: int) -> _Grid:
        thin = max(1, round(rate / SEARCH_RATE))
        hop = thin * max(2, round(HOP * rate / thin))
        return cls(hop, max(1, round(REACH * rate)), round(WIDEST_REACH * rate), thin)

    @property
    def margin(self) -> int:
        """Source samples that must be at hand on either side of a window's centre."""
        return 2 * (self.hop + self.reach + self.thin)


@dataclass(frozen=True)
class _Place:
    """Source sample under a window's centre, and whether it was snapped to a stretch at 1x."""

    at: int
    locked: bool


@dataclass(frozen=True)
class _Plan:
    """What the map asks of the next hops: centres, how far they may move, gains (one more: the hop before)."""

    centre: Doubles
    low: Ints
    high: Ints
    speed: Doubles
    unit: Flags  # the map runs at exactly 1x from the hop before
    settled: Flags  # ... and for a while after
    gain: Doubles


class _Course:
    """The map in samples, as the ear should follow it.

    first, end  source samples where the map starts and ends
    total       samples of the output
    """

    def __init__(self, timemap: TimeMap, rate: int) -> None:
        self._rate, self.grid = rate, _Grid.of(rate)
        self.first, self.end = round(timemap.source[0] * rate), round(timemap.source[-1] * rate)
        self.total = round(timemap.duration * rate)
        heard, output = _heard(timemap.source_seconds, timemap.output_seconds), timemap.output_seconds
        # A second more at either end with the slope there: windows reach past it.
        before = heard[0] - (heard[1] - heard[0]) / (output[1] - output[0])
        after = heard[-1] + (heard[-1] - heard[-2]) / (output[-1] - output[-2])
        self._source = np.concatenate([[before], heard, [after]])
        self._output = np.concatenate([[output[0] - 1], output, [output[-1] + 1]]) - output[0]

    def _at(self, hops: Doubles, ahead: float = 0.0) -> Doubles:
        """Source samples at the centres of the hops, or `ahead` seconds later."""
        seconds = hops * (self.grid.hop / self._rate) + ahead
        return np.asarray(np.interp(seconds, self._output, self._source) * self._rate, np.float64)

    def _latest(self, hops: Doubles) -> Doubles:
        """Where the windows of the last two hops may lie at most, so that none plays the silence after the end."""
        left = -(-self.total // self.grid.hop) - hops
        return np.where(left <= 1, self.end + hops * self.grid.hop - self.total, FAR)

    def plan(self, done: int) -> _Plan | None:
        """Plan for hops done+1 .. as many as keep the source at hand below about CHUNK samples; None at the end."""
        hop, grid = self.grid.hop, self.grid
        hops = -(-self.total // hop)
        if done >= hops:
            return None
        count = min(hops - done, CHUNK // hop)
        index = np.arange(done, done + count + 4, dtype=np.float64)
        centre = self._at(index)
        count = min(count, max(1, int(np.searchsorted(centre, centre[0] + CHUNK)) - 1))
        centre, index = centre[: count + 4], index[: count + 1]
        step = np.diff(centre)  # source samples from a hop to the next: count + 3
        # Neighbours share the skipped source between them, so that each may look for the best place in its half.
        spare = np.clip((step - hop) / 2, grid.reach, grid.widest)
        here = centre[1 : count + 1]
        high = np.minimum(np.floor(here + spare[1 : count + 1]), self._latest(index[1:])).astype(np.int64)
        unit = np.abs(step - hop) < UNIT
        span = np.subtract(self._at(index, GAIN_SPAN), self._at(index, -GAIN_SPAN))
        return _Plan(
            centre=here,
            low=np.minimum(np.ceil(here - spare[:count]).astype(np.int64), high),
            high=high,
            speed=(centre[2 : count + 2] - centre[:count]) / (2 * hop),
            unit=unit[:count],
            settled=unit[1 : count + 1] & unit[2 : count + 2] & unit[3 : count + 3],
            gain=gain(span / (2 * GAIN_SPAN * self._rate)),
        )


def _heard(source: Doubles, output: Doubles) -> Doubles:
    """Source knots for the ear: what is skipped between two pictures is heard half before, half after.

    The eye meets what happened anywhere in a skip only at the next picture, on average half a skip later
    than the map says. At 1x nothing is skipped and nothing moves.
    """
    slot = np.diff(output)
    skipped = np.where(slot <= PICTURE, np.maximum(np.diff(source) - slot, 0.0), 0.0)
    return np.concatenate([source[:1], source[1:] - skipped / 2])


class _Source:
    """The part of the source that is at hand, interleaved; silence before its start and after its end."""

    def __init__(self, blocks: Iterable[Floats], channels: int) -> None:
        self._blocks, self._channels = iter(blocks), channels
        self._flat = np.zeros(0, np.float32)
        self._start = 0  # source sample where _flat starts

    def window(self, start: int, end: int) -> Floats:
        """Samples start .. end; what lies before `start` is forgotten."""
        pieces = [self._flat]
        if start < self._start:  # only before the very first sample
            pieces.insert(0, np.zeros((self._start - start) * self._channels, np.float32))
            self._start = start
        reached = self._start + sum(map(len, pieces)) // self._channels
        while reached < end:
            block = next(self._blocks, None)
            if block is None:
                block = np.zeros((end - reached, self._channels), np.float32)
            reached += len(block)
            if reached > start:
                pieces.append(np.ascontiguousarray(block, np.float32).reshape(-1))
            else:
                pieces, self._start = [], reached
        flat = np.concatenate(pieces) if len(pieces) > 1 else pieces[0]
        self._flat, self._start = flat[(start - self._start) * self._channels :], start
        return self._flat[: (end - start) * self._channels]


class _Search:
    """Finds for one window after the other the place where the sound goes on best."""

    def __init__(self, sound: Floats, channels: int, start: int, grid: _Grid) -> None:
        self._start, self._grid = start, grid
        self._mono = _means(sound, channels)
        self._thin = _means(self._mono, grid.thin)
        self._energy = np.concatenate([[0.0], np.cumsum(self._thin.astype(np.float64) ** 2)])

    def walk(self, last: _Place, plan: _Plan) -> tuple[Ints, _Place]:
        """Source samples under the centres of the planned hops, the last one of before in front."""
        hop, at, locked = self._grid.hop, last.at, last.locked
        places = [at]
        rows = zip(plan.centre, plan.low, plan.high, plan.speed, plan.unit, plan.settled, strict=True)
        for centre, low, high, speed, unit, settled in rows:
            natural = at + hop
            locked = bool(unit and (locked or settled))
            if locked:  # 1x: to the nearest whole sample, and then on without a seam
                at = min(natural if abs(natural - centre) <= 0.75 else round(centre), int(high))
            elif low <= natural <= high and speed <= STEADY:
                at = natural
            else:  # never back to what was heard already, unless the map is slower than the source
                first = max(int(low), natural) if natural <= high else int(low)
                at = self._best(at, first, int(high), float(centre), float(speed))
            places.append(at)
        return np.array(places), _Place(at, locked)

    def _best(self, previous: int, low: int, high: int, centre: float, speed: float) -> int:
        """The place in low .. high whose run-up is most like what would follow `previous`."""
        hop, thin, energy = self._grid.hop, self._grid.thin, self._energy
        width, near = hop // thin, max(1, hop // thin // 4)
        old, first, last = ((at - self._start) // thin for at in (previous, low - hop, high - hop))

        def within(left: int, right: int) -> Doubles:
            """Energy from left to right of every candidate's centre."""
            a, b = first + width, last + width + 1
            inside: Doubles = energy[a + right : b + right] - energy[a + left : b + left]
            return np.maximum(inside, 0.0, out=inside)

        loud = within(-near, near)
        peak = float(loud.max())
        if peak <= SILENCE:
            return min(max(round(centre), low), high)
        fit = np.correlate(self._thin[first : last + width], self._thin[old : old + width], "valid")
        score = fit / np.sqrt((energy[old + width] - energy[old]) * within(-width, 0) + SILENCE)
        score += min(max((speed - 1) / 2, 0.0), 1.0) * np.sqrt(loud / peak)
        found = min(max(previous + (first + int(score.argmax()) - old) * thin + hop, low), high)
        return self._refined(previous, max(low, found - thin), min(high, found + thin))

    def _refined(self, previous: int, low: int, high: int) -> int:
        """The best place between low and high, compared at the full rate."""
        hop = self._grid.hop
        if low <= previous + hop <= high:
            return previous + hop
        old, first = previous - self._start, low - hop - self._start
        fit = np.correlate(self._mono[first : first + hop + high - low], self._mono[old : old + hop], "valid")
        return low + int(fit.argmax())


def _means(values: Floats, count: int) -> Floats:
    """Mean of each `count` values in turn: channels to mono, or a coarse low-pass before thinning out."""
    whole = len(values) // count * count
    result = values[:whole:count].copy()
    for i in range(1, count):
        result += values[i:whole:count]
    result *= np.float32(1 / count)
    return result


def _crossfaded(sound: Floats, places: Ints, channels: int, hop: int) -> Floats:
    """Hops (m, hop * channels): what follows a place fades into what leads to the next one."""
    rows = np.lib.stride_tricks.sliding_window_view(sound, hop * channels)
    going = rows[places[:-1] * channels]
    coming = rows[(places[1:] - hop) * channels]
    fade = 0.5 - 0.5 * np.cos(np.pi * (np.arange(hop) + 0.5) / hop)
    coming -= going  # where nothing jumps this is exactly 0, and the sound passes untouched
    coming *= np.repeat(fade.astype(np.float32), channels)
    going += coming
    return going


def _apply_gain(out: Floats, gains: Doubles, channels: int) -> None:
    """Glide in straight lines from one hop's gain to the next, in place."""
    if np.all(gains == 1.0):
        return
    hop = out.shape[1] // channels
    ramp = np.repeat(np.arange(hop) / hop, channels)
    out *= (gains[:-1, None] + np.diff(gains)[:, None] * ramp).astype(np.float32)
