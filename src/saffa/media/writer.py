"""Writes a movie file, all or nothing: what can be written (containers, codecs, their settings), and the writing.

Pictures, sound and subtitles are encoded, and their packets muxed.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import av
import av.codec
import av.error
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.packet import Packet
from av.stream import Disposition, Stream
from av.subtitles.stream import SubtitleStream
from av.subtitles.subtitle import SubtitleSet
from av.video.stream import VideoStream

from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.core.video import Chapter, Cue, SoundTrack
from saffa.core.whole_file import check_output_file, part_of, put_in_place, sweep, write_failure
from saffa.media.container import LARGE, MEDIA_ERRORS

if TYPE_CHECKING:
    from av.container.core import Chapter as ChapterEntry  # exists for type checkers only

    from saffa.media.render import OutputPicture

AudioMode = Literal["stretch", "mute", "drop"]
LineMode = Literal["all", "readable", "slow"]
BurnMode = Literal["nothing", "steps"]
ChapterMode = Literal["source", "steps", "both", "none"]
DEFAULT_PRESET = "veryfast"
# x264's names for "how long may it take", in order; other encoders get their own number for each.
PRESETS = (
    "ultrafast",
    "superfast",
    "veryfast",
    "faster",
    "fast",
    "medium",
    "slow",
    "slower",
    "veryslow",
)
# Beyond 8, SVT-AV1 4.1 loses whole blocks when pictures change fast, as they do in a fast-forward.
_SVT_SPEED = (8, 8, 8, 8, 7, 6, 5, 4, 2)
_VPX_SPEED = (8, 7, 6, 5, 4, 3, 2, 1, 0)


@dataclass(frozen=True)
class Wrapper:
    """A container: its file format, the video codecs it may hold (first = default), sound and subtitles.

    `keeps_aspect`: whether PyAV can tell it the shape of a pixel (else the codec must, see `Codec`).
    """

    format: str
    codecs: tuple[str, ...]
    sound: str = "aac"
    subtitles: str = "mov_text"
    options: Mapping[str, str] = field(default_factory=dict)
    keeps_aspect: bool = True


@dataclass(frozen=True)
class Codec:
    """A video codec: its encoder, quality scale and its pixel format for more than 8 bits, if there is one.

    `deep_plays`: whether players of the codec show that format; else only those do that could show the source.
    """

    encoder: str
    crf: int
    worst: int
    best: int = 0
    deep_format: str | None = None
    deep_plays: bool = True
    full_range: bool = False
    keeps_aspect: bool = True


_MP4 = {"movflags": "+faststart"}
_MKV = {"fflags": "+bitexact"}  # else every file gets a number drawn by lot
WRAPPERS: Mapping[str, Wrapper] = {
    ".mp4": Wrapper("mp4", ("h264", "hevc", "av1", "vp9", "mpeg4"), options=_MP4),
    ".m4v": Wrapper("mp4", ("h264", "hevc", "mpeg4"), options=_MP4),
    ".mov": Wrapper("mov", ("h264", "hevc", "mpeg4"), options=_MP4),
    ".mkv": Wrapper(
        "matroska", ("h264", "hevc", "vp9", "av1", "mpeg4"), options=_MKV, subtitles="subrip", keeps_aspect=False
    ),
    ".webm": Wrapper("webm", ("vp9", "av1"), "libopus", "webvtt", _MKV, keeps_aspect=False),
}
CODECS: Mapping[str, Codec] = {
    "h264": Codec("libx264", 23, 51, deep_format="yuv420p10le", deep_plays=False, full_range=True),
    "hevc": Codec("libx265", 26, 51, deep_format="yuv420p10le", full_range=True),
    "vp9": Codec("libvpx-vp9", 32, 63, keeps_aspect=False),
    "av1": Codec("libsvtav1", 32, 63, deep_format="yuv420p10le", keeps_aspect=False),
    "mpeg4": Codec("mpeg4", 3, 31, best=1),
}


@dataclass(frozen=True)
class RenderOptions:
    """How to write the movie; None leaves the choice to the codec."""

    audio: AudioMode = "stretch"
    crf: int | None = None
    preset: str | None = None
    codec: str | None = None
    overwrite: bool = False
    subtitle_lines: LineMode = "readable"
    """All lines, those that can be read, or those of parts at no more than twice the normal speed."""
    burn: BurnMode = "nothing"
    """Draw the current step and the speed into the picture, or nothing."""
    chapters: ChapterMode = "source"
    """Chapters of the source, one for each step of the text that is shown, both or none."""
    allow_damage: bool = False
    """Write the video however much of the source is missing or was changed meanwhile."""


def check_output(output: Path, inputs: tuple[Path, ...], options: RenderOptions) -> None:
    """InputError if the output cannot or must not be written, or is one of the inputs; asked before any long work."""
    check_choice(output, options.codec, options.crf, options.preset)
    if options.audio not in ("stretch", "mute", "drop"):
        raise InputError(f"--audio {options.audio!r} is not known; choose stretch, mute or drop.")
    if options.subtitle_lines not in ("all", "readable", "slow"):
        raise InputError(f"--subtitle-lines {options.subtitle_lines!r} is not known; choose all, readable or slow.")
    if options.burn not in ("nothing", "steps"):
        raise InputError(f"--burn {options.burn!r} is not known; choose steps or nothing.")
    if options.chapters not in ("source", "steps", "both", "none"):
        raise InputError(f"--chapters {options.chapters!r} is not known; choose source, steps, both or none.")
    check_output_file(output, inputs, options.overwrite)


def wrapper_of(path: Path) -> Wrapper:
    """The container for an output name; InputError if its extension is not one of ours."""
    found = WRAPPERS.get(path.suffix.lower())
    if found is None:
        known = ", ".join(sorted(WRAPPERS))
        raise InputError(f"{path.name}: the output must end in one of {known}.")
    return found


def check_choice(path: Path, codec: str | None, crf: int | None, preset: str | None) -> None:
    """InputError unless container, codec, quality and preset go together and can be written here."""
    wrapper = wrapper_of(path)
    name = codec or wrapper.codecs[0]
    if name not in CODECS:
        raise InputError(f"Codec {name!r} is not known; choose one of {', '.join(CODECS)}.")
    if name not in wrapper.codecs:
        fitting = ", ".join(wrapper.codecs)
        raise InputError(f"A {path.suffix} file cannot hold {name}; choose one of {fitting}.")
    kind = CODECS[name]
    if kind.encoder not in av.codec.codecs_available:
        raise InputError(f"This installation of PyAV cannot write {name}; choose another --codec.")
    if crf is not None and not kind.best <= crf <= kind.worst:
        raise InputError(f"--crf for {name} must be between {kind.best} (best) and {kind.worst}, not {crf}.")
    if preset is not None and preset not in PRESETS:
        raise InputError(f"Preset {preset!r} is not known; choose one of {', '.join(PRESETS)}.")


def codec_for(path: Path, codec: str | None, hdr: bool) -> str:
    """The codec asked for, else the container's usual one; HDR goes to HEVC, whose players know 10 bits."""
    usual = wrapper_of(path).codecs
    return codec or ("hevc" if hdr and "hevc" in usual else usual[0])


