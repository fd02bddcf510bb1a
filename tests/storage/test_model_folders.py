"""Model folders that are damaged, incomplete or of another version: one line each, and nothing is run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from saffa.core.errors import InputError, SaffaError
from saffa.storage.models import (
    BACKBONE_MANIFEST,
    MANIFEST,
    VOCABULARY,
    WEIGHTS,
    ModelFolder,
    open_session,
    write_model,
)


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


@pytest.mark.parametrize("broken", [b"", b"weights", b"\xff" * 100])
def test_damaged_weights_are_told_in_one_line(folder: Path, broken: bytes) -> None:
    (folder / WEIGHTS).write_bytes(broken)
    with pytest.raises(InputError, match=r"is not readable \(.*Import or train the model again") as told:
        ModelFolder.open(folder).read(dict)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("error", [KeyError("q.0.weight"), ValueError("layers\ndo not fit"), IndexError(), TypeError()])
def test_weights_that_do_not_fit_together(folder: Path, error: Exception) -> None:
    save_file({"a": np.arange(3.0)}, folder / WEIGHTS)

    def build(stored: dict[str, Any]) -> None:
        np.testing.assert_array_equal(stored["a"], [0, 1, 2])
        raise error

    with pytest.raises(InputError, match="is not readable") as told:
        ModelFolder.open(folder).read(build)
    assert "\n" not in str(told.value)


def test_what_a_reader_says_itself_is_kept(folder: Path) -> None:
    save_file({"a": np.arange(3.0)}, folder / WEIGHTS)

    def build(_: dict[str, Any]) -> None:
        raise InputError("This agent has no policy.")

    with pytest.raises(InputError, match=r"^This agent has no policy\.$"):
        ModelFolder.open(folder).read(build)


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
