"""The selected frames, the sound that follows them, subtitles and chapters: one finished movie file."""

from __future__ import annotations

import heapq
import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from fractions import Fraction
from itertools import repeat
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import numpy as np
from av import VideoFrame
from av.packet import Packet
from av.video.stream import VideoStream

from saffa.core.errors import InputError, SaffaError
from saffa.core.result import Rendered
from saffa.core.timemap import Splice, TimeMap
from saffa.core.types import Floats, Share
from saffa.core.video import Chapter, Cue, SoundTrack, Video
from saffa.core.whole_file import is_as_it_was
from saffa.media.caption import Caption, captioned
from saffa.media.formats import CODECS, RenderOptions, check_output, codec_for, depth_notes, wrapper_of
from saffa.media.frame_stream import MOST_DAMAGE, read_frames
from saffa.media.output_picture import Fitter, OutputPicture
from saffa.media.sound.splicing import spliced
from saffa.media.sound.track import read_sound
from saffa.media.sound.wsola import stretched
from saffa.media.writer import MoviePlan, MovieWriter

Item = TypeVar("Item")

# How often a waiting thread looks whether the work was called off; items themselves wake it at once.
_GLANCE = 0.1
# Decoded frames waiting for the encoder: enough to smooth out key frames, little enough for 4K.
_FRAMES_AHEAD = 8
_BYTES_AHEAD = 64 << 20
_PACKETS_AHEAD = 64
_SILENCE = 1 << 16
ReadSound = Callable[[SoundTrack], Iterator[Floats]]
"""Blocks of samples (n, channels) of a track, from the first picture on."""


class CalledOff(Exception):  # noqa: N818 - not an error, a signal between threads
    """The work was stopped from another thread."""


class Prefetch:
    """A group of threads; leaving the `with` block stops all of them and waits until they are gone."""

    def __init__(self) -> None:
        self._off = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Prefetch:
        return self

    def __exit__(self, kind: type[BaseException] | None, _e: object, _t: object) -> None:
        self._off.set()
        interrupted = False
        while running := [thread for thread in self._threads if thread.is_alive()]:
            try:
                running[0].join()
            except KeyboardInterrupt:
                # It must not leave threads at work on files that are closed next: libav would crash.
                interrupted = True
        if interrupted and kind is None:
            raise KeyboardInterrupt

    def run(self, name: str, items: Iterator[Item], ahead: int) -> Prefetched[Item]:
        """Start working through `items`, at most `ahead` of whoever takes them."""
        prefetched = Prefetched(items, ahead, self._off)
        thread = threading.Thread(target=prefetched.work, name=f"saffa-{name}", daemon=True)
        self._threads.append(thread)
        thread.start()
        return prefetched


class Prefetched(Generic[Item]):
    """Items of one thread: iterate to get them; what went wrong in the thread is raised here."""

    def __init__(self, items: Iterator[Item], ahead: int, off: threading.Event) -> None:
        self._items = items
        self._off = off
        self._queue: queue.Queue[tuple[Item | None, BaseException | None]] = queue.Queue(ahead)

    def work(self) -> None:
        """Put all items into the queue; runs in the thread."""
        ending: BaseException | None = None
        try:
            for item in self._items:
                self._put((item, None))
        except CalledOff:
            return
        except BaseException as error:
            ending = error
        finally:
            if isinstance(self._items, Generator):
                self._items.close()  # here, not wherever the garbage collector happens to run
        try:
            self._put((None, ending or StopIteration()))
        except CalledOff:
            return

    def __iter__(self) -> Iterator[Item]:
        while True:
            try:
                item, ending = self._queue.get(timeout=_GLANCE)
            except queue.Empty:
                if self._off.is_set():
                    raise CalledOff from None
                continue
            if isinstance(ending, StopIteration):
                return
            if ending is not None:
                raise ending
            yield item  # type: ignore[misc]

    def _put(self, entry: tuple[Item | None, BaseException | None]) -> None:
        while not self._off.is_set():
            try:
                self._queue.put(entry, timeout=_GLANCE)
                return
            except queue.Full:
                continue
        raise CalledOff


def render(
    video: Video,
    selected: Sequence[int],
    timemap: TimeMap,
    output: Path,
    options: RenderOptions | None = None,
    *,
    holds: Sequence[int] = (),
    splice: Splice = Splice(),
    captions: Sequence[Caption] = (),
    subtitles: Sequence[Cue] = (),
    chapters: Sequence[Chapter] = (),
    progress: Share | None = None,
) -> Rendered:
    """Write the selected frames of a file at the video's nominal rate, and everything else along the TimeMap.

    A frame fills one slot of the output, or as many as `holds` says. With a `splice`, the TimeMap is that of the
    spliced time, and the sound is joined across the cuts.
    `captions` are drawn into the picture; `subtitles` and `chapters` are already on the output's clock.
    """
    options = options or RenderOptions()
    check_output(output, (video.path,), options)
    if not len(selected):
        raise InputError("No frame is selected; there is nothing to write.")
    warnings = list(video.warnings)
    with Rendering(video, output, options) as movie:
        most = 1.0 if options.allow_damage else MOST_DAMAGE
        frames = read_frames(video, selected, warn=warnings.append, most_missing=most)
        decoded = movie.prefetch.run("decode", frames, _frames_ahead(video))
        pictures = movie.encode(_repeated((frame for _, frame in decoded), holds), captions)

        def sound(track: SoundTrack) -> Iterator[Floats]:
            heard = read_sound(video, track)
            return spliced(heard, track.rate, splice) if splice else heard

        done = movie.finish(pictures, timemap, sound, subtitles, chapters, warnings, progress)
        if not (options.allow_damage or is_as_it_was(video.path, video.stamp, video.sha256)):
            raise SaffaError(f"{video.path} changed while it was read; run again, or add --allow-damage.")
        return done


