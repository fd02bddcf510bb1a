"""Pictures that nobody needs are not decoded, and those that are needed stay the same to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from av.codec.context import CodecContext
from av.packet import Packet
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream

from saffa.media.container import Decode, Dependence, open_movie, picture_stream, without_unneeded
from saffa.media.frame_stream import read_frames
from saffa.media.probe import probe
from tests.media.movies import Movie, make

SIZE = (128, 96)
CASES = {
    "h264.mp4": Movie(180, SIZE, codec="libx264", options={"preset": "fast", "g": "20", "bf": "3"}),
    "h264-open.mp4": Movie(180, SIZE, codec="libx264", options={"x264-params": "open-gop=1:keyint=20:bframes=3"}),
    "h264-uneven.mkv": Movie(size=SIZE, stamps=[k + (k // 7) * 3 for k in range(180)], options={"g": "20"}),
    "hevc.mp4": Movie(180, SIZE, codec="libx265", options={"x265-params": "log-level=none:open-gop=0:keyint=20"}),
    "hevc-open.mp4": Movie(180, SIZE, codec="libx265", options={"x265-params": "log-level=none:keyint=20"}),
    "vp9.webm": Movie(180, SIZE, codec="libvpx-vp9", options={"g": "20", "lag-in-frames": "16", "auto-alt-ref": "1"}),
    "av1.mp4": Movie(180, SIZE, codec="libsvtav1", options={"g": "20"}),
    "mpeg4.mp4": Movie(180, SIZE, codec="mpeg4", options={"g": "20", "bf": "2"}),
    "mjpeg.mov": Movie(180, SIZE, codec="mjpeg", pix_fmt="yuvj420p"),
}
SAVES = CASES.keys() - {"mpeg4.mp4"}
"""Cases in which a group of 20 pictures, of which few are wanted, is not decoded to its end, or not its B-frames."""
WANTED = (0, 3, 4, 24, 27, 61, 79, 80, 81, 140)


@pytest.mark.parametrize("name", CASES)
def test_needed_pictures_are_the_same_to_the_bit(tmp_path: Path, name: str) -> None:
    video = probe(make(tmp_path / name, CASES[name]))
    every = {index: frame.to_ndarray() for index, frame in read_frames(video)}
    for wanted in (WANTED, range(0, 180, 25), range(7, 180, 13), (179,), (0, 40, 41, 42, 120)):
        for index, frame in read_frames(video, wanted):
            assert np.array_equal(frame.to_ndarray(), every[index]), index


@pytest.mark.parametrize("name", CASES)
def test_the_rest_of_a_group_is_left_out(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    video = probe(make(tmp_path / name, CASES[name]))
    decoded = 0

    def counted(self: Decode, packet: Packet[VideoStream] | None) -> list[av.VideoFrame]:
        nonlocal decoded
        decoded += packet is not None
        return plainly(self, packet)

    plainly = Decode._decoded
    monkeypatch.setattr(Decode, "_decoded", counted)
    list(read_frames(video, WANTED))
    assert (decoded <= 120) == (name in SAVES), decoded


@pytest.mark.parametrize("name", ["h264.mp4", "h264-open.mp4", "hevc.mp4", "hevc-open.mp4"])
def test_unreferenced_packets_are_those_that_the_decoder_would_skip(tmp_path: Path, name: str) -> None:
    """Left out before the decoder sees them, they are not missed: the others are the same to the bit."""
    path = make(tmp_path / name, CASES[name])
    found: list[list[tuple[int | None, bytes]]] = []
    for beforehand in (False, True):
        with open_movie(path) as container:
            stream = picture_stream(container, path)
            unreferenced = Dependence.of(container, stream).unreferenced
            stream.codec_context.skip_frame = "NONREF"
            packets = [packet for packet in container.demux(stream) if packet.size]
            kept = [packet for packet in packets if not beforehand or not unreferenced(packet)]
            frames = [frame for packet in [*kept, None] for frame in stream.codec_context.decode(packet)]
            found.append([(frame.pts, frame.to_ndarray().tobytes()) for frame in frames])
    assert found[0] == found[1]
    assert len(kept) == len(frames) < 0.7 * len(packets)


@pytest.mark.parametrize("name", ["vp9.webm", "av1.mp4", "mpeg4.mp4", "mjpeg.mov"])
def test_other_codecs_name_no_unreferenced_packets(tmp_path: Path, name: str) -> None:
    path = make(tmp_path / name, CASES[name])
    with open_movie(path) as container:
        stream = picture_stream(container, path)
        unreferenced = Dependence.of(container, stream).unreferenced
        assert not any(unreferenced(packet) for packet in container.demux(stream))


@pytest.mark.parametrize("name", ["h264.mp4", "hevc.mp4", "vp9.webm", "av1.mp4", "mjpeg.mov"])
def test_a_restart_really_needs_nothing_before_it(tmp_path: Path, name: str) -> None:
    path = make(tmp_path / name, CASES[name])
    with open_movie(path) as container:
        stream = picture_stream(container, path)
        restarts = Dependence.of(container, stream).restarts
        packets = [packet for packet in container.demux(stream) if packet.size]
        starts = [number for number, packet in enumerate(packets) if restarts(packet)]
        assert len(starts) >= 9
        context = CodecContext.create(stream.codec_context.name, "r")
        assert isinstance(context, VideoCodecContext)
        context.extradata = stream.codec_context.extradata
        alone = [f for p in packets[starts[4] :] for f in context.decode(p)] + context.decode(None)
        whole = {f.pts: f.to_ndarray() for f in _plain(path)}
    assert len(alone) == len(packets) - starts[4]
    assert all(np.array_equal(frame.to_ndarray(), whole[frame.pts]) for frame in alone)


def _plain(path: Path) -> Iterator[av.VideoFrame]:
    with av.open(str(path)) as container:
        yield from container.decode(video=0)


class _Packet:
    def __init__(self, number: int) -> None:
        self.number, self.size = number, 1


@pytest.mark.parametrize(
    ("final", "expected"),
    [(True, [0, 1, 2, 10, 20, 21, 22, 23]), (False, [0, 1, 2, 10, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])],
)
def test_packets_are_held_until_one_is_needed(final: bool, expected: list[int]) -> None:
    needed, packets = {0, 2, 10, 23}, map(_Packet, range(30))
    left = without_unneeded(
        packets,  # type: ignore[arg-type]
        lambda packet: packet.number in needed,  # type: ignore[attr-defined]
        lambda packet: packet.number % 10 == 0,  # type: ignore[attr-defined]
        final=final,
    )
    # While somebody is still choosing, packets 3 to 9 stay too: one of them may be on screen before number 10.
    kept = expected if final else sorted({*expected, *range(3, 10)})
    assert [(packet.number, wanted) for packet, wanted in left] == [(n, n in needed) for n in kept]  # type: ignore[attr-defined]
