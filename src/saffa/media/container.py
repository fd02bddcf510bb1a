"""Opening a video file, every way it can go wrong one plain line; its packets; decoding of no more than is needed."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import av.error
from av.container import InputContainer
from av.packet import Packet
from av.stream import Discard, Disposition, Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from saffa.core.errors import InputError

TIMED = {"mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm"}
"""Containers that give every packet its own presentation time."""
_MOST_HELD = 600  # packets; a longer stretch of unneeded pictures is decoded after all
_MOST_HELD_BYTES = 32 << 20
_PICTURES = {"mjpeg", "png", "bmp", "webp", "tiff"}
"""Codecs of single pictures: beside a stream of another codec, one of these is a cover."""
_KEYS_RESET = {"vp8", "libvpx", "vp9", "libvpx-vp9", "av1", "libdav1d"}  # a key frame replaces all that was remembered
_H264_RESTART = frozenset({5})  # IDR
_HEVC_RESTART = frozenset({16, 17, 18, 19, 20})  # BLA and IDR; pictures after CRA may refer to those before it
_UNREFERENCED = 2
"""A unit of a picture to which no other refers; 1 is a unit without a picture, 0 all others."""
_H264_UNITS = bytes({6: 1, 9: 1, 12: 1, 1: 2}.get(head, 0) for head in range(256))  # by first byte: SEI, mark, filler
_HEVC_UNITS = bytes({35: 1, 38: 1, 39: 1, 40: 1, 0: 2, 2: 2, 4: 2, 6: 2, 8: 2}.get(head >> 1, 0) for head in range(256))


@dataclass(frozen=True)
class Dependence:
    """What the codec of a stream guarantees about references between its pictures."""

    marks_unreferenced: bool
    """Whether pictures that no other refers to say so: H.264 (`nal_ref_idc` 0), HEVC of a single temporal layer."""
    unreferenced: Callable[[Packet[VideoStream]], bool]
    """Whether this packet holds such a picture and nothing else; False also where that cannot be read here.

    The decoder would skip it too, but each packet that it is handed takes the place of one that it could work on.
    """
    restarts: Callable[[Packet[VideoStream]], bool]
    """Whether no picture from this packet on, in decoding order, refers to one before it."""

    @classmethod
    def of(cls, container: InputContainer, stream: VideoStream) -> Dependence:
        """The guarantees for a stream; without time stamps of its own a packet cannot be told to be unneeded."""
        name, extra = stream.codec_context.name, stream.codec_context.extradata or b""
        timed = container.format.name in TIMED
        layers = extra[21] >> 3 & 7 if name == "hevc" and len(extra) > 22 else 0
        marked = name == "h264" or (timed and layers == 1)
        return cls(
            marked,
            _unreferenced_check(name, extra) if marked else _never,
            _restart_check(stream, extra) if timed else _never,
        )


def _restart_check(stream: VideoStream, extra: bytes) -> Callable[[Packet[VideoStream]], bool]:
    name = stream.codec_context.name
    if stream.codec_context.codec.intra_only:
        return lambda _packet: True
    if name in _KEYS_RESET:
        return lambda packet: packet.is_keyframe
    if name == "h264" and extra[:1] == b"\1":
        prefix = (extra[4] & 3) + 1
        return lambda packet: packet.is_keyframe and _kinds(packet, prefix, 0, 0x1F, range(1, 6)) <= _H264_RESTART
    if name == "hevc" and len(extra) > 22:
        prefix = (extra[21] & 3) + 1
        return lambda packet: packet.is_keyframe and _kinds(packet, prefix, 1, 0x3F, range(32)) <= _HEVC_RESTART
    return _never


def _unreferenced_check(name: str, extra: bytes) -> Callable[[Packet[VideoStream]], bool]:
    if name == "h264" and extra[:1] == b"\1":
        return partial(_holds_only_unreferenced, prefix=(extra[4] & 3) + 1, units=_H264_UNITS)
    if name == "hevc" and len(extra) > 22:
        return partial(_holds_only_unreferenced, prefix=(extra[21] & 3) + 1, units=_HEVC_UNITS)
    return _never


def _holds_only_unreferenced(packet: Packet[VideoStream], prefix: int, units: bytes) -> bool:
    """Of a packet of length-prefixed units."""
    data, at, found = memoryview(packet), 0, False
    while at + prefix < len(data):
        kind = units[data[at + prefix]]
        if not kind:
            return False
        found |= kind == _UNREFERENCED
        at += prefix + int.from_bytes(data[at : at + prefix], "big")
    return found


def _never(_packet: Packet[VideoStream]) -> bool:
    return False


def _kinds(packet: Packet[VideoStream], prefix: int, shift: int, mask: int, pictures: range) -> set[int]:
    """Kinds of the picture units in a packet of length-prefixed units; an impossible kind if there is none."""
    data, at, found = memoryview(packet), 0, set[int]()
    while at + prefix < len(data):
        kind = data[at + prefix] >> shift & mask
        if kind in pictures:
            found.add(kind)
        at += prefix + int.from_bytes(data[at : at + prefix], "big")
    return found or {-1}


def without_unneeded(
    packets: Iterator[Packet[VideoStream]],
    needed: Callable[[Packet[VideoStream]], bool],
    restarts: Callable[[Packet[VideoStream]], bool],
    *,
    final: bool,
) -> Iterator[tuple[Packet[VideoStream], bool]]:
    """Packets to decode, each with whether its own picture is needed.

    Unneeded packets are held back until a needed one comes, which may refer to them, and forgotten where the codec
    starts afresh. `final`: whether an answer of `needed` never changes. If it may (somebody is still choosing), the
    last pictures before a needed one are kept, since one of them may be on screen.
    """
    held: list[Packet[VideoStream]] = []
    size = 0
    for packet in packets:
        if not packet.size:
            continue
        wanted = needed(packet)
        if held and (final or not wanted) and restarts(packet):
            held, size = [], 0
        if not wanted and len(held) < _MOST_HELD and size < _MOST_HELD_BYTES:
            held.append(packet)
            size += packet.size
            continue
        yield from ((one, False) for one in held)
        held, size = [], 0
        yield packet, wanted
    if not final:
        yield from ((one, False) for one in held)


# More decoder threads than this add memory (each holds frames) and hardly any speed.
DECODER_THREADS = 8
LARGE = 6_000_000
"""Pictures of so many pixels (4K has 8.3 million) take 12 MB and more each: one thread decodes them, two encode."""

# All that a bad file can raise: libav's own errors, and the standard ones that PyAV maps them to.
MEDIA_ERRORS = (av.error.FFmpegError, OSError, ValueError)

STDIN = "-"
"""The name of a video that comes through standard input."""
BAD_READS = 100  # failed reads in a row after which a damaged file is taken to end

# What libav may take a file for: containers that hold their pictures themselves. Left out is all that only points to
# other files or addresses (playlists, concat lists, manifests, SDP, numbered pictures, split recordings), all that is
# chosen by the name of the file alone (raw samples), and all that turns text or a single picture into a video.
_MOVIES = (
    "mov,matroska,avi,flv,live_flv,kux,mpegts,mpeg,mpegvideo,m4v,asf,asf_o,ogg,nut,ivf,obu,av1,h261,h263,h264,hevc,vvc,"
    "evc,apv,vc1,vc1test,cavsvideo,avs2,avs3,dirac,dnxhd,mjpeg,smjpeg,mjpeg_2000,dv,mxf,gxf,lxf,wtv,ty,rm,ivr,nsv,nuv,"
    "pva,swf,gif,yuv4mpegpipe,dhav,lvf,ifv,pmp,thp,smk,bink,roq,flic,4xm,film_cpk,vivo,cine,r3d,ser,wc3movie,mvi,mtv"
)
_SOUNDS = "mp3,wav,w64,flac,aac,ac3,eac3,ac4,dts,dtshd,truehd,mlp,aiff,au,caf,amr,ape,tta,wv,tak,mpc,mpc8,oma,voc,loas"
READ_OPTIONS = {"format_whitelist": f"{_MOVIES},{_SOUNDS}", "protocol_whitelist": "file,pipe"}
"""Handed to libav whenever a video is opened: what it may be, and that nothing is fetched from elsewhere."""

_CHANNELS = [
    *("FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR", "TBL", "TBC"),
    *("TBR", "DL", "DR", "WL", "WR", "SDL", "SDR", "LFE2", "TSL", "TSR", "BFC", "BFL", "BFR"),
]
"""The order of channels that libav keeps without a list."""
_ADDRESS = re.compile(r"(https?|ftp|rtsp|rtmp):/")
_HEAD = 4096
_BUFFER = 1 << 17  # bytes read at once


class ByteSource:
    """Bytes of a video as PyAV reads them; after a Ctrl-C meanwhile, as if the video were over.

    Python hears of a signal when compiled code calls back into it, before the first line of a function: too early for
    a `try` in it, and PyAV drops an interrupt. A generator is resumed inside its `try`. `check_stopped` raises what
    came, once the compiled code has returned.
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self.stopped: KeyboardInterrupt | None = None
        waiting = self._reads(read)
        next(waiting)
        self.read = waiting.send

    def _reads(self, read: Callable[[int], bytes]) -> Generator[bytes, int, None]:
        data = b""
        while True:
            try:
                size = yield data
                data = b"" if self.stopped else read(size)
            except KeyboardInterrupt as stop:
                self.stopped, data = stop, b""

    def check_stopped(self) -> None:
        """Raise the interrupt that came during a read."""
        if self.stopped is not None:
            raise KeyboardInterrupt from self.stopped


