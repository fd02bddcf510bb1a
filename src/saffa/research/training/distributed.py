"""Several processes, one batch: each reads its part, all normalise and score over the whole.

Batch norm makes an embedding depend on the whole batch, and PyTorch's SyncBatchNorm does not run on CPUs. So what the
heads take in is gathered from all processes first, and every process computes the heads and the loss for the whole
batch. The heads are two small layers; the GRUs, which are nearly all of the work, stay divided.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class World:
    """The processes of a run; rank 0 writes files."""

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this process is the one that writes."""
        return self.rank == 0

    def part(self, count: int) -> slice:
        """This process's stretch of `count` items; the stretches follow each other in rank order."""
        return slice(count * self.rank // self.size, count * (self.rank + 1) // self.size)


@contextmanager
def joined_world() -> Iterator[World]:
    """The world that torchrun started, or a world of one."""
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


def gathered(rows: Tensor, world: World, total: int) -> Tensor:
    """All `total` rows of the batch, (total, …), from each process's part of them."""
    if world.size == 1:
        return rows
    counts = tuple(len(range(total)[World(rank, world.size).part(total)]) for rank in range(world.size))
    whole: Tensor = _Gather.apply(rows, counts, world.rank)  # type: ignore[no-untyped-call]
    return whole
