"""Networks that read training videos, each by one that has not seen it; new videos are read by their mean."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch

from saffa.core.types import Progress
from saffa.encoders.narrated.passages import PassageReader
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.training.narrated import Networks
from saffa.research.training.passages.contrast import ContrastSettings, fine_tuned
from saffa.research.training.passages.export import export
from saffa.research.training.passages.network import PassageNetwork, published_network
from saffa.research.training.passages.pieces import chosen_pieces, published_pieces
from saffa.storage.models import VOCABULARY, ModelFolder, write_model

PUBLISHED_WEIGHTS, PUBLISHED_VOCABULARY = "model.safetensors", "vocab.txt"
"""Files of the published network."""
PARTS = {"even": slice(0, None, 2), "odd": slice(1, None, 2)}
"""Videos that each network learns from, by their place in the list."""
MEAN = "mean"


def train_folds(
    videos: Sequence[BenchmarkVideo], base: Path, output: Path, settings: ContrastSettings, progress: Progress
) -> Networks:
    """Fine-tune a network for each part and write it to `output`/PART, their mean to `output`/mean.

    `output`/PART.pt holds what was learned after each epoch; from there it goes on.
    """
    output.mkdir(parents=True, exist_ok=True)
    vocabulary = published_pieces(base / PUBLISHED_VOCABULARY)
    pieces = chosen_pieces(vocabulary, videos)
    places = {piece: row for row, piece in enumerate(vocabulary)}
    start = published_network(base / PUBLISHED_WEIGHTS, [places[piece] for piece in pieces])
    networks = {}
    for part, chosen in PARTS.items():
        told = partial(progress, f"Network ({part} videos)")
        networks[part] = fine_tuned(start, videos[chosen], pieces, settings, output / f"{part}.pt", told)
    networks[MEAN] = averaged(start, list(networks.values()))
    folders = {
        part: write_network(output / part, network, pieces, {"training": asdict(settings)})
        for part, network in networks.items()
    }
    readers = [PassageReader.open(folders[part]) for part in ("odd", "even")]  # what each has not seen
    return Networks(readers, folders[MEAN])


def averaged(start: PassageNetwork, networks: Sequence[PassageNetwork]) -> PassageNetwork:
    """The mean of networks that began from `start`: as good as one that saw the videos of all, at no more training."""
    mean = copy.deepcopy(start)
    states = [network.state_dict() for network in networks]
    mean.load_state_dict({name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]})
    return mean.eval()


def write_network(
    folder: Path, network: PassageNetwork, pieces: Sequence[str], facts: Mapping[str, Any]
) -> ModelFolder:
    """Write a network as a model folder."""

    def fill(part: Path) -> dict[str, Any]:
        export(network, part)
        (part / VOCABULARY).write_text(json.dumps(list(pieces)), "utf-8")
        return {"kind": "passage-network", **facts}

    return write_model(folder, fill, overwrite=True)