class FileSource(ByteSource):
    """A regular file; closed when nobody uses it any more.

    libav's own file reading stays inside compiled code for as long as it looks for something to decode, minutes in a
    large damaged file. Through Python, Ctrl-C and SIGTERM are heard at every read.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self.name = f"file:{path}"  # libav looks at its ending; the protocol keeps "a:b.mp4" from being an address
        super().__init__(partial(os.read, self._file))
        # Compiled code alone, in which no signal is heard, and so none is lost.
        self.seek = partial(os.lseek, self._file)
        self.tell = partial(os.lseek, self._file, 0, os.SEEK_CUR)

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            os.close(self._file)


def check_stopped(container: InputContainer) -> None:
    """Raise the interrupt that came while a container was being read."""
    if container.file is not None:
        container.file.file.check_stopped()


def open_movie(path: Path) -> InputContainer:
    """The opened file; InputError with a plain line if it is not a readable media file."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the video file itself.")
    if not path.exists():
        if _ADDRESS.match(path.as_posix()):
            address = path.as_posix().replace(":/", "://", 1)  # a path holds only one of two slashes
            raise InputError(f"{address} is an address; save the video to disk first, or pipe it in as -.")
        raise InputError(f"{path} does not exist; check the name and the folder.")
    if not path.is_file():
        raise InputError(f"{path} is not a regular file; save the video to disk first.")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty (0 bytes); get the file again.")
    try:
        source = FileSource(path)
    except PermissionError as error:
        raise InputError(f"{path} may not be read; check its permissions.") from error
    try:
        container = av.open(source, "r", options=READ_OPTIONS, buffer_size=_BUFFER, metadata_errors="replace")
        source.check_stopped()
        settle_layouts(container)
        return container
    except MEDIA_ERRORS as error:
        source.check_stopped()
        raise InputError(f"{path} {no_movie(_head(path))}") from error


