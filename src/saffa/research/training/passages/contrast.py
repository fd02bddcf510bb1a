"""Fine-tune the network by contrast: each sentence near the passages of its step, far from all others.

Hard negatives are the other passages of the same video and the other sentences of the same text; those of a few other
videos join them. A passage near the edge of a step is neither: it plays no part for that step's sentence. Only some
passages of a step name it, so a sentence need only be near one of them (the logarithm of a sum over all).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from saffa.core.errors import InputError
from saffa.core.types import Doubles, Floats
from saffa.encoders.narrated.lexicon import SpokenWords, run_on
from saffa.encoders.narrated.passages import enclosed, numbers_of, passage_rows, piece_tokenizer
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.training.passages.network import PassageNetwork
from saffa.research.training.run import read_state, write_state

LENGTHS = (6.0, 8.0, 8.0, 10.0, 14.0)
"""Seconds of a passage; each video is cut anew in each epoch."""
SLACK, EDGE = 0.5, 5.0
"""Seconds outside a step up to which the middle of a passage counts as in it, and up to which it counts for nothing."""
WARM = 0.1
"""Share of the steps over which the rate rises before it falls."""
NEVER = -1e4


@dataclass(frozen=True)
class ContrastSettings:
    """How the network is fine-tuned."""

    epochs: int = 3
    rate: float = 5e-5
    batch: int = 2
    """Videos at a time."""
    sharpness: float = 20.0
    """What cosines are multiplied by."""
    dropout: float = 0.1
    decay: float = 0.01
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Talk:
    """A narration and a text as numbers of pieces, and where the steps are in seconds, (N, 2)."""

    words: Sequence[Sequence[int]]
    times: Floats
    duration: float
    sentences: Sequence[Sequence[int]]
    steps: Doubles

    @classmethod
    def of(cls, video: BenchmarkVideo, numbers: Callable[[Sequence[str]], list[list[int]]]) -> Talk:
        """The talk of a video with a narration; `numbers` cuts texts into pieces."""
        duration = float(video.frames / video.rate)
        spoken = SpokenWords.of(run_on(video.narration.cues if video.narration else (), duration), duration)
        sentences = [enclosed(pieces) for pieces in numbers(video.document.sentences)]
        steps = np.array(video.steps, np.float64) / float(video.rate)
        return cls(numbers(spoken.words), spoken.times, duration, sentences, steps)

    def passages(self, random: np.random.Generator) -> tuple[list[list[int]], Floats]:
        """The talk cut into passages of a random length from a random begin; and their middles."""
        length = float(random.choice(LENGTHS))
        middles = np.arange(random.uniform(0, length), self.duration, length, dtype=np.float32)
        return passage_rows(self.words, self.times, middles, length)

    def relation(self, middles: Floats) -> tuple[Tensor, Tensor]:
        """Which passages lie in which step, and which are too near its edge to tell, each (N, M)."""

        def within(slack: float) -> Tensor:
            first, end = self.steps[:, :1] - slack, self.steps[:, 1:] + slack
            return torch.from_numpy((middles >= first) & (middles < end))

        inside = within(SLACK)
        return inside, within(EDGE) & ~inside


def attraction(similar: Tensor, inside: Tensor, unclear: Tensor, others: Tensor) -> Tensor:
    """Mean −log share of the right ones in each row of `similar` (n, m), others (n, o) being all wrong."""
    known = similar.masked_fill(unclear, NEVER)
    right = torch.logsumexp(similar.masked_fill(~inside, NEVER), 1)
    among_own = torch.logsumexp(known, 1)
    among_all = torch.logsumexp(torch.cat([known, others], 1), 1)
    asked = inside.any(1)
    return (0.5 * (among_own + among_all) - right)[asked].sum() / max(1, int(asked.sum()))


def batch_loss(
    network: PassageNetwork, talks: Sequence[Talk], settings: ContrastSettings, random: np.random.Generator
) -> Tensor:
    """Mean over the talks of sentences among passages and, half as much, of passages among sentences."""
    rows: list[Sequence[int]] = []
    sizes: list[int] = []
    middles = []
    for talk in talks:
        cut, where = talk.passages(random)
        rows += [*cut, *talk.sentences]
        sizes += [len(cut), len(talk.sentences)]
        middles.append(where)
    with torch.autocast("cpu", torch.bfloat16):
        vectors = torch.split(network.read(rows, settings.dropout).float(), sizes)
    spoken, written = vectors[::2], vectors[1::2]
    losses = []
    for own, talk in enumerate(talks):
        inside, unclear = talk.relation(middles[own])
        similar = settings.sharpness * written[own] @ spoken[own].T
        talk_of_others = torch.cat([x for k, x in enumerate(spoken) if k != own] or [spoken[own][:0]])
        text_of_others = torch.cat([x for k, x in enumerate(written) if k != own] or [written[own][:0]])
        to_others = settings.sharpness * written[own] @ talk_of_others.T
        from_others = settings.sharpness * spoken[own] @ text_of_others.T
        there = attraction(similar, inside, unclear, to_others)
        back = attraction(similar.T, inside.T, unclear.T, from_others)
        losses.append(there + 0.5 * back)
    return torch.stack(losses).mean()


def fine_tuned(
    start: PassageNetwork,
    videos: Sequence[BenchmarkVideo],
    pieces: Sequence[str],
    settings: ContrastSettings,
    state: Path,
    progress: Callable[[float], None] = lambda _: None,
) -> PassageNetwork:
    """A copy of the network `start`, fine-tuned on these videos; goes on from the file `state` if it is there."""
    network = copy.deepcopy(start)
    tokenizer = piece_tokenizer(pieces)
    talks = [Talk.of(video, partial(numbers_of, tokenizer)) for video in videos]
    steps = settings.epochs * -(-len(talks) // settings.batch)
    learned = [weights for weights in network.parameters() if weights.requires_grad]
    adam = torch.optim.AdamW(learned, lr=settings.rate, weight_decay=settings.decay)
    shape = {"settings": str(asdict(settings)), "videos": [video.id for video in videos]}
    first = 0
    if state.exists():
        kept = read_state(state, "network", "adam", "epoch", "shape")
        if kept["shape"] != shape:
            raise InputError(f"{state.parent} was begun with other settings. Use those, or choose another folder.")
        network.load_state_dict(kept["network"])
        adam.load_state_dict(kept["adam"])
        first = kept["epoch"]
    network.train()
    for epoch in range(first, settings.epochs):
        torch.manual_seed(1000 * settings.seed + epoch)  # of dropout
        random = np.random.default_rng((settings.seed, epoch))
        order = random.permutation(len(talks))
        batches = [order[a : a + settings.batch] for a in range(0, len(order), settings.batch)]
        for number, batch in enumerate(batches, epoch * len(batches)):
            for group in adam.param_groups:
                rise, fall = (number + 1) / (WARM * steps), (steps - number) / ((1 - WARM) * steps)
                group["lr"] = settings.rate * min(rise, fall)
            loss = batch_loss(network, [talks[k] for k in batch], settings, random)
            adam.zero_grad()
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(learned, 1.0)
            adam.step()
            progress((number + 1) / steps)
        kept = {"network": network.state_dict(), "adam": adam.state_dict(), "epoch": epoch + 1, "shape": shape}
        write_state(state, kept)
    return network.eval()
