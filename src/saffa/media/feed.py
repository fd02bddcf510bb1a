"""The packets of a pipe, sorted by stream for those who work on them side by side.

A pipe can be read only once, so one reader serves all. It waits while everybody has something to do. Where somebody
has nothing, it reads on and keeps what the others have not asked for yet: still compressed, and up to a limit.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from av.container import InputContainer
from av.packet import Packet
from av.stream import Discard

from saffa.errors import SaffaError
from saffa.media.container import BAD_READS, MEDIA_ERRORS
from saffa.media.lanes import CalledOff

ENOUGH = 16  # packets that a worker has at hand before the reader waits
MOST = 256 << 20  # bytes kept at most for a stream that comes much earlier than another


class Feed:
    """Give each stream of `workers` to one thread; the packets of `aside` are kept until somebody looks."""

    def __init__(self, container: InputContainer, workers: Sequence[int], aside: Sequence[int] = ()) -> None:
        self._container = container
        self._queues: dict[int, deque[Packet[Any]]] = {index: deque() for index in (*workers, *aside)}
        self._workers = set(workers)
        self._bytes = 0
        self._over = False
        self._changed = threading.Condition()
        for stream in container.streams:
            if stream.index not in self._queues:
                stream.discard = Discard.all

    def read(self) -> Iterator[None]:
        """The reader: to be run in a thread of its own, as a lane. Yields nothing."""
        try:
            for packet in self._packets():
                self._keep(packet)
            yield from ()
        finally:
            self.stop()

    def packets(self, index: int) -> Iterator[Packet[Any]]:
        """For one worker: the packets of its stream, waiting for each."""
        queue = self._queues[index]
        while True:
            with self._changed:
                self._changed.wait_for(lambda: queue or self._over)
                if not queue:
                    return
                packet = queue.popleft()
                self._bytes -= packet.size
                self._changed.notify_all()
            yield packet

    def so_far(self, index: int) -> list[Packet[Any]]:
        """What has come of a stream that lies aside."""
        with self._changed:
            found = list(self._queues[index])
            self._queues[index].clear()
            self._bytes -= sum(packet.size for packet in found)
        return found

    def leave(self, index: int) -> None:
        """The worker of this stream needs no more."""
        with self._changed:
            self._workers.discard(index)
            self._bytes -= sum(packet.size for packet in self._queues.pop(index, ()))
            self._changed.notify_all()

    def stop(self) -> None:
        """Nothing more comes: the end, or the work was called off."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _packets(self) -> Iterator[Packet[Any]]:
        """All packets; goes on after a read that fails."""
        for _ in range(BAD_READS):
            try:
                yield from self._container.demux()
                return
            except MEDIA_ERRORS:
                continue

    def _keep(self, packet: Packet[Any]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._hungry())
            if self._over:
                raise CalledOff
            if packet.stream_index in self._queues:  # also the empty ones at the end, which flush decoders
                self._queues[packet.stream_index].append(packet)
                self._bytes += packet.size
                self._changed.notify_all()
            if self._bytes > MOST:
                raise SaffaError(
                    "Sound and picture of the pipe are too far apart to be read in one go. Save it to a file first."
                )

    def _hungry(self) -> bool:
        """Whether some worker has too little to do; with nobody left, the rest is read away."""
        return not self._workers or any(len(self._queues[index]) < ENOUGH for index in self._workers)