def settle_layouts(container: InputContainer) -> None:
    """Give sound whose channels come in an order of its own (QuickTime) the usual order for their number.

    PyAV frees the list of such an order with every object that shows it, and the process ends. So the one object that
    is looked at here is never freed, and no other is made.
    """
    for stream in container.streams.audio:
        if stream.codec_context is None:
            continue
        layout = stream.codec_context.layout
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(layout))
        names = [channel.name for channel in layout.channels] if "(" in layout.name else []
        places = [_CHANNELS.index(name) if name in _CHANNELS else -1 for name in names]
        if any(a >= b for a, b in pairwise([-1, *places])):
            stream.codec_context.layout = f"{len(names)}c"


def is_pipe(path: Path) -> bool:
    """Whether a video comes through standard input or a named pipe."""
    return str(path) == STDIN or path.is_fifo()


def is_movie(path: Path) -> bool:
    """Whether a file can be opened as a video or a sound file."""
    try:
        open_movie(path).close()
    except (InputError, OSError):  # OSError: words instead of a name may be too long for one
        return False
    return True


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


def no_movie(head: bytes) -> str:
    """What a file is that libav did not take for a video, as the rest of a sentence that begins with its name."""
    if re.match(rb"\s*(#EXTM3U|ffconcat|\[playlist\]|<\?xml[^>]*>\s*<MPD|<MPD|v=0\r?\n)", head):
        return "is a playlist, not a video; give the video file that it names."
    if head.startswith((b"\x89PNG", b"\xff\xd8\xff", b"BM", b"II*\0", b"MM\0*")) or head[8:12] == b"WEBP":
        return "is a single picture, not a video."
    if is_text(head):
        return "is a text, not a video; give the video first and the text with --text."
    return "cannot be read as a video; it is of another kind or damaged."


def is_text(head: bytes) -> bool:
    """Whether the first bytes of a file are readable text: UTF-8 (also cut within a character) without controls."""
    text = head[: _HEAD - 4].decode("utf-8", "replace") if len(head) >= _HEAD else head.decode("utf-8", "replace")
    printable = sum(c.isprintable() or c.isspace() for c in text if c != "\ufffd")
    return bool(text) and printable > 0.97 * len(text)


