"""An imported model: a folder with its weights, its dimensions and vocabulary, and the graphs that inference runs.

model.json           schema, kind, dimensions, clip shape, source, and the SHA-256 of every other file
vocabulary.json      the words, row by row (encoders)
weights.safetensors  all weights by their published names; word vectors are read from here, memory-mapped
sentence.onnx  document.onnx  backbone.onnx
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saffa.core.errors import InputError, SaffaError
from saffa.encoders.vdan.dimensions import Dimensions
from saffa.storage.published_models import file_sha256, models_folder

SCHEMA = "saffa.model/1"
WEIGHTS, VOCABULARY, MANIFEST = "weights.safetensors", "vocabulary.json", "model.json"
SENTENCE, DOCUMENT, BACKBONE = "sentence.onnx", "document.onnx", "backbone.onnx"
INT8 = "backbone-int8.onnx"
BACKBONE_MANIFEST = "backbone.json"

SHIPPED = Path(__file__).resolve().parent.parent / "models"
"""Models that come with saffa, a folder each."""


@dataclass(frozen=True)
class ModelFolder:
    """An imported model on disk. `facts` is its model.json."""

    path: Path
    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def kind(self) -> str:
        """vdan_plus, vdan, backbone or agent."""
        return str(self.facts["kind"])

    @property
    def dimensions(self) -> Dimensions:
        """Of an encoder."""
        return Dimensions.from_json(self.facts["dimensions"])

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.stat().st_size for file in self.path.iterdir() if file.is_file())

    def words(self) -> list[str | None]:
        """The vocabulary, row by row."""
        words: list[str | None] = json.loads((self.path / VOCABULARY).read_text("utf-8"))
        return words

    def has(self, file: str) -> bool:
        """Whether the model has that part."""
        return file in self.facts["files"]

    @classmethod
    def open(cls, path: Path) -> ModelFolder:
        """Read model.json; the other files are looked at when they are used."""
        try:
            facts = json.loads((path / MANIFEST).read_text("utf-8"))
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
        files = json.loads(more.read_text("utf-8"))["files"] if more.is_file() else {}
        for name, wanted in {**files, **self.facts["files"]}.items():
            if file_sha256(self.path / name) != wanted:
                raise SaffaError(f"{self.path / name} is damaged or was changed. Import the model again.")

    @classmethod
    def finish(cls, part: Path, target: Path, facts: Mapping[str, Any], *, overwrite: bool) -> ModelFolder:
        """Write model.json for the files in `part` and move the folder to its place, whole."""
        files = {file.name: file_sha256(file) for file in sorted(part.iterdir())}
        full = {"schema": SCHEMA, **facts, "files": files}
        (part / MANIFEST).write_text(json.dumps(full, indent=1, ensure_ascii=False) + "\n", "utf-8")
        if target.exists():
            check_target(target, overwrite=overwrite)
            shutil.rmtree(target)
        part.replace(target)
        return cls.open(target)


def check_target(target: Path, *, overwrite: bool) -> None:
    """A new folder, or with `overwrite` an imported model; never any other folder."""
    if not target.exists():
        return
    if not (target / MANIFEST).is_file():
        raise InputError(f"{target} exists and is not an imported model. Choose another name.")
    if not overwrite:
        raise InputError(f"{target} exists. Use --overwrite to import it again.")


def imported_models() -> Sequence[ModelFolder]:
    """All models in the models folder, by name."""
    return _models_in(models_folder())


def shipped_models() -> Sequence[ModelFolder]:
    """All models that come with saffa, by name."""
    return _models_in(SHIPPED)


def _models_in(folder: Path) -> Sequence[ModelFolder]:
    paths = sorted(p.parent for p in folder.glob(f"*/{MANIFEST}")) if folder.is_dir() else []
    return [ModelFolder.open(path) for path in paths]