def deep_format(codec: str) -> str | None:
    """The codec's pixel format for more than 8 bits, if the encoder is installed and has it."""
    kind = CODECS[codec]
    if kind.deep_format is None or kind.encoder not in av.codec.codecs_available:
        return None
    known = av.codec.Codec(kind.encoder, "w").video_formats or ()
    return kind.deep_format if any(f.name == kind.deep_format for f in known) else None


def depth_notes(path: Path, codec: str, source: str, written: str) -> tuple[str, ...]:
    """What to say if a picture of more than 8 bits is written with 8; pixel formats as libav names them."""
    if not is_deep(source) or is_deep(written):
        return ()
    deeper = [name for name in wrapper_of(path).codecs if CODECS[name].deep_plays and deep_format(name)]
    instead = f"; --codec {deeper[0]} keeps 10" if deeper else ""
    return (f"The picture has more than 8 bits and is written with 8, as {codec} players expect{instead}.",)


def is_deep(pixel_format: str) -> bool:
    """More than 8 bits."""
    return max(part.bits for part in av.VideoFormat(pixel_format).components) > 8


def encoder_options(codec: str, crf: int | None, preset: str | None, *, large: bool = False) -> dict[str, str]:
    """Options of the encoder for a quality and a preset; with `large` pictures (4K) it looks at few at a time."""
    quality = str(CODECS[codec].crf if crf is None else crf)
    speed = PRESETS.index(preset or DEFAULT_PRESET)
    if codec == "h264":
        # Closed captions ride on frames and would come out at the wrong times: a53cc off.
        ahead = {"rc-lookahead": "0", "mbtree": "0", "x264-params": "sliced-threads=1"} if large else {}
        # Choosing B-frames takes a quarter of the work, and of neighbours that lie far apart they gain little.
        quick = large or speed <= PRESETS.index(DEFAULT_PRESET)
        return {"crf": quality, "preset": PRESETS[speed], "a53cc": "0"} | ahead | ({"bf": "0"} if quick else {})
    if codec == "hevc":
        return {"crf": quality, "preset": PRESETS[speed], "a53cc": "0", "x265-params": "log-level=none"}
    if codec == "av1":
        return {"crf": quality, "preset": str(_SVT_SPEED[speed])}
    if codec == "vp9":
        deadline = "realtime" if speed <= PRESETS.index("veryfast") else "good"
        steps = {"deadline": deadline, "cpu-used": str(_VPX_SPEED[speed]), "row-mt": "1"}
        return {"crf": quality, "b": "0", "tile-columns": "2", **steps}
    return {"flags": "+qscale", "global_quality": str(int(quality) * 118)}  # libav counts q in 1/118


