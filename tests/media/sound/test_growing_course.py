"""Sound along a map that grows while it is followed equals sound along the finished map, sample for sample."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.media.prefetch import CalledOff
from saffa.media.sound.growing_course import GrowingCourse
from saffa.media.sound.growing_map import GrowingMap
from saffa.media.sound.wsola import CHUNK, Course, followed, stretched

PICTURES = Fraction(25)


def walked(seconds: int, skips: tuple[int, ...], seed: int) -> list[Fraction]:
    """Start times of frames that run at one pace for a while, then at another."""
    random = np.random.default_rng(seed)
    frames, at = [0], 0
    while at < seconds * 25 - 30:
        for _ in range(int(random.integers(1, 60))):
            at += int(random.choice(skips[: int(random.integers(1, len(skips) + 1))]))
            frames.append(at)
    return [Fraction(f) / PICTURES for f in frames if f < seconds * 25]


def sound(seconds: int, rate: int, channels: int, seed: int) -> NDArray[np.float32]:
    random = np.random.default_rng(seed)
    time = np.arange(seconds * rate) / rate
    wave = 0.3 * np.sin(2 * np.pi * 200 * time) * (random.normal(size=seconds).repeat(rate) > 0)
    return np.tile((wave + 0.02 * random.normal(size=len(time))).astype(np.float32)[:, None], (1, channels))


def blocks(samples: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    for at in range(0, len(samples), 1000):
        yield samples[at : at + 1000].copy()


@pytest.mark.parametrize("rate", [8000, 44100, 48000])
@pytest.mark.parametrize("skips", [(1,), (1, 2, 8), (25, 1, 12)])
@pytest.mark.parametrize("seconds", [2, 61])
def test_equal_to_the_last_sample(rate: int, skips: tuple[int, ...], seconds: int) -> None:
    starts = walked(seconds, skips, seconds + rate)
    end = Fraction(seconds) - Fraction(1, 3)
    starts = [t for t in starts if t < end]
    samples = sound(seconds + 1, rate, 2, 3)
    growing = GrowingMap(PICTURES)
    found: list[NDArray[np.float32]] = []
    follower = threading.Thread(
        target=lambda: found.extend(followed(blocks(samples), 2, GrowingCourse(growing, rate))), daemon=True
    )
    follower.start()
    for start in starts:
        growing.add(start)
    growing.finish(end)
    follower.join(60)
    cut = samples.copy()
    cut[round(end * rate) :] = 0  # in two passes the sound that outlasts the picture is cut away before
    whole = np.concatenate(list(stretched(blocks(cut), rate, 2, growing.whole())))
    np.testing.assert_array_equal(np.concatenate(found), whole)


@pytest.mark.parametrize("skip", [1, 8, 25])
def test_it_does_not_wait_for_the_end(skip: int) -> None:
    rate, growing = 48000, GrowingMap(PICTURES)
    stream = followed(blocks(sound(120, rate, 1, 0)), 1, GrowingCourse(growing, rate))
    frames, given = iter(range(0, 3000, skip)), 0
    ready = threading.Semaphore(0)

    def follow() -> None:
        nonlocal given
        try:
            for block in stream:
                given += len(block)
                ready.release()
        except CalledOff:
            ready.release()

    follower = threading.Thread(target=follow, daemon=True)
    follower.start()
    for frame in frames:
        growing.add(Fraction(frame) / PICTURES)
        if frame / 25 > 100:
            break
    for _ in range(10):
        assert ready.acquire(timeout=30), "ten pieces lie in the first hundred seconds"
    growing.fail(CalledOff())
    follower.join(30)
    assert not follower.is_alive()
    assert given > 10 * CHUNK / skip * 0.8 - CHUNK


def test_a_map_must_grow_forwards() -> None:
    growing = GrowingMap(PICTURES)
    growing.add(Fraction(1))
    with pytest.raises(ValueError, match="increasing"):
        growing.add(Fraction(1))
    with pytest.raises(ValueError, match="not finished"):
        growing.whole()


def test_a_finished_course_is_as_long_as_its_map() -> None:
    growing = GrowingMap(PICTURES)
    growing.add(Fraction(0))
    growing.finish(Fraction(3))
    timemap = growing.whole()
    assert Course.of(timemap, 48000).total == round(timemap.duration * 48000) == 1920
