"""What a browser can play, and a small copy of what it cannot."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from pathlib import Path

from saffa.core.types import Share
from saffa.core.video import Video
from saffa.media.container import open_movie
from saffa.media.frame_stream import read_frames
from saffa.media.probe import constant_rate_axis
from saffa.media.render import Fitter, OutputPicture, packets_in_order
from saffa.media.sound.track import read_sound
from saffa.media.writer import MoviePlan, MovieWriter

PLAYED = {
    "mp4": ({"h264", "vp9", "av1"}, {"aac", "mp3", "opus", "flac"}),
    "webm": ({"vp8", "vp9", "av1"}, {"opus", "vorbis"}),
}
"""Containers with the codecs of picture and sound that today's browsers play."""
PLAYED_PIXELS = {"yuv420p", "yuvj420p"}
WIDEST = 854
"""Pixels of a copy across, which is to be looked at in a page."""
KEY_FRAMES = Fraction(1, 2)
"""Seconds between key frames of a copy, so that a jump decodes little."""


def plays_in_browsers(video: Video) -> bool:
    """Whether browsers play the file as it is."""
    with open_movie(video.path) as container:
        names = container.format.name.split(",")
    kind = next((name for name in PLAYED if name in names), None)
    if kind is None or video.pixel_format not in PLAYED_PIXELS:
        return False
    pictures, sounds = PLAYED[kind]
    return video.codec in pictures and all(track.codec in sounds for track in video.sounds)


def write_browser_copy(video: Video, output: Path, progress: Share) -> None:
    """A small mp4 of the whole video with its first sound track; its time 0 is the first frame."""
    axis = constant_rate_axis(video)
    sounds = sorted(video.sounds, key=lambda track: not track.default)[:1]
    plan = MoviePlan(
        picture=_small(video),
        codec="h264",
        rate=axis.rate,
        crf=27,
        preset="superfast",
        sounds=sounds,
        key_frames=max(1, ceil(axis.rate * KEY_FRAMES)),
    )
    with MovieWriter(output, plan) as writer:
        writer.begin()
        fitter = Fitter(video, plan.picture)
        frames = read_frames(axis, warn=lambda _: None)
        pictures = writer.encode_frames(fitter.fit(frame) for _, frame in frames)
        heard = [writer.encode_sound(i, read_sound(video, track)) for i, track in enumerate(sounds)]
        done = 0
        for stream, packet in packets_in_order([pictures, *heard]):
            writer.mux(packet)
            if stream == 0:
                done += 1
                progress(min(done / axis.frames, 1.0))


def _small(video: Video) -> OutputPicture:
    """Square pixels, upright, not wider than WIDEST, 8 bits."""
    whole = OutputPicture.of(video, "h264", square=True)
    shrink = min(Fraction(1), Fraction(WIDEST, max(whole.width, whole.height)))
    width, height = (max(2, round(side * shrink / 2) * 2) for side in whole.unturned)
    upright = (height, width) if video.rotation in (90, 270) else (width, height)
    return OutputPicture((width, height), *upright, "yuv420p", Fraction(1), whole.colour)
