"""What can be written: containers by extension, codecs, their quality and speed settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import av
import av.codec

from saffa.core.errors import InputError
from saffa.core.whole_file import check_output_file

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