def picture_stream(container: InputContainer, path: Path) -> VideoStream:
    """The stream to watch: the default one, else the first; cover pictures do not count, also those not called so."""
    still = Disposition.attached_pic | Disposition.timed_thumbnails | Disposition.still_image
    moving = [s for s in container.streams.video if not s.disposition & still]
    if not moving:
        kind = "only sound" if container.streams.audio else "no pictures"
        raise InputError(f"{path} holds {kind}; give a file with a video in it.")
    likely = [s for s in moving if s.codec_context is not None and s.codec_context.name not in _PICTURES] or moving
    stream = next((s for s in likely if s.disposition & Disposition.default), likely[0])
    if stream.codec_context is None:
        raise InputError(f"{path} uses a video codec that is not known here; convert it to H.264 first.")
    return stream


def turn_of(frame: VideoFrame) -> int:
    """Degrees clockwise that turn a decoded picture upright: 0, 90, 180 or 270, whatever angle the file claims."""
    return round(-frame.rotation / 90) * 90 % 360


def watch_only(container: InputContainer, stream: VideoStream) -> None:
    """Set the stream up for a fast sequential decode; the demuxer skips all other streams."""
    for other in container.streams:
        if other.index != stream.index:
            other.discard = Discard.all
    stream.codec_context.thread_type = "AUTO"
    large = stream.codec_context.width * stream.codec_context.height >= LARGE
    stream.codec_context.thread_count = 1 if large else min((os.cpu_count() or 1) + 1, DECODER_THREADS)


def all_packets(
    container: InputContainer, *streams: Stream, failed: Callable[[], None] = lambda: None
) -> Iterator[Packet[Any]]:
    """Packets of the streams, of all streams if none is named, with an empty one for each at the end.

    A read that fails is tried again further on, until `BAD_READS` fail in a row and the file is clearly over.
    `failed` is called once for each such place. An mp4 that is cut short ends wherever a packet lies behind the cut,
    though others may follow that do not.
    """
    packets, failures, ends = container.demux(*streams), 0, 0
    goes_on = "mp4" in container.format.name
    last: list[Packet[Any]] = []
    while failures < BAD_READS:
        try:
            packet = next(packets, None)
        except (*MEDIA_ERRORS, IndexError):  # PyAV stumbles over streams that a damaged file begins half-way
            check_stopped(container)
            if not failures:
                failed()
            failures += 1
            packets = container.demux(*streams)  # a generator that has raised is over
            continue
        failures = 0
        if packet is not None and packet.size:
            ends = 0
            last.clear()
            yield packet
            continue
        check_stopped(container)  # the end, or what looks like it
        if packet is not None:
            last.append(packet)
        elif goes_on and ends < BAD_READS:
            ends += 1
            last.clear()
            packets = container.demux(*streams)
        else:
            break
    yield from last


class Decode:
    """One sequential decode of a stream that survives damage; `damage` counts what could not be used.

    `needed` is asked about every packet. Pictures that are not needed are skipped where the codec guarantees that no
    needed one refers to them. `final`: whether what is not needed now will never be.
    """

    def __init__(
        self,
        container: InputContainer,
        stream: VideoStream,
        needed: Callable[[Packet[VideoStream]], bool] | None = None,
        packets: Iterator[Packet[VideoStream]] | None = None,
        *,
        final: bool = False,
    ) -> None:
        self._stream, self._needed, self._final = stream, needed, final
        self._packets = packets or all_packets(container, stream, failed=self._count_damage)
        self._dependence = Dependence.of(container, stream)
        self.damage = 0
        self.position = 0
        self.began: int | None = None  # decoding time of the first packet

    def frames(self) -> Iterator[VideoFrame]:
        """Decoded frames in the order the decoder gives them: nearly, not always, presentation order."""
        needed, restarts = self._needed or (lambda _: True), self._dependence.restarts
        # Empty packets, which would flush the decoder, do not get through; that is done once, below.
        for packet, wanted in without_unneeded(self._packets, needed, restarts, final=self._final):
            self.position = packet.pos or self.position
            self.began = packet.dts if self.began is None else self.began
            if not wanted and self._dependence.unreferenced(packet):
                continue
            if self._needed is not None and self._dependence.marks_unreferenced:
                self._stream.codec_context.skip_frame = "DEFAULT" if wanted else "NONREF"
            yield from self._decoded(packet)
        yield from self._decoded(None)

    def _count_damage(self) -> None:
        self.damage += 1

    def _decoded(self, packet: Packet[VideoStream] | None) -> list[VideoFrame]:
        try:
            return self._stream.codec_context.decode(packet)
        except MEDIA_ERRORS:
            self.damage += 1
            return []
