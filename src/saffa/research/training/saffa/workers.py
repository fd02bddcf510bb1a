"""Several processes that train one agent (torchrun, gloo). A process alone needs none of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import distributed
from torch.nn import Parameter

T = TypeVar("T")


@dataclass(frozen=True)
class Workers:
    """This process among `size`."""

    rank: int = 0
    size: int = 1

    @property
    def first(self) -> bool:
        """Whether this one speaks and writes."""
        return self.rank == 0

    def share(self, items: Sequence[T]) -> Sequence[T]:
        """What this process does of a batch."""
        return items[self.rank :: self.size]

    def add_gradients(self, parameters: Iterable[Parameter]) -> None:
        """Replace every gradient by its sum over all processes: one message for the whole network."""
        if self.size == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([g.flatten() for g in gradients])
        distributed.all_reduce(flat)
        for gradient, part in zip(gradients, torch.split(flat, [g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))

    def add(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of an array over all processes."""
        if self.size == 1:
            return values
        total = torch.from_numpy(values.copy())
        distributed.all_reduce(total)
        return total.numpy()

    def wait(self) -> None:
        """Until all are here."""
        if self.size > 1:
            distributed.barrier()


def speaks() -> bool:
    """Whether this process is the one that talks to people."""
    return os.environ.get("RANK", "0") == "0"


@contextmanager
def workers() -> Iterator[Workers]:
    """The processes that torchrun started; this one alone without it."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield Workers()
        return
    distributed.init_process_group("gloo")
    try:
        yield Workers(distributed.get_rank(), distributed.get_world_size())
    finally:
        distributed.destroy_process_group()
