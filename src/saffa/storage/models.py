"""Model folders: where they are found, what is in them, and how a new one is written.

model.json           schema, kind, dimensions, clip shape, source, and the SHA-256 of every other file
vocabulary.json      the words, row by row (encoders)
weights.safetensors  all weights by their published names; word vectors are read from here, memory-mapped
sentence.onnx  document.onnx  backbone.onnx
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from saffa.core.errors import InputError, SaffaError
from saffa.core.strict_json import json_text, read_json
from saffa.core.whole_file import file_sha256, part_of, sweep
from saffa.storage.published_models import PUBLISHED, models_folder

Value = TypeVar("Value")
SCHEMA = "saffa.model/1"
WEIGHTS, VOCABULARY, MANIFEST = "weights.safetensors", "vocabulary.json", "model.json"
SENTENCE, DOCUMENT, BACKBONE = "sentence.onnx", "document.onnx", "backbone.onnx"
BACKBONE_MANIFEST = "backbone.json"
RUN_AGENT = "agent"
"""Folder of a training run in which its agent is left."""

PACKAGED = Path(__file__).resolve().parent.parent / "models"
"""Models inside this package, a folder each."""
RESEARCH = "saffa_research_models"
"""Package of the models that exist for tables alone: baselines, ablations, further seeds, MSVD."""
GET_RESEARCH = "Models of the paper's tables are a package of their own: pip install ./packages/saffa-research-models."


@dataclass(frozen=True)
class ModelFolder:
    """A model on disk. `facts` is its model.json."""

    path: Path
    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def kind(self) -> str:
        """Kind of model: vdan_plus, vdan, backbone, visual, agent, …"""
        return str(self.facts["kind"])

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.stat().st_size for file in self.path.iterdir() if file.is_file())

    def words(self) -> Any:
        """The vocabulary: words row by row, or several such lists by name."""
        return read_json(self.path / VOCABULARY)

    def read(self, build: Callable[[dict[str, NDArray[Any]]], Value]) -> Value:
        """What `build` makes of the weights by name; InputError if the files are damaged or do not fit together."""
        try:
            return build(load_file(self.path / WEIGHTS))
        except (OSError, ValueError, KeyError, TypeError, IndexError, SafetensorError) as error:
            told = " ".join(str(error).split())[:200]
            raise InputError(f"{self.path} is not readable ({told}). Import or train the model again.") from None

    def has(self, file: str) -> bool:
        """Whether the model has that part."""
        return file in self.facts["files"]

    @classmethod
    def open(cls, path: Path) -> ModelFolder:
        """Read model.json; the other files are looked at when they are used."""
        try:
            facts = read_json(path / MANIFEST)
            if facts["schema"] != SCHEMA:
                raise InputError(f"{path} is a {facts['schema']} folder; this version reads {SCHEMA}.")
            missing = [name for name in facts["files"] if not (path / name).is_file()]
        except FileNotFoundError:
            raise InputError(f"{path} is not an imported model. Make one with `saffa models import FILE`.") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path / MANIFEST} is not readable ({error}).") from None
        if missing:
            raise InputError(f"{path} lacks {missing[0]}. Import the model again.")
        return cls(path, facts)

    def verify(self) -> None:
        """Compare every file with its hash, also those of a backbone that has a manifest of its own."""
        more = self.path / BACKBONE_MANIFEST
        files = read_json(more)["files"] if more.is_file() else {}
        for name, wanted in {**files, **self.facts["files"]}.items():
            if file_sha256(self.path / name) != wanted:
                raise SaffaError(f"{self.path / name} is damaged or was changed. Import the model again.")


def open_session(path: Path, threads: int = 0) -> Any:
    """An ONNX graph, ready to run on the CPU."""
    # ONNX Runtime would note what is run in a database of its own and send that away; it asks for this when imported.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # noqa: PLC0415 (slow to import)

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exception classes are private
        raise SaffaError(f"{path} cannot be run ({str(error)[:160]}). Import the model again.") from None


def shipped_places() -> tuple[Path, ...]:
    """Folders of the models that are installed: with saffa, and with the research package if it is there."""
    spec = importlib.util.find_spec(RESEARCH)
    return PACKAGED, *map(Path, (spec and spec.submodule_search_locations) or ())


def shipped(name: str) -> Path:
    """Folder of an installed model, which never lies in the folder that a command is started in."""
    for place in shipped_places():
        if (place / name / MANIFEST).is_file():
            return place / name
    raise InputError(f"The model {name} is not installed.{research_hint()}")


def shipped_models(pattern: str = "*") -> Sequence[ModelFolder]:
    """The installed models whose name, or path below its place, fits the pattern; by name."""
    found = [file.parent for place in shipped_places() for file in place.glob(f"{pattern}/{MANIFEST}")]
    return [ModelFolder.open(path) for path in sorted(found, key=lambda path: path.name)]


def imported_models() -> Sequence[ModelFolder]:
    """All models in the user's models folder, by name."""
    return [ModelFolder.open(file.parent) for file in sorted(models_folder().glob(f"*/{MANIFEST}"))]


def find(name: str | Path, marks: Sequence[str] = (f"{RUN_AGENT}/{MANIFEST}", MANIFEST)) -> Path | None:
    """The model that a user names: by path, or by the name of an installed, imported or downloaded one.

    A folder counts if it holds one of the files `marks`, the first that is there. The answer is that file, or for a
    manifest its folder: the folder of a training run gives the agent inside. None if there is no such model.
    """
    files = (entry.file for entry in PUBLISHED if entry.name == str(name))
    named = (place / name for place in (*shipped_places(), models_folder()))
    for place in (Path(name), *named, *(models_folder() / file for file in files)):
        for found in (place, *(place / mark for mark in marks)):
            if found.is_file():
                return found.parent if found.name == MANIFEST else found
    return None


def not_found(what: str, name: str | Path, hint: str = "") -> InputError:
    """The error for a model that `find` does not know; `what` it should be, for example "agent"."""
    if Path(name).is_dir():
        return InputError(f"{name} is not an imported model and holds none. Make one with `saffa models import FILE`.")
    known = f"There is no {what} {str(name)!r}: no such file, and no model of that name in {models_folder()}."
    return InputError(f"{known}{research_hint()}{hint and ' '}{hint}")


def research_hint() -> str:
    """Say how to get the models of the tables; nothing where they are installed."""
    return "" if len(shipped_places()) > 1 else f" {GET_RESEARCH}"


def write_model(target: Path, fill: Callable[[Path], Mapping[str, Any]], *, overwrite: bool = False) -> ModelFolder:
    """A model folder, whole or not at all: `fill` writes the files into an empty folder and gives the facts."""
    check_target(target, overwrite=overwrite)
    sweep(target.parent)
    part = part_of(target)
    try:
        part.mkdir(parents=True)
        facts = fill(part)
        files = {file.name: file_sha256(file) for file in sorted(part.iterdir())}
        full = {"schema": SCHEMA, **facts, "files": files}
        (part / MANIFEST).write_text(json_text(full) + "\n", "utf-8")
        if target.exists():
            shutil.rmtree(target)
        part.replace(target)
    except OSError as error:
        raise InputError(f"Cannot write {target} ({error.strerror or error}).") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return ModelFolder.open(target)


def check_target(target: Path, *, overwrite: bool) -> None:
    """A new folder, or with `overwrite` an imported model; never any other folder."""
    if not target.exists():
        return
    if not (target / MANIFEST).is_file():
        raise InputError(f"{target} exists and is not an imported model. Choose another name.")
    if not overwrite:
        raise InputError(f"{target} exists. Use --overwrite to import it again.")
