"""The published `.pth` containers, read without running anything in them.

A `.pth` file is a pickle, and a pickle can run programs. PyTorch's weights-only reader builds tensors and plain
values alone; the few other names the authors' files hold are given harmless stand-ins here. Anything more is refused.
"""

from __future__ import annotations

import json
import pickle
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from safetensors import SafetensorError

from saffa.core.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

Kind = Literal["vdan_plus", "vdan", "backbone", "agent"]
Tensors = Mapping[str, "Tensor"]

TRAITS = "saffa"  # where the .pth files of `saffa train saffa` say what the agent is, as JSON
# All that PyTorch raises for a damaged file; newer versions also take those of safetensors for theirs.
_UNREADABLE = (
    OSError, RuntimeError, ValueError, EOFError, KeyError, TypeError, AttributeError, IndexError, SafetensorError,
)  # fmt: skip
_DATA_PARALLEL = "module."  # put before every key when a model was trained on several GPUs
_SCALARS = "U?bhilqBHILQefd"  # NumPy's letters for text, truth values, whole numbers and floats of 2 to 8 bytes


@dataclass(frozen=True)
class Checkpoint:
    """One network: its weights by their published names, and its vocabulary (word → row) if it brings one."""

    kind: Kind
    tensors: dict[str, Tensor] = field(repr=False)
    words: dict[str, int] | None = field(default=None, repr=False)
    notes: dict[str, Any] = field(default_factory=dict)


class _Inert:
    """Stands in for an object whose contents do not matter (the loss that the authors saved with their settings)."""

    def __setstate__(self, state: object) -> None:
        pass


