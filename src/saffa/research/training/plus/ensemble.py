"""Several networks of `saffa+` as one: their mean scores. A single training run is noisy, the mean of a few less so."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from saffa.methods.plus.moves import Network, Singles
from saffa.methods.plus.plus import LAYERS


def merged(networks: Sequence[Network]) -> Network:
    """A network whose scores are the mean of the networks': hidden layers side by side, none seeing another's."""
    share = np.float32(1 / len(networks))
    return Network(
        first=np.concatenate([n.first for n in networks], 1),
        first_bias=np.concatenate([n.first_bias for n in networks]),
        second=_blocks([n.second for n in networks]),
        second_bias=np.concatenate([n.second_bias for n in networks]),
        third=np.concatenate([share * n.third for n in networks]),
        third_bias=np.stack([n.third_bias for n in networks]).mean(0),
    )


def _blocks(parts: Sequence[Singles]) -> Singles:
    """The matrices along the diagonal of one, zero elsewhere."""
    out = np.zeros((sum(len(p) for p in parts), sum(p.shape[1] for p in parts)), np.float32)
    row = column = 0
    for part in parts:
        out[row : row + len(part), column : column + part.shape[1]] = part
        row, column = row + len(part), column + part.shape[1]
    return out


def keep_member(network: Network, course: str, path: Path) -> None:
    """One trained network, with the course (as text) that it went through."""
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(dict(zip(LAYERS, network, strict=True)), path, {"course": course})


def kept_member(course: str, path: Path) -> Network | None:
    """The network that went through the same course, if it is there: an interrupted training goes on after it."""
    try:
        with safe_open(path, "numpy") as file:
            if (file.metadata() or {}).get("course") != course:
                return None
            return Network(*(file.get_tensor(name) for name in LAYERS))
    except (OSError, SafetensorError):
        return None


def course_text(course: dict[str, object], videos: Mapping[str, tuple[float | str, ...]]) -> str:
    """What decides a member, as text that can be compared: the course, and what the videos of each encoder are like."""
    return json.dumps({"course": course, "videos": videos}, sort_keys=True)
