"""The engine of many machines: stations on the nodes of a Ray cluster (extra `ray`).

All machines must have the same saffa and see the same files under the same names. A station that is lost with its
machine gives its task back; another one takes it. What a task does is in `station`, as on one machine.
"""

from __future__ import annotations

import os
import pickle
import secrets
import socket
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

from saffa.core.errors import InputError, SaffaError
from saffa.pipeline.engine import Answer
from saffa.pipeline.worker_process import PATIENCE, WorkerLostError
from saffa.scale.station import Station, TaskLimits

Task = TypeVar("Task")
Value = TypeVar("Value")
LOCAL = "local"
MOST_LOSSES = 4
"""How often a task may lose its machine before it is given up: a node that dies is not the task's fault."""
_HIRE = 2.0
"""Seconds between two looks at what the cluster offers."""
_LONELY = 600.0
"""Seconds to wait for a machine when there is none."""
_KNOCK = 10.0
"""Seconds in which a cluster must let us in."""
_ADDRESS = "Give --ray ADDRESS as HOST:PORT of a running cluster (`ray start --head`), or --ray local."


class RemoteStation:
    """A station on a node; `interrupt` is answered while a task is done."""

    def __init__(self, limits: TaskLimits, folder: str) -> None:
        self._station = Station(limits, Path(folder))
        self._folder = folder

    def ready(self) -> tuple[str, bool]:
        """The version of saffa there, and whether the current folder of the command is there too."""
        return version("saffa"), Path(self._folder).is_dir()

    def answer(self, work: bytes, task: bytes, place: int) -> bytes:
        """What becomes of a task; both ways as pickled by saffa, so that the node itself need not know its types."""
        return pickle.dumps(self._station.answer(_opened, (work, task), place))

    def interrupt(self) -> None:
        """End what is at work as Ctrl-C does, and wait for it."""
        self._station.interrupt()
        self._station.close(PATIENCE)


def _opened(packed: tuple[bytes, bytes]) -> Any:
    work, task = packed
    return pickle.loads(work)(pickle.loads(task))


@dataclass(frozen=True)
class RayCluster:
    """Tasks on a cluster: `local` starts one on this machine. Each worker reserves one CPU and its memory."""

    address: str
    workers: int | None = None
    """At most so many at a time; None: as many as the cluster has CPUs."""
    limits: TaskLimits = field(default_factory=TaskLimits)

    def run(self, work: Callable[[Task], Value], tasks: Sequence[Task]) -> Generator[Answer[Value]]:
        """The answer of each task as it is finished. An interrupt, or closing this, ends what is at work."""
        with _connected(self.address, self.workers) as ray:
            crew = _Crew(ray, self.limits, self.workers, pickle.dumps(work))
            try:
                yield from crew.answers(tasks)
            finally:
                crew.dismiss()