def _scalar(dtype: np.dtype[Any], data: bytes) -> object:
    """A NumPy scalar from its bytes; the words of the published vocabulary are numpy.str_."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "Ufiub" or not isinstance(data, bytes):
        raise pickle.UnpicklingError("a NumPy scalar that is neither text nor a number")
    if len(data) != dtype.itemsize:
        raise pickle.UnpicklingError("a NumPy scalar of the wrong size")
    value = np.frombuffer(data, dtype)[0]
    return str(value) if dtype.kind == "U" else value.item()


def read_checkpoint(path: Path) -> list[Checkpoint]:
    """The networks in a published file: one, or an encoder and an agent for the CVPR 2020 joint file."""
    content = _load(path)
    if not isinstance(content, Mapping) or not content:
        raise InputError(f"{path.name} holds a {type(content).__name__}, not a checkpoint that saffa knows.")
    found = _networks(content, path)
    for network in found:
        _check_elements(network.tensors, path)
        for key, tensor in network.tensors.items():
            if tensor.is_floating_point() and not bool(tensor.isfinite().all()):
                raise InputError(f"{path.name} is not usable: {key} has values that are not finite.")
    return found


def told_traits(notes: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """What an agent's file says that it is (`agent.Traits`); None for the authors' files, which do not say."""
    if TRAITS not in notes:
        return None
    try:
        told = json.loads(notes[TRAITS])
    except (ValueError, TypeError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise InputError(f"{name} is damaged: its traits are not readable.")
    return told


def _load(path: Path) -> object:
    torch = import_torch()
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    _check_unpacked(path)
    allowed = [
        np.dtype,
        *{type(np.dtype(code)) for code in _SCALARS},
        (_scalar, "numpy._core.multiarray.scalar"),
        (_scalar, "numpy.core.multiarray.scalar"),  # as NumPy 1 spelled it
        (_Inert, "torch.nn.modules.loss.CosineEmbeddingLoss"),
    ]
    try:
        with torch.serialization.safe_globals(allowed), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what matters becomes an error below
            return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise InputError(
            f"{path.name} is refused: {_reason(error)}. It was not loaded and nothing in it ran."
        ) from None
    except PermissionError:
        raise InputError(f"{path.name} must not be read by you; change its permissions.") from None
    except _UNREADABLE:
        raise InputError(f"{path.name} is not a PyTorch checkpoint, or it is damaged. Get it again.") from None


def _check_unpacked(path: Path) -> None:
    """InputError for an archive that would fill the memory: PyTorch stores its files as they are, never compressed."""
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (OSError, ValueError, RuntimeError, zipfile.BadZipFile):
        return  # an older kind of file, or a damaged one: PyTorch will tell
    if unpacked > path.stat().st_size:
        raise InputError(
            f"{path.name} is refused: its parts are larger than the file ({unpacked / 2**20:.0f} MB unpacked), which "
            "no checkpoint of PyTorch is. It was not loaded."
        )


def _check_elements(tensors: Tensors, path: Path) -> None:
    """InputError for tensors with more numbers than the file: repeated views of a few bytes grow when they are used."""
    used = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors.values()}
    wide = [key for key, t in tensors.items() if t.numel() * t.element_size() > t.untyped_storage().nbytes()]
    if wide or sum(used.values()) > path.stat().st_size:
        what = wide[0] if wide else "all weights together"
        raise InputError(f"{path.name} is refused: {what} would be larger than what the file holds.")


def _reason(error: pickle.UnpicklingError) -> str:
    """What is in the way, by name where PyTorch tells it; its advice to switch the safety off is left out."""
    for mark in ("Unsupported global: GLOBAL ", "Trying to instantiate unsupported class ", "GLOBAL "):
        _, found, rest = str(error).partition(mark)
        if found:
            return f"it needs {rest.split(maxsplit=1)[0]!r}, which is not plain data"
    return "it holds something that is neither weights nor plain numbers and words"


def import_torch(purpose: str = "Reading .pth files") -> Any:
    """PyTorch, or one line on what needs it and how to get it."""
    try:
        import torch  # noqa: PLC0415
    except ImportError:
        raise InputError(f"{purpose} needs PyTorch: pip install 'saffa[train]'.") from None
    return torch


def _networks(content: Mapping[str, Any], path: Path) -> list[Checkpoint]:
    if "vdan_state_dict" in content and "agent_state_dict" in content:  # CVPR 2020, both in one file
        words = _words(content.get("word_map"), path)
        encoder = Checkpoint("vdan", _tensors(content["vdan_state_dict"], path), words)
        return [encoder, *_networks(content["agent_state_dict"], path)]
    if "policy_state_dict" in content:
        tensors = {f"policy.{k}": t for k, t in _tensors(content["policy_state_dict"], path).items()}
        if "critic_state_dict" in content:
            tensors |= {f"critic.{k}": t for k, t in _tensors(content["critic_state_dict"], path).items()}
        return [_agent(tensors, path, _plain(content))]
    if "model_state_dict" in content:
        tensors = _tensors(content["model_state_dict"], path)
        notes = _plain(content) | {k: _plain(content.get(k)) for k in ("model_params", "train_params")}
        return [Checkpoint(_kind(tensors, path), tensors, _words(content.get("word_map"), path), notes)]
    if "state_dict" in content and isinstance(content["state_dict"], Mapping):
        return _networks(content["state_dict"], path)
    tensors = _tensors(content, path)
    kind = _kind(tensors, path)
    if kind == "agent":  # a bare policy
        return [_agent({f"policy.{k}": t for k, t in tensors.items()}, path, {})]
    return [Checkpoint(kind, tensors)]


def _agent(tensors: dict[str, Tensor], path: Path, notes: dict[str, Any]) -> Checkpoint:
    first = tensors.get("policy.fc1.weight")
    if first is None or first.ndim != 2:
        raise InputError(f"{path.name} has no policy that saffa knows; it is not an agent.")
    return Checkpoint("agent", tensors, notes=notes)


def _kind(tensors: Tensors, path: Path) -> Kind:
    if "img_fc1.weight" in tensors:
        return "vdan"
    if "vid_fc1.weight" in tensors:
        return "vdan_plus"
    if "stem.0.weight" in tensors and "layer4.0.conv1.0.0.weight" in tensors:
        return "backbone"
    if "fc1.weight" in tensors and all(t.ndim in (1, 2) for t in tensors.values()):
        return "agent"
    some = ", ".join(list(tensors)[:3])
    raise InputError(f"{path.name} has weights that saffa does not know ({some}, …).")


def _tensors(content: object, path: Path) -> dict[str, Tensor]:
    torch = import_torch()
    plain = isinstance(content, Mapping) and all(
        isinstance(t, torch.Tensor) and t.layout == torch.strided and t.device.type == "cpu" for t in content.values()
    )
    if isinstance(content, Mapping) and content and plain:
        return {str(k).removeprefix(_DATA_PARALLEL): t for k, t in content.items()}
    raise InputError(f"{path.name} has no weights where they are expected; it is not a checkpoint that saffa knows.")


def _words(content: object, path: Path) -> dict[str, int] | None:
    if content is None:
        return None
    if isinstance(content, Mapping):
        words = {str(word): row for word, row in content.items()}
        if all(isinstance(row, int) and row >= 0 for row in words.values()):
            return words
    raise InputError(f"The vocabulary in {path.name} is not a list of words with their rows.")


def _plain(content: object) -> dict[str, Any]:
    """The settings worth keeping: numbers, words, switches."""
    if not isinstance(content, Mapping):
        return {}
    return {str(k): v for k, v in content.items() if isinstance(v, (bool, int, float, str))}
