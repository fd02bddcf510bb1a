"""The packets of a pipe, sorted by stream for those who work on them side by side.

A pipe can be read only once, so one reader serves all. It waits while everybody has something to do. Where somebody
has nothing, it reads on and keeps what the others have not asked for yet: still compressed, and up to a limit.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from av.container import InputContainer
from av.packet import Packet
from av.stream import Discard

from saffa.core.errors import SaffaError
from saffa.media.container import all_packets

ENOUGH = 16  # packets that a worker has at hand before the reader waits
LATE = 10  # seconds by which a stream lies behind before it is taken to pause
LONG_AGO = Fraction(-(10**9))
MOST = 256 << 20  # bytes kept at most for a stream that comes much earlier than another


class Feed:
    """Gives the picture and each sound to one thread; the packets of `aside` are kept until somebody looks.

    A sound that lies far behind the picture pauses; the picture is waited for in any case.
    """

    def __init__(
        self, container: InputContainer, picture: int, sounds: Sequence[int] = (), aside: Sequence[int] = ()
    ) -> None:
        self._container, self._picture = container, picture
        self._queues: dict[int, deque[Packet[Any]]] = {index: deque() for index in (picture, *sounds, *aside)}
        self._reached: dict[int, Fraction | None] = dict.fromkeys((picture, *sounds))  # how far each has come
        self._told = dict.fromkeys(sounds, LONG_AGO)  # pauses that were passed on
        self._bytes = 0
        self._over = False
        self._error: BaseException | None = None
        self._changed = threading.Condition()
        for stream in container.streams:
            if stream.index not in self._queues:
                stream.discard = Discard.all
        self._thread = threading.Thread(target=self._read, name="saffa-pipe", daemon=True)
        self._thread.start()

    def packets(self, index: int) -> Iterator[Packet[Any] | Fraction]:
        """For one worker: its packets, waiting for each. A time means that nothing came up to then."""
        queue = self._queues[index]
        while True:
            with self._changed:
                self._changed.wait_for(lambda: queue or self._over or self._pause(index) is not None)
                if self._error is not None:
                    raise self._error
                item = queue.popleft() if queue else self._pause(index)
                if isinstance(item, Fraction):
                    self._told[index] = item
                elif item is not None:
                    self._bytes -= item.size
                    self._changed.notify_all()
                elif self._over:
                    return
            if item is not None:
                yield item

    def so_far(self, index: int) -> list[Packet[Any]]:
        """What has come of a stream that lies aside."""
        with self._changed:
            found = list(self._queues[index])
            self._queues[index].clear()
            self._bytes -= sum(packet.size for packet in found)
        return found

    def close(self) -> None:
        """Nobody needs more."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._thread.join()

    def _read(self) -> None:
        try:
            for packet in all_packets(self._container):
                if not self._kept(packet):
                    break
        except BaseException as error:  # for the workers, who raise it
            self._error = error
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _kept(self, packet: Packet[Any]) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._hungry())
            if self._over:
                return False
            index = packet.stream_index
            if index in self._queues:  # also the empty ones at the end, which flush decoders
                self._queues[index].append(packet)
                self._bytes += packet.size
                self._note(index, packet)
                self._changed.notify_all()
            if self._bytes > MOST:
                raise SaffaError(
                    "Sound and picture of the pipe are too far apart to be read in one go. Save it to a file first."
                )
        return True

    def _note(self, index: int, packet: Packet[Any]) -> None:
        stamp = packet.dts if packet.dts is not None else packet.pts
        if stamp is None or index not in self._reached:
            return
        self._reached[index] = stamp * packet.time_base

    def _hungry(self) -> bool:
        """Whether some worker has too little to do, and more may come for it."""
        return any(len(self._queues[index]) < ENOUGH and not self._late(index) for index in self._reached)

    def _late(self, index: int) -> bool:
        clock, reached = self._reached[self._picture], self._reached[index]
        return index != self._picture and clock is not None and (reached is None or clock - reached > LATE)

    def _pause(self, index: int) -> Fraction | None:
        """Up to when nothing came, if that is news."""
        clock = self._reached[self._picture]
        if clock is None or not self._late(index) or clock - LATE < self._told[index] + 1:
            return None
        return clock - LATE
