"""Packets come back from the disk as they were."""

from contextlib import closing
from pathlib import Path

import av
import numpy as np
import pytest

from saffa.media.packet_spool import PacketSpool
from saffa.sample import VIDEO
from tests.media.movies import Movie, Sound, make


@pytest.mark.parametrize("kind", ["video", "audio"])
def test_all_that_a_decoder_needs_comes_back(tmp_path: Path, kind: str) -> None:
    source = make(tmp_path / "m.mp4", Movie(frames=60, b_frames=2, sounds=[Sound()]))
    with av.open(str(source)) as container, av.open(str(source)) as other, closing(PacketSpool(tmp_path)) as spool:
        stream = getattr(container.streams, kind)[0]
        told = []
        for packet in container.demux(stream):
            told.append((bytes(packet), packet.pts, packet.dts, packet.duration, packet.time_base, packet.is_keyframe))
            spool.add(packet)
        found = list(spool.packets(getattr(other.streams, kind)[0]))
        assert [(bytes(p), p.pts, p.dts, p.duration, p.time_base, p.is_keyframe) for p in found] == told
        pictures = [frame.pts for packet in found for frame in packet.decode()]
    with av.open(str(source)) as container:
        assert pictures == [frame.pts for frame in container.decode(getattr(container.streams, kind)[0])]
    assert [path.name for path in tmp_path.iterdir()] == ["m.mp4"]


def test_samples_to_be_skipped_are_skipped(tmp_path: Path) -> None:
    """AAC begins with samples that are not to be heard; a packet beside its bytes says how many."""
    with av.open(str(VIDEO)) as container:
        heard = [frame.to_ndarray() for frame in container.decode(audio=0)]
    with av.open(str(VIDEO)) as container, closing(PacketSpool(tmp_path)) as spool:
        stream = container.streams.audio[0]
        for packet in container.demux(stream):
            spool.add(packet)
        again = [frame.to_ndarray() for packet in spool.packets(stream) for frame in packet.decode()]
    np.testing.assert_array_equal(np.concatenate(again, axis=1), np.concatenate(heard, axis=1))


def test_it_can_be_read_twice(tmp_path: Path) -> None:
    source = make(tmp_path / "m.mkv", Movie(frames=10))
    with av.open(str(source)) as container, closing(PacketSpool(None)) as spool:
        stream = container.streams.video[0]
        for packet in container.demux(stream):
            spool.add(packet)
        sizes = [[packet.size for packet in spool.packets(stream)] for _ in range(2)]
    assert sizes[0] == sizes[1] and len(sizes[0]) == 11
