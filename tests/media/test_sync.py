"""Flash and click: what is heard must be where the picture shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.core.timeline import TimeMap
from saffa.core.video import Video
from saffa.media.probe import probe
from saffa.media.render import render
from saffa.media.sound.wsola import gain, stretched
from tests.media.clicks import Samples, click_sound, make_video

EVERY: list[int | str] = [1, 2, 3, 5, 8, 12, 25, "wandering"]
RATE = 16000
LIMIT = 0.040


@dataclass(frozen=True)
class Scene:
    """Things happen every `pace` seconds or so; each is long enough to be seen at the scene's speeds."""

    pace: float
    flash: float
    fps: Fraction
    count: int = 25

    @property
    def frames(self) -> int:
        return int(self.pace * (self.count + 1) * self.fps)

    @property
    def events(self) -> list[int]:
        """First frames of the flashes, at uneven distances."""
        uneven = np.random.default_rng(0).uniform(-0.1, 0.1, self.count)
        return [round(float(t * self.pace * self.fps)) for t in 1 + np.arange(self.count) + uneven]

    def sound(self, rate: int, start: float = 0) -> Samples:
        times = [float(e / self.fps) + start for e in self.events]
        return click_sound(times, float(self.frames / self.fps) + start, rate)


def scene_for(speed: int | str, fps: Fraction) -> Scene:
    return Scene(2, 0.4, fps) if speed in (1, 2, 3, 5) else Scene(9, 1.2, fps)


def even_selection(frames: int, speed: float) -> list[int]:
    return sorted({int(i * speed) for i in range(int(frames / speed))})


def wandering_selection(frames: int, seed: int = 1) -> list[int]:
    """Skips between 1 and 25 that change nearly at every frame, as the planner's do."""
    steps = np.random.default_rng(seed).integers(-3, 4, frames)
    chosen, skip = [0], 1
    while chosen[-1] + skip < frames:
        chosen.append(chosen[-1] + skip)
        skip = min(25, max(1, skip + int(steps[len(chosen)])))
    return chosen


def selection_of(name: int | str, frames: int) -> list[int]:
    return wandering_selection(frames) if name == "wandering" else even_selection(frames, int(name))


def click_near(sound: Samples, time: float, level: float, rate: int = RATE) -> float | None:
    """Where the sound first gets loud within 150 ms of the time."""
    start = max(0, round((time - 0.15) * rate))
    loud = np.flatnonzero(np.abs(sound[start : round((time + 0.15) * rate)]) > level)
    return (start + int(loud[0])) / rate if len(loud) else None


def errors(sound: Samples, shown: Sequence[float], level: float, rate: int = RATE) -> NDArray[np.float64]:
    """Seconds by which each click is late; every one must be heard."""
    heard = [click_near(sound, time, level, rate) for time in shown]
    assert None not in heard
    return np.subtract(np.array(heard, np.float64), shown)


@pytest.mark.parametrize("fps", [Fraction(24000, 1001), Fraction(30)])
@pytest.mark.parametrize("speed", EVERY)
def test_clicks_are_heard_when_the_flash_is_seen(speed: int | str, fps: Fraction) -> None:
    scene = scene_for(speed, fps)
    selected = selection_of(speed, scene.frames)
    timemap = TimeMap.from_frames([f / fps for f in selected], scene.frames / fps, fps)
    out = np.concatenate(list(stretched([scene.sound(RATE)], RATE, 1, timemap)))[:, 0]
    shown = np.searchsorted(selected, scene.events) / float(fps)
    late = errors(out, [float(t) for t in shown], level=0.3 * float(gain(25)))
    print(f"{speed}x: 95 % within {1000 * np.percentile(np.abs(late), 95):.1f} ms")
    assert np.percentile(np.abs(late), 95) <= LIMIT
    if speed == 1:
        assert np.abs(late).max() <= 1.5 / RATE


@pytest.fixture(scope="module")
def movies(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Scene], Video]:
    """Maker of the scenes' files (each made once); the picture starts later than the sound."""
    folder = tmp_path_factory.mktemp("sync")

    @cache
    def movie(scene: Scene) -> Video:
        path = make_video(
            folder / f"{scene.pace}.mp4",
            scene.sound(48000, start=0.2),
            frames=scene.frames,
            flashes=scene.events,
            flash_frames=round(scene.flash * scene.fps),
            fps=scene.fps,
            picture_at=Fraction(1, 5),
        )
        return probe(path)

    return movie


@pytest.mark.parametrize(("speed", "suffix"), [*((s, ".mp4") for s in EVERY), (12, ".mkv"), (5, ".webm")])
def test_rendered_files_are_in_sync(
    movies: Callable[[Scene], Video], speed: int | str, suffix: str, tmp_path: Path
) -> None:
    scene = scene_for(speed, Fraction(25))
    movie = movies(scene)
    selected = selection_of(speed, movie.frames)
    timemap = TimeMap.from_frames([movie.frame_time(i) for i in selected], movie.duration, movie.rate)
    output = tmp_path / f"out{suffix}"
    render(movie, selected, timemap, output)
    flashes, picture_end = flashes_in(output)
    sound, rate = sound_of(output)
    assert len(flashes) == scene.count
    late = errors(sound, flashes, level=0.3 * float(gain(25)), rate=rate)
    print(f"{speed}x {suffix}: 95 % within {1000 * np.percentile(np.abs(late), 95):.1f} ms")
    assert np.percentile(np.abs(late), 95) <= LIMIT
    assert picture_end == pytest.approx(float(timemap.duration), abs=1e-3)
    assert len(sound) / rate == pytest.approx(picture_end, abs=float(1 / movie.rate))


def flashes_in(path: Path) -> tuple[list[float], float]:
    """Times at which the picture turns white, and the end of the last picture, decoded without our reader."""
    times, bright, end = [], False, 0.0
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        rate = stream.average_rate or Fraction(25)
        for frame in container.decode(stream):
            white = frame.to_ndarray(format="gray").mean() > 150
            assert frame.time is not None
            if white and not bright:
                times.append(frame.time)
            bright, end = bool(white), frame.time + float(1 / rate)
    return times, end


def sound_of(path: Path) -> tuple[Samples, int]:
    """The first channel from time 0 on, by the file's own time stamps, decoded without our reader."""
    parts: list[Samples] = []
    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        first = None
        for frame in container.decode(stream):
            first = frame.time if first is None else first
            parts.append(frame.to_ndarray()[0].astype(np.float32))
        start = round((first or 0.0) * stream.rate)
        sound = np.concatenate([np.zeros(max(0, start), np.float32), *parts])
        return sound[max(0, -start) :], stream.rate
