"""Compressed packets of one stream that wait on disk until they are needed."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from av.packet import Packet, PacketSideData
from av.stream import Stream

# What a decoder needs beside the bytes; only a few packets have it.
_SIDE_DATA = ("skip_samples", "param_change", "new_extradata")


class PacketSpool:
    """Packets in the order in which they were added, in a file without a name that is gone after `close`."""

    def __init__(self, folder: Path | None) -> None:
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115
        self._count = 0
        self._beside: dict[int, list[PacketSideData]] = {}

    def close(self) -> None:
        """Forget all packets."""
        self._file.close()

    def add(self, packet: Packet[Any]) -> None:
        """Keep a packet."""
        facts = (packet.pts, packet.dts, packet.duration, packet.time_base, packet.is_keyframe)
        pickle.dump((bytes(packet), facts), self._file)
        beside = [data for data in packet.iter_sidedata() if data.data_type in _SIDE_DATA]
        if beside:
            self._beside[self._count] = beside
        self._count += 1

    def packets(self, stream: Stream) -> Iterator[Packet[Any]]:
        """All packets from the first one on, as packets of `stream`."""
        self._file.seek(0)
        for place in count():
            try:
                data, facts = pickle.load(self._file)
            except EOFError:
                return
            packet: Packet[Any] = Packet(data)
            packet.pts, packet.dts, packet.duration, packet.time_base, packet.is_keyframe = facts
            packet.stream = stream
            for extra in self._beside.get(place, ()):
                packet.set_sidedata(extra)
            yield packet
