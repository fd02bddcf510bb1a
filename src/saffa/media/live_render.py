"""Writes a movie while its source is being read: frames as they are chosen, sound as far as the choice is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from av import VideoFrame
from numpy.typing import NDArray

from saffa.core.result import Rendered
from saffa.core.video import Chapter, Cue, SoundTrack
from saffa.core.whole_file import part_of
from saffa.media.copying import copy_with
from saffa.media.formats import RenderOptions, depth_notes
from saffa.media.live import LiveMovie
from saffa.media.output_picture import Fitter
from saffa.media.prefetch import CalledOff, Lanes
from saffa.media.render import PACKETS_AHEAD, frames_ahead, in_order, plan_of, tracks_of
from saffa.media.sound.growing_course import GrowingCourse
from saffa.media.sound.growing_map import GrowingMap
from saffa.media.sound.wsola import followed
from saffa.media.writer import MovieWriter

# Encoded pictures wait for the sound, which stays a few seconds behind: as many as there are, they are small.
_NO_LIMIT = 0
_SILENCE = 1 << 14


class Words(NamedTuple):
    """What can only be placed when the whole map is known: lines and chapters on the output's clock."""

    cues: Sequence[Cue]
    chapters: Sequence[Chapter]


def render_live(
    movie: LiveMovie,
    frames: Iterator[VideoFrame],
    growing: GrowingMap,
    output: Path,
    options: RenderOptions,
    words: Callable[[], Words] | None,
) -> Rendered:
    """Write `frames`, whose source times go into `growing`, until both end.

    `words` is asked at the end. With it, pictures and sound are written to a hidden file first, and then copied.
    """
    video = movie.video
    tracks = tracks_of(video, options.audio)
    plan = plan_of(video, output, options, tracks, (), ())
    with _draft(output) if words else _direct(output) as place:
        fitter = Fitter(video, plan.picture)
        making = MovieWriter(place, plan, draft=words is not None, overwrite=options.overwrite)
        with making as writer, Lanes() as lanes, _ended(movie, growing):
            decoded = lanes.run("decode", _told(frames, growing), frames_ahead(video))
            pictures = writer.encode_frames(fitter.fit(frame) for frame in decoded)
            parts = [lanes.run("encode", _told(pictures, growing), _NO_LIMIT)]
            for i, track in enumerate(tracks):
                sound = writer.encode_sound(i, _sound(movie, track, growing, options.audio))
                parts.append(lanes.run(f"sound-{i}", _told(sound, growing), PACKETS_AHEAD))
            for _, packet in in_order(parts):
                writer.mux(packet)
        if words is not None:
            placed = words()
            copy_with(place, output, placed.cues, plan.cue_language, placed.chapters, overwrite=options.overwrite)
    duration = len(growing) / video.rate
    sound_duration = max((round(duration * t.rate) / Fraction(t.rate) for t in tracks), default=None)
    notes = depth_notes(output, plan.codec, video.pixel_format, plan.picture.pixel_format)
    return Rendered(output, len(growing), duration, sound_duration, notes=notes)


def _sound(movie: LiveMovie, track: SoundTrack, growing: GrowingMap, audio: str) -> Iterator[NDArray[np.float32]]:
    if audio == "stretch":
        yield from followed(movie.sound(track), track.channels, GrowingCourse(growing, track.rate))
        return
    yield from _silence(growing, track)


def _silence(growing: GrowingMap, track: SoundTrack) -> Iterator[NDArray[np.float32]]:
    """As long as the picture, and never far ahead of it."""
    given = 0

    def left() -> int:
        return round(len(growing) / growing.rate * track.rate) - given

    while True:
        growing.wait(lambda: left() >= _SILENCE)
        count = min(left(), _SILENCE)
        if count <= 0:
            return
        given += count
        yield np.zeros((count, track.channels), np.float32)


def _told(items: Iterator[Any], growing: GrowingMap) -> Iterator[Any]:
    """The same items; when they fail, all who wait for the map fail likewise, or they would wait for ever."""
    try:
        yield from items
    except BaseException as error:
        growing.fail(error)
        raise


@contextmanager
def _ended(movie: LiveMovie, growing: GrowingMap) -> Iterator[None]:
    """In the end, good or bad, nobody waits for the movie or the map."""
    try:
        yield
    except BaseException:
        growing.fail(CalledOff())
        movie.call_off()
        raise


@contextmanager
def _draft(output: Path) -> Iterator[Path]:
    place = part_of(output)
    try:
        yield place
    finally:
        place.unlink(missing_ok=True)


@contextmanager
def _direct(output: Path) -> Iterator[Path]:
    yield output
