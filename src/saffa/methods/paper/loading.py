"""Agents on disk: our own folders (no PyTorch needed), the authors' `.pth` files (PyTorch reads them, safely)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.numpy import save_file

from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.methods.paper.agent import RULES, Agent, Method, Traits
from saffa.methods.paper.observation import POSITION, SKIP, Observation
from saffa.storage.checkpoints import Checkpoint, read_checkpoint, told_traits
from saffa.storage.models import MANIFEST, RUN_AGENT, WEIGHTS, ModelFolder, find, not_found, write_model

RUN_CHECKPOINT = "last.pth"  # where a training run stands after every epoch

_SAY_IT = "If its state lacks a part, import it with `saffa models import FILE --no-position` or `--no-skip`."

Arrays = Mapping[str, Floats]


def load_agent(source: str | Path, *, method: Method | None = None, observation: Observation | None = None) -> Agent:
    """An agent from a name (`saffa models list`), a folder, or a `.pth` file of the authors or of `saffa train saffa`.

    A run that was broken off has no agent yet; it gives the one of its last finished epoch (which needs PyTorch).
    `method` and `observation` are for files that do not say what they are: a bare policy counts as SFF-RL's if it
    sees embeddings alone, everything else as SAFFA's.
    """
    path = find(source, (f"{RUN_AGENT}/{MANIFEST}", MANIFEST, RUN_CHECKPOINT))
    if path is None:
        raise not_found("agent", source)
    tensors, known = _read_folder(path) if path.is_dir() else _read_pth(path)
    if path.name in (RUN_AGENT, RUN_CHECKPOINT):
        name = path.absolute().parent.name
    else:
        name = path.name if path.is_dir() else path.stem
    if "policy.fc1.weight" not in tensors:
        raise InputError(f"{path} has no policy; it is not an agent.")
    traits = Traits.from_json(known) if known else _guess(tensors, method, observation)
    return Agent.of_tensors(tensors, traits, name)


def traits_to_import(network: Checkpoint, file: str, *, position: bool = True, skip: bool = True) -> dict[str, Any]:
    """What an agent of a `.pth` file is, as JSON; InputError if that cannot be told, or if it is no whole agent.

    `position` and `skip` are for files that do not say that their agent does without a part of the state.
    """
    tensors, known = _arrays(network), told_traits(network.notes, file)
    if known is not None and not (position and skip):
        raise InputError(f"{file} says itself what its agent sees; leave --no-position and --no-skip away.")
    observation = None if position and skip else _partial(tensors, position, skip)
    traits = Traits.from_json(known) if known else _guess(tensors, None, observation)
    return Agent.of_tensors(tensors, traits, file).traits.to_json()


def save_agent(agent: Agent, folder: Path, *, facts: Mapping[str, Any] | None = None, overwrite: bool = False) -> None:
    """Write a model folder that `load_agent` reads without PyTorch; whole or not at all."""

    def fill(part: Path) -> dict[str, Any]:
        save_file(agent.tensors(), part / WEIGHTS)
        dimensions = {"state": agent.observation.width}
        return {"kind": "agent", "dimensions": dimensions, "traits": agent.traits.to_json(), **(facts or {})}

    write_model(folder, fill, overwrite=overwrite)


def _read_folder(path: Path) -> tuple[Arrays, Mapping[str, Any] | None]:
    folder = ModelFolder.open(path)
    if folder.kind != "agent":
        raise InputError(f"{path} is not an agent with the published state but a {folder.kind}.")
    # Older imports have the traits among the notes alone.
    return folder.read(dict), folder.facts.get("traits") or told_traits(folder.facts.get("notes", {}), folder.name)


def _read_pth(path: Path) -> tuple[Arrays, Mapping[str, Any] | None]:
    networks = [network for network in read_checkpoint(path) if network.kind == "agent"]
    if not networks:
        raise InputError(f"{path.name} has no agent in it.")
    return _arrays(networks[-1]), told_traits(networks[-1].notes, path.name)


def _arrays(network: Checkpoint) -> Arrays:
    return {key: tensor.detach().float().numpy() for key, tensor in network.tensors.items()}


def _guess(tensors: Arrays, method: Method | None, observation: Observation | None) -> Traits:
    width = int(tensors["policy.fc1.weight"].shape[1])
    if method is None:
        bare = not any(key.startswith("critic.") for key in tensors)
        method = "sff-rl" if bare and width == Observation().embedding else "saffa"
    if observation is not None:
        return Traits(observation, RULES[method], method)
    try:
        return Traits.of_width(width, method)
    except InputError as error:
        raise InputError(f"{error} {_SAY_IT}") from None
    except ValueError:
        raise InputError(f"An agent with {width} inputs is not one that saffa knows. {_SAY_IT}") from None


def _partial(tensors: Arrays, position: bool, skip: bool) -> Observation:
    width = int(tensors["policy.fc1.weight"].shape[1])
    try:
        return Observation(width - POSITION * position - SKIP * skip, position, skip)
    except ValueError:
        raise InputError(f"An agent with {width} inputs has no such state; name the parts that it lacks.") from None
