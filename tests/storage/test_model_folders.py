"""Model folders that are damaged, incomplete or of another version: one line each, and nothing is run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from saffa.core.errors import InputError, SaffaError
from saffa.storage.models import BACKBONE_MANIFEST, MANIFEST, VOCABULARY, ModelFolder, open_session, write_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    def fill(part: Path) -> Mapping[str, Any]:
        (part / "weights.safetensors").write_bytes(b"weights")
        (part / VOCABULARY).write_text('["boil", null, "water"]', "utf-8")
        return {"kind": "vdan"}

    return write_model(tmp_path / "model", fill).path


def rewritten(folder: Path, **changes: Any) -> None:
    facts = json.loads((folder / MANIFEST).read_text("utf-8")) | changes
    (folder / MANIFEST).write_text(json.dumps(facts), "utf-8")


def test_what_a_folder_tells(folder: Path) -> None:
    model = ModelFolder.open(folder)
    assert (model.name, model.kind) == ("model", "vdan")
    assert model.words() == ["boil", None, "water"]
    assert model.has(VOCABULARY)
    assert not model.has("backbone.onnx")
    assert model.size == sum(path.stat().st_size for path in folder.iterdir())
    model.verify()


def test_another_version(folder: Path) -> None:
    rewritten(folder, schema="saffa.model/999")
    with pytest.raises(InputError, match=r"is a saffa\.model/999 folder; this version reads"):
        ModelFolder.open(folder)


def test_a_part_that_was_lost_or_changed(folder: Path) -> None:
    (folder / "weights.safetensors").write_bytes(b"Weights")
    with pytest.raises(SaffaError, match=r"weights\.safetensors is damaged or was changed"):
        ModelFolder.open(folder).verify()
    (folder / "weights.safetensors").unlink()
    with pytest.raises(InputError, match=r"lacks weights\.safetensors"):
        ModelFolder.open(folder)


def test_the_backbone_of_a_model_is_verified_too(folder: Path) -> None:
    (folder / "backbone.onnx").write_bytes(b"graph")
    (folder / BACKBONE_MANIFEST).write_text(json.dumps({"files": {"backbone.onnx": "0" * 64}}), "utf-8")
    with pytest.raises(SaffaError, match=r"backbone\.onnx is damaged or was changed"):
        ModelFolder.open(folder).verify()


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "{}", '{"schema": "saffa.model/1"}', '{"schema": 1, "files": 3}'])
def test_a_manifest_that_is_none(folder: Path, text: str) -> None:
    (folder / MANIFEST).write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"is not readable|folder; this version reads"):
        ModelFolder.open(folder)


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not an imported model"):
        ModelFolder.open(tmp_path)


def test_a_graph_that_cannot_be_run(tmp_path: Path) -> None:
    for data in (b"", b"no graph", b"\x08\x07" * 50):
        (tmp_path / "a.onnx").write_bytes(data)
        with pytest.raises(SaffaError, match=r"a\.onnx cannot be run") as told:
            open_session(tmp_path / "a.onnx")
        assert "\n" not in str(told.value)
