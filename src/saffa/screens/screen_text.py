"""The text on the screen of a video: first a glance at its key pictures, then a look where there are letters.

A film without letters costs the glance alone, a small part of decoding it. Where one key picture in five may hold text
the whole video is looked at, about one picture a second; otherwise only the groups of pictures beside those that may.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import av
import numpy as np

from saffa.core.types import Rgb, Share
from saffa.core.video import Cue, Video
from saffa.media.thumbnails import Glimpse, glimpses, key_pictures
from saffa.screens.likeness import traits
from saffa.screens.ocr import Reader, load_reader
from saffa.screens.tracking import ScreenTracker, ShownLine, joined

EVERY = 1.0
"""Seconds between two pictures that are looked at."""
MOST_PICTURES = 14_400
"""Four hours at that rate; longer videos are looked at less often."""
_GLANCES, _MOST_GLANCES = 3.0, 1200
"""Seconds between two key pictures that are glanced at, and how many there are at most."""
_LONG_GROUP = 12.0  # seconds: of so long a group a key picture does not tell enough
_OFTEN = 0.2  # share of key pictures with letters from which on all of the video is looked at
_RARELY = 0.04  # share below which a film is taken to have no text worth reading, unless one asks for it
_TRIED = 4  # pictures with possible letters that are read before a whole video is; two must hold words
_FLICKER = 3.0  # seconds for which a line may be away and still be one
_ALWAYS = 0.9  # share of the video from which on a line is a sign of the channel and tells no moment from another
_READABLE, _LARGEST = 720, 1080
"""Lines of pixels: smaller pictures are enlarged, since blanks between small letters are overlooked."""


@dataclass(frozen=True)
class Glance:
    """Times of the key pictures that were looked at, and whether each may hold text."""

    times: tuple[float, ...]
    lettered: tuple[bool, ...]

    @property
    def share(self) -> float:
        """Share of the pictures that may hold text."""
        return sum(self.lettered) / max(1, len(self.times))

    def wanted(self, end: float) -> Callable[[float], bool]:
        """Whether the group that begins at a time is worth a look: it is long, or has a picture with text beside it."""
        edges = [*self.times, end]

        def is_wanted(time: float) -> bool:
            if not self.times:
                return True
            place = max(bisect_right(self.times, time + 1e-3) - 1, 0)
            around = self.lettered[max(0, place - 1) : place + 2]
            return self.share >= _OFTEN or any(around) or edges[place + 1] - edges[place] > _LONG_GROUP

        return is_wanted


@dataclass(frozen=True)
class ScreenText:
    """Lines on the screen, in order of their start, and seconds of new letters that were left unread."""

    lines: list[Cue]
    unread: float = 0.0


def glance(video: Video) -> Glance:
    """Look for possible text in the key pictures alone."""
    looks = _glanced_at(video)
    found = sorted((look.time, traits(look.frame, video.rotation).has_text) for look in looks)
    return Glance(tuple(time for time, _ in found), tuple(lettered for _, lettered in found))


def looks_written(seen: Glance) -> bool:
    """Whether there is so much that looks like text that reading it is worth while."""
    return seen.share >= _RARELY


def read_screen(
    video: Video, seen: Glance, *, asked: bool, progress: Share = lambda _: None, read: Reader | None = None
) -> ScreenText:
    """Lines on the screen; none for a film without text.

    Unless one `asked` for it, a few pictures are tried first, and a video in which they hold no words is left.
    """
    read = read or load_reader(min(4, os.cpu_count() or 1))
    every = max(EVERY, float(video.duration) / MOST_PICTURES)
    if not asked and not _has_words(video, seen, read):
        return ScreenText([])
    tracker, end = ScreenTracker(read, every), float(video.duration)
    for look in glimpses(video, every, seen.wanted(end)):
        tracker.see(look.time, traits(look.frame, video.rotation), partial(large, look.frame, video.rotation))
        progress(min(1.0, look.time / max(end, 1e-9)))
    return ScreenText(_cues(list(joined(tracker.finish(end), _FLICKER)), end), round(tracker.passed * every, 3))


def _glanced_at(video: Video) -> Iterator[Glimpse]:
    return key_pictures(video, max(_GLANCES, float(video.duration) / _MOST_GLANCES))


def _has_words(video: Video, seen: Glance, read: Reader) -> bool:
    """Whether two of a few pictures that may hold text do; one, if there is only one."""
    likely = [time for time, lettered in zip(seen.times, seen.lettered, strict=True) if lettered]
    if not likely:
        return False
    tried = [likely[int(k)] for k in np.unique(np.linspace(0, len(likely) - 1, _TRIED).round())]
    hits = misses = 0
    for look in _glanced_at(video):
        place = bisect_left(tried, look.time - 1e-3)
        if place < len(tried) and abs(tried[place] - look.time) < 1e-3:
            is_written = bool(read(large(look.frame, video.rotation)))
            hits, misses = hits + is_written, misses + (not is_written)
        if hits == min(2, len(tried)) or misses == max(1, len(tried) - 1):
            break
    return hits == min(2, len(tried))


def large(frame: av.VideoFrame, rotation: int) -> Rgb:
    """The picture upright and large enough to be read."""
    short = min(frame.width, frame.height)
    scale = min(max(short, _READABLE), _LARGEST) / short
    width, height = (max(2, round(side * scale / 2) * 2) for side in (frame.width, frame.height))
    rgb = frame.reformat(min(width, 4096), min(height, 4096), "rgb24", interpolation="BICUBIC").to_ndarray()
    return np.ascontiguousarray(np.rot90(rgb, -rotation // 90 % 4) if rotation else rgb, np.uint8)


def _cues(lines: list[ShownLine], duration: float) -> list[Cue]:
    """Lines as cues of their own kind, without those that are always there."""
    telling = [line for line in lines if line.end - line.start < _ALWAYS * duration] or lines
    return [Cue(_exact(line.start), _exact(line.end), line.text, kind="shown") for line in telling]


def _exact(seconds: float) -> Fraction:
    return Fraction(round(max(0.0, seconds) * 1000), 1000)
