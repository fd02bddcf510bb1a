"""The sound of a video for recognisers of speech, in stretches cut where it is quiet: hours take no more memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler

from saffa.core.types import Floats
from saffa.core.video import SoundTrack, Video
from saffa.media.sound.track import read_sound

RATE = 16_000
"""Samples a second that recognisers of speech take."""
SHORTEST, LONGEST = 20 * RATE, 40 * RATE
FRAME = RATE // 50
"""Samples of 20 ms, in which loudness is measured."""
_PAUSE = 15  # frames, 0.3 s: a pause between words that is worth a cut
_SILENT = 1e-3  # amplitude, -60 dB: below it nothing can be understood


@dataclass(frozen=True, eq=False)
class Stretch:
    """A piece of sound: `samples` (n,) float32 at RATE, which begins `start` seconds after the first picture."""

    start: float
    samples: Floats

    @property
    def silent(self) -> bool:
        """Whether nothing is to be heard in it."""
        return bool(np.abs(self.samples).max(initial=0) < _SILENT)


def speech_track(video: Video) -> SoundTrack | None:
    """The track that plays by default, or the first one; None for a silent film."""
    return next((track for track in video.sounds if track.default), video.sounds[0] if video.sounds else None)


def stretches(video: Video, track: SoundTrack) -> Iterator[Stretch]:
    """The track's sound in order, in pieces of 20 to 40 seconds that end in a pause."""
    waiting: list[Floats] = []
    held, done = 0, 0
    for block in _speech_rate(video, track):
        waiting.append(block)
        held += len(block)
        while held >= LONGEST:
            sound = np.concatenate(waiting)
            cut = _quietest(sound)
            yield Stretch(done / RATE, sound[:cut])
            waiting, held, done = [sound[cut:]], held - cut, done + cut
    if held:
        yield Stretch(done / RATE, np.concatenate(waiting))


def loudness(samples: Floats) -> Floats:
    """Root mean square of each 20 ms, shape (n // FRAME,)."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    return np.asarray(np.sqrt(np.mean(frames**2, axis=1)), np.float32)


def _quietest(sound: Floats) -> int:
    """Where to cut: the middle of the quietest 0.3 s between the shortest and the longest stretch."""
    levels = loudness(sound[SHORTEST:LONGEST])
    means = np.convolve(levels, np.full(_PAUSE, 1 / _PAUSE), "valid")
    return SHORTEST + (int(means.argmin()) + _PAUSE // 2) * FRAME


def _speech_rate(video: Video, track: SoundTrack) -> Iterator[Floats]:
    """The track in one channel at RATE, on the picture's clock."""
    resampler = AudioResampler("flt", "mono", RATE)
    for block in read_sound(video, track):
        mono = np.ascontiguousarray(block.mean(axis=1, dtype=np.float32))
        frame = AudioFrame.from_ndarray(mono[None, :], "flt", "mono")
        frame.sample_rate = track.rate
        yield from _samples(resampler, frame)
    yield from _samples(resampler, None)


def _samples(resampler: AudioResampler, frame: AudioFrame | None) -> Iterator[Floats]:
    for part in resampler.resample(frame):
        yield np.asarray(part.to_ndarray().reshape(-1), np.float32)