_LAYOUTS = {1: "mono", 2: "stereo", 3: "3.0", 4: "4.0", 5: "5.0", 6: "5.1", 8: "7.1"}
# Slower sound is written at 48 kHz: an AAC frame of 1,024 samples at 8 kHz would outlast the picture by 128 ms.
_AAC_RATES = (32000, 44100, 48000, 64000, 88200, 96000)
_OPUS_RATE = 48000
_MILLISECOND = Fraction(1, 1000)
_ENCODER_THREADS = 16
_LARGE_THREADS = 2

# The encoders of plain text want the header of a styled script; players show their own default style.
_SCRIPT = b"""[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, \
MarginR, MarginV, Encoding
Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,0

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
"""


@dataclass(frozen=True)
class MoviePlan:
    """What must be known about a movie before its first picture is encoded."""

    picture: OutputPicture
    codec: str
    rate: Fraction
    crf: int | None = None
    preset: str | None = None
    sounds: Sequence[SoundTrack] = ()
    cue_language: str | None = None
    title: str | None = None
    key_frames: int | None = None
    """A key frame at least every so many frames, for players that jump about; None leaves it to the codec."""


class MovieWriter:
    """A movie file in the making; appears under its name only when the `with` block ends well.

    Pictures may be encoded before `begin`, which tells the rest and writes the file's first bytes; then comes `mux`.
    The `encode_*` methods may run in different threads, one for each stream; `mux` belongs to one thread.
    """

    def __init__(self, path: Path, plan: MoviePlan, *, overwrite: bool = True) -> None:
        self._path = path
        self._plan = plan
        self._overwrite = overwrite
        self._wrapper = wrapper_of(path)
        self._temporary = part_of(path)
        self._subtitles: SubtitleStream | None = None

    def __enter__(self) -> Self:
        wrapper = self._wrapper
        sweep(self._path.parent)
        try:
            place, options = f"file:{self._temporary}", dict(wrapper.options)
            self._container = av.open(place, "w", format=wrapper.format, container_options=options)
            self.picture = self._add_picture()
            self._sounds = [self._add_sound(track, i == 0) for i, track in enumerate(self._plan.sounds)]
            if self._plan.title:
                self._container.metadata["title"] = self._plan.title
        except BaseException as error:
            self._discard()
            if isinstance(error, MEDIA_ERRORS):
                raise write_failure(self._path, error) from error
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if error is None:
            try:
                self._container.close()
                put_in_place(self._temporary, self._path, overwrite=self._overwrite)
                return
            except BaseException as late:
                self._discard()
                if isinstance(late, MEDIA_ERRORS):
                    raise write_failure(self._path, late) from late
                raise
        self._discard()
        if isinstance(error, MEDIA_ERRORS):
            raise write_failure(self._path, error) from error

    def begin(self, chapters: Sequence[Chapter] = (), *, subtitles: bool = False) -> None:
        """Write the header: from here on packets can be muxed. `subtitles`: whether there will be any."""
        if subtitles:
            self._subtitles = self._add_subtitles()
        self._container.set_chapters([_entry(number, chapter) for number, chapter in enumerate(chapters, 1)])
        self._container.start_encoding()

    def encode_frames(self, frames: Iterator[av.VideoFrame]) -> Iterator[Packet[Any]]:
        """Packets of the pictures; frame i fills slot i of the output."""
        step = 1 / self._plan.rate
        for slot, frame in enumerate(frames):
            frame.pts, frame.time_base, frame.duration = slot, step, 1
            frame.pict_type = 0  # else the encoder repeats the source's choice of key frames
            yield from self.picture.encode(frame)
        yield from self.picture.encode(None)

    def encode_sound(self, track: int, blocks: Iterator[Floats]) -> Iterator[Packet[Any]]:
        """Packets of one sound track from blocks (n, channels) at the track's own rate."""
        stream, source = self._sounds[track], self._plan.sounds[track]
        layout = _LAYOUTS.get(source.channels, source.layout)
        done = 0
        for block in blocks:
            if not len(block):
                continue
            # Interleaved: PyAV reads past the end of planar frames of 8 channels. Lossy sources can exceed
            # full scale, which integer sound and some players would wrap.
            samples = np.clip(block, -1.0, 1.0).astype(np.float32).reshape(1, -1)
            frame = AudioFrame.from_ndarray(samples, format="flt", layout=layout)
            frame.sample_rate, frame.pts, frame.time_base = source.rate, done, Fraction(1, source.rate)
            done += len(block)
            yield from stream.encode(frame)
        yield from stream.encode(None)

    def encode_cues(self, cues: Sequence[Cue]) -> Iterator[Packet[Any]]:
        """Packets of the subtitles."""
        stream = self._subtitles
        if stream is None:
            return
        for cue in cues:
            start, end = round(cue.start / _MILLISECOND), round(cue.end / _MILLISECOND)
            line = "0,0,Default,,0,0,0,," + cue.text.replace("\n", "\\N")
            packet: Packet[Any] = stream.codec_context.encode_subtitle(
                SubtitleSet.create(line.encode(), 0, end - start, start)
            )
            packet.stream, packet.time_base = stream, _MILLISECOND
            packet.pts = packet.dts = start
            packet.duration = end - start
            yield packet

    def mux(self, packet: Packet[Any]) -> None:
        """Write one packet; give them in the order of their times."""
        self._container.mux_one(packet)

    def _add_picture(self) -> VideoStream:
        plan, picture = self._plan, self._plan.picture
        large = picture.width * picture.height >= LARGE
        options = encoder_options(plan.codec, plan.crf, plan.preset, large=large)
        if plan.codec == "av1":
            os.environ.setdefault("SVT_LOG", "1")  # SVT-AV1 prints its settings; it asks this once
        stream = self._container.add_stream(CODECS[plan.codec].encoder, rate=plan.rate, options=options)
        if not isinstance(stream, VideoStream):
            raise TypeError(f"{plan.codec} is not a video codec")
        context = stream.codec_context
        context.width, context.height, context.pix_fmt = picture.width, picture.height, picture.pixel_format
        context.sample_aspect_ratio = picture.pixel_aspect
        context.time_base = stream.time_base = 1 / plan.rate
        context.thread_type = "AUTO"
        context.thread_count = 0 if (os.cpu_count() or 1) <= _ENCODER_THREADS else _ENCODER_THREADS
        if plan.key_frames is not None:
            context.gop_size = plan.key_frames
        if large:
            context.thread_count = _LARGE_THREADS
        colour = picture.colour
        context.color_primaries, context.color_trc = colour.primaries, colour.transfer
        context.colorspace, context.color_range = colour.matrix, colour.range
        if plan.codec == "hevc" and self._wrapper.format in ("mp4", "mov"):
            context.codec_tag = "hvc1"  # Apple's players know HEVC by this name only
        if plan.codec == "av1":
            with same_priority():
                context.open()
        return stream

    def _add_sound(self, track: SoundTrack, first: bool) -> AudioStream:
        opus = self._wrapper.sound == "libopus"
        rate = track.rate if not opus and track.rate in _AAC_RATES else _OPUS_RATE
        stream = self._container.add_stream(self._wrapper.sound, rate=rate)
        if not isinstance(stream, AudioStream):
            raise TypeError(f"{self._wrapper.sound} is not a sound codec")
        layout = _LAYOUTS.get(track.channels, "stereo")
        stream.codec_context.layout = layout
        stream.codec_context.bit_rate = min(64_000 * stream.codec_context.channels + 32_000, rate * 8)
        stream.disposition = Disposition.default if first else Disposition(0)
        _name(stream, track.language, track.title)
        return stream

    def _add_subtitles(self) -> SubtitleStream:
        """A stream for plain text."""
        stream = self._container.add_stream(self._wrapper.subtitles)
        if not isinstance(stream, SubtitleStream):
            raise TypeError(f"{self._wrapper.subtitles} is not a subtitle codec")
        stream.codec_context.subtitle_header = _SCRIPT
        stream.codec_context.time_base = stream.time_base = _MILLISECOND
        _name(stream, self._plan.cue_language, None)
        return stream

    def _discard(self) -> None:
        """Leave nothing behind. Without its name the file costs no time to finish; Windows needs it closed."""
        with contextlib.suppress(OSError):
            self._temporary.unlink(missing_ok=True)
        with contextlib.suppress(AttributeError, *MEDIA_ERRORS):
            self._container.close()
        with contextlib.suppress(OSError):
            self._temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def same_priority() -> Iterator[None]:
    """Give all threads of this process back the priority that the calling one had before.

    When root opens SVT-AV1, it has the calling thread and its own run before everything else on the machine (Linux's
    SCHED_FIFO), and so would all processes that are started later.
    """
    if sys.platform != "linux":
        yield
        return
    policy, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    yield
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # it may have ended
            if os.sched_getscheduler(int(thread.name)) != policy:
                os.sched_setscheduler(int(thread.name), policy, priority)


def _name(stream: Stream, language: str | None, title: str | None) -> None:
    if language:
        stream.metadata["language"] = language
    if title:
        stream.metadata["title"] = title
        stream.metadata["handler_name"] = title  # where mp4 keeps it


def _entry(number: int, chapter: Chapter) -> ChapterEntry:
    return {
        "id": number,
        "start": round(chapter.start / _MILLISECOND),
        "end": round(chapter.end / _MILLISECOND),
        "time_base": _MILLISECOND,
        "metadata": {"title": chapter.title},
    }