class Rendering:
    """A movie in the making: first its pictures are encoded, then `finish` adds what needs the whole TimeMap."""

    def __init__(self, video: Video, output: Path, options: RenderOptions) -> None:
        self._video, self._output, self._audio = video, output, options.audio
        self._tracks = _tracks(video, options)
        self._plan = _plan(video, output, options, self._tracks)
        self._writer = MovieWriter(output, self._plan, overwrite=options.overwrite)
        self._slots = 0
        self.prefetch = Prefetch()
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._open.enter_context(self._writer)
        self._open.enter_context(self.prefetch)
        return self

    def __exit__(self, *failure: Any) -> bool | None:
        return self._open.__exit__(*failure)

    @property
    def picture_stream(self) -> VideoStream:
        """The stream that the packets of `encode` belong to."""
        return self._writer.picture

    def encode(self, frames: Iterator[VideoFrame], captions: Sequence[Caption] = ()) -> Iterator[Packet[Any]]:
        """Packets of the pictures, one slot of the output for each frame."""
        fitter = Fitter(self._video, self._plan.picture)
        fitted = (fitter.fit(frame) for frame in self._counted(frames))
        return self._writer.encode_frames(captioned(fitted, captions) if captions else fitted)

    def _counted(self, frames: Iterator[VideoFrame]) -> Iterator[VideoFrame]:
        for frame in frames:
            self._slots += 1
            yield frame

    def finish(
        self,
        pictures: Iterator[Packet[Any]],
        timemap: TimeMap,
        sound: ReadSound,
        subtitles: Sequence[Cue] = (),
        chapters: Sequence[Chapter] = (),
        warnings: Sequence[str] = (),
        progress: Share | None = None,
    ) -> Rendered:
        """Write everything: the packets of `encode`, sound along the map, and words on the output's clock."""
        writer, expected = self._writer, timemap.duration * self._video.rate
        writer.begin(chapters, subtitles=bool(subtitles))
        streams = [pictures]
        for i, track in enumerate(self._tracks):
            streams.append(writer.encode_sound(i, self._sound(track, timemap, sound)))
        streams.append(writer.encode_cues(subtitles))
        threads = [self.prefetch.run(f"stream-{i}", stream, _PACKETS_AHEAD) for i, stream in enumerate(streams)]
        done = 0
        for stream, packet in packets_in_order(threads):
            writer.mux(packet)
            if stream == 0 and progress is not None:
                done += 1
                progress(min(float(done / expected), 1.0))
        seconds = max((_samples(timemap, t) / Fraction(t.rate) for t in self._tracks), default=None)
        notes = depth_notes(self._output, self._plan.codec, self._video.pixel_format, self._plan.picture.pixel_format)
        duration = self._slots / self._video.rate
        return Rendered(self._output, self._slots, duration, seconds, tuple(warnings), notes=notes)

    def _sound(self, track: SoundTrack, timemap: TimeMap, sound: ReadSound) -> Iterator[Floats]:
        if self._audio == "stretch":
            yield from stretched(sound(track), track.rate, track.channels, timemap)
            return
        left = _samples(timemap, track)
        while left > 0:
            yield np.zeros((min(left, _SILENCE), track.channels), np.float32)
            left -= _SILENCE


def _repeated(frames: Iterator[VideoFrame], holds: Sequence[int]) -> Iterator[VideoFrame]:
    for frame, count in zip(frames, holds or repeat(1), strict=bool(holds)):
        yield from repeat(frame, count)


def _plan(video: Video, output: Path, options: RenderOptions, tracks: Sequence[SoundTrack]) -> MoviePlan:
    codec = codec_for(output, options.codec, video.colour.is_hdr)
    square = not (wrapper_of(output).keeps_aspect or CODECS[codec].keeps_aspect)
    return MoviePlan(
        picture=OutputPicture.of(video, codec, square),
        codec=codec,
        rate=video.rate,
        crf=options.crf,
        preset=options.preset,
        sounds=tracks,
        cue_language=next((t.language for t in video.subtitles if t.is_text), None),
        title=video.title,
    )


def _tracks(video: Video, options: RenderOptions) -> list[SoundTrack]:
    """The sound tracks to write, the default one first; one silent track is enough when muted."""
    tracks = sorted(video.sounds, key=lambda t: not t.default)
    return {"stretch": tracks, "mute": tracks[:1], "drop": []}[options.audio]


def _frames_ahead(video: Video) -> int:
    """Decoded frames that may wait for the encoder."""
    size = max(video.width * video.height * 3, 1)
    return max(2, min(_FRAMES_AHEAD, _BYTES_AHEAD // size))


def _samples(timemap: TimeMap, track: SoundTrack) -> int:
    return round(timemap.duration * track.rate)


def packets_in_order(streams: Sequence[Iterable[Packet[Any]]]) -> Iterator[tuple[int, Packet[Any]]]:
    """Packets of all streams by decoding time, so the muxer need not hold any back and threads wait for each other."""
    runs = [zip(repeat(i), stream) for i, stream in enumerate(streams)]
    return heapq.merge(*runs, key=lambda entry: _moment(entry[1]))


def _moment(packet: Packet[Any]) -> float:
    stamp = packet.dts if packet.dts is not None else packet.pts
    return float((stamp or 0) * packet.time_base)
