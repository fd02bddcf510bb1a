"""What a training run leaves in its folder: a line of JSON per epoch, TensorBoard curves, and states to go on from."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any

import torch

from saffa.core.errors import InputError
from saffa.core.whole_file import whole_file

LOG = "log.jsonl"


class RunLog:
    """`log.jsonl`, and TensorBoard files if it is installed. Lines from epoch `first` on are written anew."""

    def __init__(self, folder: Path, *, first: int = 1, quiet: bool = False) -> None:
        self._path, self._quiet = folder / LOG, quiet
        self._entries = [e for e in read_log(folder) if e["epoch"] < first]
        self._board: Any = None if quiet else _board(folder, first)

    def __enter__(self) -> RunLog:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._board is not None:
            self._board.close()

    def write(self, entry: dict[str, Any]) -> None:
        """Add an epoch."""
        self._entries.append(entry)
        if self._quiet:
            return
        with whole_file(self._path) as part:
            part.write_text("".join(json.dumps(e) + "\n" for e in self._entries), "utf-8")
        if self._board is not None:
            for name, value in entry.items():
                if name != "epoch":
                    self._board.add_scalar(name, float(value), entry["epoch"])

    def best(self, name: str) -> dict[str, Any]:
        """The entry with the lowest value; empty before the first epoch."""
        return min(self._entries, key=lambda entry: float(entry[name]), default={})


def read_log(folder: Path) -> list[dict[str, Any]]:
    """All entries of a run so far."""
    path = folder / LOG
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


def write_state(path: Path, state: dict[str, Any]) -> None:
    """Tensors and plain values, whole or not at all."""
    with whole_file(path) as part:
        torch.save(state, part)


def read_state(path: Path) -> dict[str, Any]:
    """What `write_state` wrote; never runs code."""
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise InputError(f"There is nothing to resume: {path} does not exist.") from None
    return state


def _board(folder: Path, first: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"), purge_step=first)