class _Crew:
    """The stations of one run, and which task each is at."""

    def __init__(self, ray: Any, limits: TaskLimits, most: int | None, work: bytes) -> None:
        self._ray, self._most = ray, most
        self._work = ray.put(work)
        options = {"num_cpus": 1, "max_restarts": 0, "max_concurrency": 2}
        if limits.memory is not None:
            options["memory"] = limits.memory
        self._station = ray.remote(RemoteStation).options(**options)
        self._start = (limits, str(Path.cwd()))
        self._at: dict[Any, tuple[Any, int | None]] = {}
        """(station, place of its task) by the answer that is awaited; None: whether it is ready."""
        self._looked, self._busy = -_HIRE, monotonic()

    def answers(self, tasks: Sequence[Any]) -> Iterator[Answer[Any]]:
        """All answers; a task whose station is lost goes to the next."""
        waiting, losses, left = deque(range(len(tasks))), Counter[int](), len(tasks)
        while left:
            self._hire(left)
            if not self._at:
                sleep(_HIRE / 4)
                continue
            done, _ = self._ray.wait(list(self._at), timeout=_HIRE)
            for reference in done:
                station, place = self._at.pop(reference)
                try:
                    told = self._ray.get(reference)
                except (self._ray.exceptions.RayError, OSError) as error:
                    if place is None:
                        continue
                    losses[place] += 1
                    if losses[place] < MOST_LOSSES:
                        waiting.appendleft(place)
                        continue
                    lost = WorkerLostError(f"Its machine was lost {losses[place]} times ({_brief(error)}).")
                    left -= 1
                    yield Answer(place, None, lost, attempts=losses[place])
                    continue
                if place is None:
                    _check_node(told)
                self._employ(station, waiting, tasks)
                if place is None:
                    continue
                left -= 1
                answer: Answer[Any] = pickle.loads(told)
                tried = answer.attempts + losses[place]
                yield Answer(place, answer.value, answer.error, answer.seconds, tried)

    def _employ(self, station: Any, waiting: deque[int], tasks: Sequence[Any]) -> None:
        """Give a free station the next task; one without is let go, so that others may use its place."""
        if not waiting:
            return
        place = waiting.popleft()
        task = pickle.dumps(tasks[place])
        self._at[station.answer.remote(self._work, task, place)] = (station, place)

    def _hire(self, left: int) -> None:
        """Ask for stations as long as the cluster, which may grow, has room for more."""
        if monotonic() - self._looked < _HIRE:
            return
        self._looked = monotonic()
        cpus = int(self._ray.cluster_resources().get("CPU", 0))
        wanted = min(cpus, left, self._most or cpus)
        for _ in range(wanted - len(self._at)):
            station = self._station.remote(*self._start)
            self._at[station.ready.remote()] = (station, None)
        if any(place is not None for _, place in self._at.values()):
            self._busy = monotonic()
        elif monotonic() - self._busy > _LONELY:
            raise SaffaError("No machine of the cluster could take a task for 10 minutes; see `ray status`.")

    def dismiss(self) -> None:
        """End what is at work, so that nothing half-written stays, and let all stations go."""
        stations = [(station, place is not None) for station, place in self._at.values()]
        ends = [station.interrupt.remote() for station, at_work in stations if at_work]
        with suppress(self._ray.exceptions.RayError):
            if ends:
                self._ray.wait(ends, num_returns=len(ends), timeout=PATIENCE + 5)
        for station, _ in stations:
            with suppress(self._ray.exceptions.RayError):
                self._ray.kill(station)
        self._at.clear()


def _check_node(told: tuple[str, bool]) -> None:
    theirs, has_folder = told
    if theirs != version("saffa"):
        raise InputError(f"A machine of the cluster has saffa {theirs}, this one {version('saffa')}; install the same.")
    if not has_folder:
        raise InputError(f"A machine of the cluster has no folder {Path.cwd()}; all must see the same files.")


@contextmanager
def _connected(address: str, workers: int | None) -> Iterator[Any]:
    """Ray, joined to a cluster as long as the block runs; it reports nothing to anybody."""
    if find_spec("ray") is None:
        raise InputError("--ray needs Ray. Install it with `pip install 'saffa[ray]'`.")
    _check_address(address)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address == LOCAL:
        # Its servers listen on all interfaces: nobody without this run's secret is let in.
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    import ray  # noqa: PLC0415

    asked: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        asked |= {"include_dashboard": False, "num_cpus": workers or os.cpu_count() or 1}
    if address == LOCAL or address.partition(":")[0] in ("127.0.0.1", "localhost"):
        asked["_node_ip_address"] = "127.0.0.1"
    try:
        ray.init(**asked)
    except Exception as error:  # whatever Ray makes of an address
        raise InputError(f"The Ray cluster at {address} cannot be joined ({_brief(error)}). {_ADDRESS}") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """InputError at once where nobody listens: Ray asks for minutes and writes lines of its own meanwhile."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not (port.isascii() and port.isdigit()):
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise InputError(f"The Ray cluster at {address} cannot be joined ({_brief(error)}). {_ADDRESS}") from None


def _brief(error: BaseException) -> str:
    """The first line of what Ray says, which can be long."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:200].rstrip(". ")
