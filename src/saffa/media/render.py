"""The selected frames, made upright and even, the sound that follows them, subtitles and chapters: one movie file."""

from __future__ import annotations

import heapq
import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import repeat
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import av
import av.filter
import numpy as np
from av import VideoFrame
from av.packet import Packet
from av.video.stream import VideoStream

from saffa.core.errors import InputError, SaffaError
from saffa.core.result import Rendered
from saffa.core.timeline import Splice, TimeMap
from saffa.core.types import Floats, Share
from saffa.core.video import Chapter, Colour, Cue, SoundTrack, Video
from saffa.media.caption import Caption, captioned
from saffa.media.frame_stream import read_frames
from saffa.media.probe import MOST_DAMAGE, check_damage, is_as_it_was
from saffa.media.sound.track import read_sound, spliced
from saffa.media.sound.wsola import stretched
from saffa.media.writer import (
    CODECS,
    MoviePlan,
    MovieWriter,
    RenderOptions,
    check_output,
    codec_for,
    deep_format,
    depth_notes,
    is_deep,
    wrapper_of,
)

_BT709 = Colour(1, 1, 1, 1)
_TURNS = {
    90: (("transpose", "clock"),),
    180: (("hflip", ""), ("vflip", "")),
    270: (("transpose", "cclock"),),
}


@dataclass(frozen=True)
class OutputPicture:
    """How the output's frames look to the encoder; `unturned` is their size before rotation and padding."""

    unturned: tuple[int, int]
    width: int
    height: int
    pixel_format: str
    pixel_aspect: Fraction
    colour: Colour

    @classmethod
    def of(cls, video: Video, codec: str, square: bool = False) -> OutputPicture:
        """The picture for a video in a codec; `square` stretches it to square pixels.

        Rotation is applied to the pixels, so every player shows it upright. Odd sizes grow by one repeated
        row or column (4:2:0 needs even sizes). More than 8 bits are kept where players can show them: in HEVC
        and AV1 always; in H.264, which few players show so, only if the source is such a file itself, or HDR, which
        would fall into bands otherwise.
        """
        width, height, aspect = video.width, video.height, video.pixel_aspect
        if square:
            # Grow the short side, so that no detail is lost.
            even = Fraction(1)
            width, height = round(width * max(aspect, even)), round(height / min(aspect, even))
            aspect = even
        unturned = (width, height)
        if video.rotation in (90, 270):
            width, height, aspect = height, width, 1 / aspect
        kind = CODECS[codec]
        source = av.VideoFormat(video.pixel_format)
        colour = _BT709 if source.is_rgb else video.colour
        chosen = "yuv420p"
        plays = kind.deep_plays or video.codec == codec or colour.is_hdr
        deep = deep_format(codec) if plays and is_deep(video.pixel_format) else None
        if deep:
            chosen = deep
        elif video.pixel_format.startswith("yuvj"):
            # The "j" formats are the full-range ones; encoders that cannot say so get limited range.
            chosen = "yuvj420p" if kind.full_range else "yuv420p"
            colour = replace(colour, range=2 if kind.full_range else 1)
        return cls(unturned, width + width % 2, height + height % 2, chosen, aspect, colour)


class Fitter:
    """Turns decoded frames into `picture`; frames that already fit pass through untouched and uncopied."""

    def __init__(self, video: Video, picture: OutputPicture) -> None:
        self._video = video
        self._picture = picture
        self._graph: av.filter.Graph | None = None
        self._shape: tuple[int, int, str] | None = None

    def fit(self, frame: av.VideoFrame) -> av.VideoFrame:
        """The frame as the encoder wants it."""
        shape = (frame.width, frame.height, frame.format.name)
        want = (self._picture.width, self._picture.height, self._picture.pixel_format)
        if shape == want and not self._video.rotation:
            return frame
        if self._graph is None or self._shape != shape:  # also when the size changes in mid-file
            self._graph, self._shape = self._build(frame), shape
        self._graph.push(frame)
        fitted = self._graph.pull()
        if not isinstance(fitted, av.VideoFrame):
            raise TypeError("the filter graph gave no video frame")
        return fitted

    def _build(self, frame: av.VideoFrame) -> av.filter.Graph:
        video, picture = self._video, self._picture
        steps: list[tuple[str, str]] = [("scale", self._scaling(frame)), ("format", picture.pixel_format)]
        steps += _TURNS.get(video.rotation, ())
        across = video.rotation in (90, 270)
        width, height = picture.unturned[::-1] if across else picture.unturned
        right, bottom = picture.width - width, picture.height - height
        if right or bottom:
            steps.append(("pad", f"{picture.width}:{picture.height}:0:0"))
            steps.append(("fillborders", f"right={right}:bottom={bottom}:mode=smear"))
        graph = av.filter.Graph()
        node = graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=video.time_base)
        for name, arguments in steps:
            following = graph.add(name, arguments) if arguments else graph.add(name)
            node.link_to(following)
            node = following
        node.link_to(graph.add("buffersink"))
        graph.configure()
        return graph

    def _scaling(self, frame: av.VideoFrame) -> str:
        picture = self._picture
        options = [f"{picture.unturned[0]}:{picture.unturned[1]}", "flags=bicubic+accurate_rnd"]
        if frame.format.is_rgb:
            options += ["out_color_matrix=bt709", "out_range=tv"]
        elif frame.format.name.startswith("yuvj") and not picture.pixel_format.startswith("yuvj"):
            options += ["in_range=pc", "out_range=tv"]
        return ":".join(options)


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
    if not options.allow_damage:
        check_damage(video)
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
