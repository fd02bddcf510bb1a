"""The selected frames, the sound that follows them, subtitles and chapters: one finished movie file."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from av import VideoFrame
from av.packet import Packet
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.core.result import Rendered
from saffa.core.timemap import TimeMap
from saffa.core.video import Chapter, Cue, SoundTrack, Video
from saffa.media.formats import (
    CODECS,
    AudioMode,
    RenderOptions,
    check_output,
    codec_for,
    depth_notes,
    wrapper_of,
)
from saffa.media.output_picture import Fitter, Picture
from saffa.media.prefetch import Lane, Lanes
from saffa.media.reader import read_frames
from saffa.media.sound.track import read_sound
from saffa.media.sound.wsola import stretched
from saffa.media.writer import MoviePlan, MovieWriter

# Decoded frames waiting for the encoder: enough to smooth out key frames, little enough for 4K.
_FRAMES_AHEAD = 8
_BYTES_AHEAD = 64 << 20
PACKETS_AHEAD = 64
_SILENCE = 1 << 16


def render(
    video: Video,
    selected: Sequence[int],
    timemap: TimeMap,
    output: Path,
    options: RenderOptions | None = None,
    *,
    holds: Sequence[int] = (),
    subtitles: Sequence[Cue] | None = None,
    chapters: Sequence[Chapter] = (),
    progress: Callable[[float], None] | None = None,
) -> Rendered:
    """Write the selected frames at the video's nominal rate, and everything else along the TimeMap.

    A frame fills one slot of the output, or as many as `holds` says.
    `subtitles` and `chapters` are already on the output's clock.
    """
    options = options or RenderOptions()
    output = Path(output)
    check_output(output, (video.path,), options)
    if not len(selected):
        raise InputError("No frame is selected; there is nothing to write.")
    warnings = list(video.warnings)
    tracks = tracks_of(video, options.audio)
    slots = sum(holds) if holds else len(selected)
    plan = plan_of(video, output, options, tracks, subtitles or (), chapters)
    with MovieWriter(output, plan, overwrite=options.overwrite) as writer, Lanes() as lanes:
        decoded = lanes.run("decode", read_frames(video, selected, warn=warnings.append), frames_ahead(video))
        fitter = Fitter(video, plan.picture)
        fitted = (fitter.fit(frame) for _, frame in decoded)
        pictures = writer.encode_frames(_repeated(fitted, holds) if holds else fitted)
        parts = [lanes.run("encode", pictures, PACKETS_AHEAD)]
        for i, track in enumerate(tracks):
            sound = writer.encode_sound(i, _sound(video, track, timemap, options.audio))
            parts.append(lanes.run(f"sound-{i}", sound, PACKETS_AHEAD))
        parts.append(lanes.run("subtitles", writer.encode_cues(), PACKETS_AHEAD))
        done = 0
        for part, packet in in_order(parts):
            writer.mux(packet)
            if part == 0 and progress is not None:
                done += 1
                progress(min(done / slots, 1.0))
    sound_duration = max((_samples(timemap, t) / Fraction(t.rate) for t in tracks), default=None)
    notes = depth_notes(output, plan.codec, video.pixel_format, plan.picture.pixel_format)
    return Rendered(output, slots, slots / video.rate, sound_duration, tuple(warnings), notes=notes)


def _repeated(frames: Iterator[VideoFrame], holds: Sequence[int]) -> Iterator[VideoFrame]:
    for frame, count in zip(frames, holds, strict=True):
        yield from repeat(frame, count)


def plan_of(
    video: Video,
    output: Path,
    options: RenderOptions,
    tracks: Sequence[SoundTrack],
    cues: Sequence[Cue],
    chapters: Sequence[Chapter],
) -> MoviePlan:
    """What the file will be like."""
    codec = codec_for(output, options.codec, video.colour.is_hdr)
    square = not (wrapper_of(output).keeps_aspect or CODECS[codec].keeps_aspect)
    return MoviePlan(
        picture=Picture.of(video, codec, square),
        codec=codec,
        rate=video.rate,
        crf=options.crf,
        preset=options.preset,
        sounds=tracks,
        cues=cues,
        cue_language=next((t.language for t in video.subtitles if t.is_text), None),
        chapters=chapters,
        title=video.title,
    )


def tracks_of(video: Video, audio: AudioMode) -> list[SoundTrack]:
    """The sound tracks to write, the default one first; one silent track is enough when muted."""
    tracks = sorted(video.sounds, key=lambda t: not t.default)
    return {"stretch": tracks, "mute": tracks[:1], "drop": []}[audio]


def frames_ahead(video: Video) -> int:
    """Decoded frames that may wait for the encoder."""
    size = max(video.width * video.height * 3, 1)
    return max(2, min(_FRAMES_AHEAD, _BYTES_AHEAD // size))


def _sound(video: Video, track: SoundTrack, timemap: TimeMap, audio: AudioMode) -> Iterator[NDArray[np.float32]]:
    if audio == "stretch":
        yield from stretched(read_sound(video, track), track.rate, track.channels, timemap)
        return
    left = _samples(timemap, track)
    while left > 0:
        yield np.zeros((min(left, _SILENCE), track.channels), np.float32)
        left -= _SILENCE


def _samples(timemap: TimeMap, track: SoundTrack) -> int:
    return round(timemap.duration * track.rate)


def in_order(parts: Sequence[Lane[Packet[Any]]]) -> Iterator[tuple[int, Packet[Any]]]:
    """Packets of all streams by decoding time, so the muxer need not hold any back and lanes wait for each other."""
    runs = [zip(repeat(i), part) for i, part in enumerate(parts)]
    return heapq.merge(*runs, key=lambda entry: _moment(entry[1]))


def _moment(packet: Packet[Any]) -> float:
    stamp = packet.dts if packet.dts is not None else packet.pts
    return float((stamp or 0) * packet.time_base)
