"""Opening a video file, with every way it can go wrong turned into one plain line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import av
import av.error
from av.container import InputContainer
from av.packet import Packet
from av.stream import Discard, Disposition
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from saffa.core.errors import InputError

# More decoder threads than this add memory (each holds frames) and hardly any speed.
DECODER_THREADS = 8

# All that a bad file can raise: libav's own errors, and the standard ones that PyAV maps them to.
MEDIA_ERRORS = (av.error.FFmpegError, OSError, ValueError)

BAD_READS = 100  # failed reads in a row after which a damaged file is taken to end

# libav turns any text file into pictures of text, and single pictures into one-frame videos.
_TEXT_FORMATS = {"tty", "bin", "xbin", "adf", "idf"}
_PICTURE_FORMATS = {"image2", "apng", "svg_pipe"}


_ADDRESS = re.compile(r"(https?|ftp|rtsp|rtmp):/")


def open_movie(path: Path) -> InputContainer:
    """The opened file; InputError with a plain line if it is not a readable media file."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the video file itself.")
    if not path.exists():
        if _ADDRESS.match(path.as_posix()):
            raise InputError(f"{path.as_posix()} is an address; save the video to disk first, or pipe it in as -.")
        raise InputError(f"{path} does not exist; check the name and the folder.")
    if not path.is_file():
        raise InputError(f"{path} is not a regular file; save the video to disk first.")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty (0 bytes); get the file again.")
    try:
        # The explicit protocol keeps names such as "a:b.mp4" from being taken for an address.
        container = av.open(f"file:{path}", "r", metadata_errors="replace")
    except PermissionError as error:
        raise InputError(f"{path} may not be read; check its permissions.") from error
    except MEDIA_ERRORS as error:
        raise InputError(f"{path} cannot be read as a video; it is of another kind or damaged.") from error
    name = container.format.name
    if name in _TEXT_FORMATS:
        container.close()
        raise InputError(f"{path} is not a video; give the text with --text and the video first.")
    if name in _PICTURE_FORMATS or name.endswith("_pipe"):
        container.close()
        raise InputError(f"{path} is a single picture, not a video.")
    return container


def picture_stream(container: InputContainer, path: Path) -> VideoStream:
    """The stream to watch: the default one, else the first; cover pictures do not count."""
    still = Disposition.attached_pic | Disposition.timed_thumbnails | Disposition.still_image
    moving = [s for s in container.streams.video if not s.disposition & still]
    if not moving:
        kind = "only sound" if container.streams.audio else "no pictures"
        raise InputError(f"{path} holds {kind}; give a file with a video in it.")
    stream = next((s for s in moving if s.disposition & Disposition.default), moving[0])
    if stream.codec_context is None:
        raise InputError(f"{path} uses a video codec that is not known here; convert it to H.264 first.")
    return stream


def watch_only(container: InputContainer, stream: VideoStream) -> None:
    """Set the stream up for a fast sequential decode; the demuxer skips all other streams."""
    for other in container.streams:
        if other.index != stream.index:
            other.discard = Discard.all
    stream.codec_context.thread_type = "AUTO"
    stream.codec_context.thread_count = min((os.cpu_count() or 1) + 1, DECODER_THREADS)


class Decode:
    """One sequential decode of a stream that survives damage; `damage` counts what could not be used.

    With `wanted` (ticks, see `Video.ticks`), pictures that nothing else refers to are skipped unless their
    time is in it. That is a guarantee of H.264 only (`nal_ref_idc` 0), so only there it is done.
    """

    def __init__(
        self, container: InputContainer, stream: VideoStream, origin: int = 0, wanted: set[int] | None = None
    ) -> None:
        self._container = container
        self._stream = stream
        self._origin = origin
        self._wanted = wanted if stream.codec_context.name == "h264" else None
        self.damage = 0
        self.position = 0
        self.began: int | None = None  # decoding time of the first packet

    def frames(self) -> Iterator[VideoFrame]:
        """Decoded frames in the order the decoder gives them: nearly, not always, presentation order."""
        for packet in self._packets():
            self.position = packet.pos or self.position
            self.began = packet.dts if self.began is None else self.began
            if self._wanted is not None:
                needed = packet.pts is None or packet.pts - self._origin in self._wanted
                self._stream.codec_context.skip_frame = "DEFAULT" if needed else "NONREF"
            yield from self._decoded(packet)
        yield from self._decoded(None)

    def _packets(self) -> Iterator[Packet[VideoStream]]:
        """All packets; a read that fails is tried again further on, until the file is clearly over."""
        packets, failures = self._container.demux(self._stream), 0
        while failures < BAD_READS:
            try:
                packet = next(packets, None)
            except MEDIA_ERRORS:
                self.damage += not failures
                failures += 1
                packets = self._container.demux(self._stream)
                continue
            failures = 0
            if packet is None:
                return
            if packet.size:  # the empty one at the end would flush the decoder; that is done once, at the end
                yield packet

    def _decoded(self, packet: Packet[VideoStream] | None) -> list[VideoFrame]:
        try:
            return self._stream.codec_context.decode(packet)
        except MEDIA_ERRORS:
            self.damage += 1
            return []
