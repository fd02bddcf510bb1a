"""A training run: its folder, its log, states to go on from, and the processes that share its work.

Several processes (torchrun, gloo) work on one batch. Agents divide the episodes and add their gradients. Encoders
cannot: batch norm makes an embedding depend on the whole batch, and PyTorch's SyncBatchNorm does not run on CPUs. So
what their heads take in is gathered from all processes first, and every process computes the heads and the loss for
the whole batch. The heads are two small layers; the GRUs, which are nearly all of the work, stay divided.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from safetensors.numpy import save_file
from torch import Tensor
from torch.nn import Parameter

from saffa.core.errors import InputError, SaffaError
from saffa.core.strict_json import json_text
from saffa.core.types import Doubles
from saffa.core.whole_file import whole_file
from saffa.storage.models import VOCABULARY, WEIGHTS, ModelFolder, write_model

LOG, RUNS = "log.jsonl", "runs.csv"
OF_A_RUN = (LOG, "last.pt", "last.pth", "settings.json", "agent", "model")
"""Files and folders that make a folder a run's."""

T = TypeVar("T")


@dataclass(frozen=True)
class World:
    """The processes of a run; rank 0 talks to people and writes files."""

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process is the one that writes."""
        return self.rank == 0

    def part(self, count: int) -> slice:
        """This process's stretch of `count` items; the stretches follow each other in rank order."""
        return slice(count * self.rank // self.size, count * (self.rank + 1) // self.size)

    def share(self, items: Sequence[T]) -> Sequence[T]:
        """This process's items, dealt out one by one."""
        return items[self.rank :: self.size]

    def add(self, values: Doubles) -> Doubles:
        """Sum of an array over all processes."""
        if self.size == 1:
            return values
        total = torch.from_numpy(values.copy())
        dist.all_reduce(total)
        return total.numpy()

    def add_gradients(self, parameters: Iterable[Parameter]) -> None:
        """Replace every gradient by its sum over all processes: one message for the whole network."""
        if self.size == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([g.flatten() for g in gradients])
        dist.all_reduce(flat)
        for gradient, part in zip(gradients, torch.split(flat, [g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))

    def gathered(self, rows: Tensor, total: int) -> Tensor:
        """All `total` rows of the batch, (total, …), from each process's `part` of them."""
        if self.size == 1:
            return rows
        counts = tuple(len(range(total)[World(rank, self.size).part(total)]) for rank in range(self.size))
        whole: Tensor = _Gather.apply(rows, counts, self.rank)  # type: ignore[no-untyped-call]
        return whole

    def wait(self) -> None:
        """Wait until all processes are here."""
        if self.size > 1:
            dist.barrier()


def leads() -> bool:
    """Whether this process is the one that talks to people; known before `joined_world`."""
    return os.environ.get("RANK", "0") == "0"


@contextmanager
def joined_world() -> Iterator[World]:
    """The processes that torchrun started; this one alone without it."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield World()
        return
    dist.init_process_group("gloo")
    try:
        yield World(dist.get_rank(), size)
    finally:
        dist.destroy_process_group()


class _Gather(torch.autograd.Function):
    """Rows of all processes in rank order; the gradient of a row goes back to the process it came from."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, counts: tuple[int, ...], rank: int) -> Tensor:
        ctx.start, ctx.count = sum(counts[:rank]), counts[rank]
        padded = rows.new_zeros(max(counts), *rows.shape[1:])
        padded[: len(rows)] = rows
        parts = [torch.empty_like(padded) for _ in counts]
        dist.all_gather(parts, padded)
        return torch.cat([part[:count] for part, count in zip(parts, counts, strict=True)])

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        # Every process has the gradient of the same whole loss. DDP will take the mean over processes of what each
        # passes on to its own weights, so a process must pass on `size` times the gradient of its own rows.
        whole = gradients[0].clone(memory_format=torch.contiguous_format)  # autograd may share it
        dist.all_reduce(whole)
        return whole[ctx.start : ctx.start + ctx.count], None, None


def check_run_folder(folder: Path, *, resume: bool, overwrite: bool | None = None) -> None:
    """InputError unless a run can be in this folder; `overwrite` is None where a command cannot do that."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give a folder for the run.")
    if any((folder / name).exists() for name in OF_A_RUN) and not (resume or overwrite):
        other = "name another folder" if overwrite is None else "--overwrite to start again"
        raise InputError(f"{folder} holds a run. Use --resume to go on with it or {other}.")


class RunLog:
    """`log.jsonl`, a line of JSON per epoch, and curves on a TensorBoard. Lines from epoch `first` on are dropped.

    A `quiet` one writes nothing: it is that of a process that does not lead.
    """

    def __init__(self, folder: Path, *, first: int = 1, quiet: bool = False, board: Any = None) -> None:
        self._path, self._quiet, self._board = folder / LOG, quiet, board
        self.entries = [entry for entry in read_log(folder) if entry["epoch"] < first] if first > 1 else []
        if not quiet:
            with whole_file(self._path) as part:
                part.write_text("".join(map(_line, self.entries)), "utf-8")

    def __enter__(self) -> RunLog:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._board is not None:
            self._board.close()

    def write(self, entry: dict[str, Any]) -> None:
        """Add an epoch."""
        self.entries.append(entry)
        if self._quiet:
            return
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(entry))
        if self._board is not None:
            for name, value in entry.items():
                if name != "epoch":
                    self._board.add_scalar(name, float(value), entry["epoch"])


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The epochs in a run's log; none if it is not there. A last line that was broken off does not count."""
    path = folder / LOG
    lines = path.read_text("utf-8", errors="replace").splitlines() if path.is_file() else []
    found = [_epoch(line) for line in lines]
    if None in found[:-1]:
        raise InputError(f"{path} is damaged in line {found.index(None) + 1}; move it away to resume.")
    return [entry for entry in found if entry is not None]


def _epoch(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("epoch"), int) else None


def _line(entry: dict[str, Any]) -> str:
    return json_text(entry, indent=None) + "\n"


def import_board() -> Any:
    """TensorBoard's class that writes curves; InputError if TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415
    except ImportError:
        raise InputError("--tensorboard needs TensorBoard: pip install 'saffa[train]'.") from None
    return SummaryWriter


def open_board(folder: Path, first: int = 1) -> Any:
    """TensorBoard's writer of curves from epoch `first` on; None without TensorBoard."""
    try:
        return import_board()(str(folder), purge_step=first)
    except InputError:
        return None


def note_run(folder: Path, kind: str, outcome: Mapping[str, Any]) -> None:
    """Add a line about a finished run to `runs.csv` beside its folder: a table of all runs, to compare them in."""
    path = folder.absolute().parent / RUNS
    numbers = json_text(dict(outcome), indent=None)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        with path.open("a", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            if file.tell() == 0:
                table.writerow(("finished", "run", "kind", "outcome"))
            table.writerow((when, folder.name, kind, numbers))
    except OSError as error:
        raise SaffaError(f"The run is whole, but {path} could not be written ({error.strerror}).") from None


def write_arrays(
    target: Path, arrays: Mapping[str, NDArray[Any]], words: Mapping[str, Sequence[str]], facts: Mapping[str, Any]
) -> ModelFolder:
    """Write a model of arrays and lists of words as a folder, whole or not at all."""

    def fill(part: Path) -> Mapping[str, Any]:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, part / WEIGHTS)
        (part / VOCABULARY).write_text(json.dumps(words), "utf-8")
        return facts

    return write_model(target, fill, overwrite=True)


def write_state(path: Path, state: dict[str, Any]) -> None:
    """Tensors and plain values, whole or not at all."""
    with whole_file(path) as part:
        torch.save(state, part)


def read_state(path: Path, *needed: str) -> dict[str, Any]:
    """Read a state that `write_state` wrote, with at least these entries; never runs code."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise InputError(f"There is nothing to resume: {path} does not exist. Start without --resume.") from None
    except Exception as error:  # torch.load has no list of what it may raise
        raise InputError(f"{path} is damaged ({type(error).__name__}); start again, or from a snapshot.") from None
    if not isinstance(state, dict) or not set(needed) <= set(state):
        raise InputError(f"{path} is not a checkpoint of this kind of training; it cannot be resumed.")
    return state
