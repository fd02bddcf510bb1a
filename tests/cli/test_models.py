"""`saffa models` from end to end, and inference that never loads PyTorch."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner, Result

from saffa.cli.models import app
from saffa.core.errors import InputError, SaffaError
from saffa.methods.paper.compact import CompactAgent
from saffa.storage.models import shipped
from tests.encoders.small import container, small_encoder, small_folder


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SAFFA_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def saffa(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=True)


def test_import_list_verify_path(models: Path, tmp_path: Path) -> None:
    torch.save(container(small_encoder()), tmp_path / "small.pth")
    made = saffa("import", tmp_path / "small.pth", "--name", "mine", "--json")
    assert json.loads(made.output) == [{"name": "mine", "kind": "vdan_plus", "path": str(models / "mine")}]
    listed = json.loads(saffa("list", "--json").output)
    assert [m["name"] for m in listed["imported"]] == ["mine"]
    assert {m["name"] for m in listed["published"]} >= {"vdan+", "vdan-coco", "ig65m", "saffa-youcook2", "sff-rl"}
    assert "mine" in saffa("list").output
    assert "is whole" in saffa("verify", "mine").output
    assert saffa("path", "mine").output.strip() == str(models / "mine")
    assert json.loads(saffa("path", "mine", "--json").output) == {"name": "mine", "path": str(models / "mine")}
    assert saffa("path").output.strip() == str(models)
    assert json.loads(saffa("path", "--json").output) == {"folder": str(models)}
    assert "imported mine" in saffa("import", tmp_path / "small.pth", "--name", "mine", "--overwrite").output


def test_models_that_come_along_are_listed(models: Path) -> None:
    listed = {m["name"]: m for m in json.loads(saffa("list", "--json").output)["shipped"]}
    assert {"visual", "msvd-plus", "vdan-plus-msvd", "vdan-msvd", "saffa-compact"} <= set(listed)
    assert all(m["size"] > 1000 and m["kind"] and m["licence"] and m["command"] for m in listed.values())
    table = saffa("list").output
    assert all(name in table for name in listed)  # not cut, though the terminal of a test is narrow
    assert saffa("path", "visual").output.strip() == listed["visual"]["path"]
    assert "is whole" in saffa("verify", "visual").output
    assert not models.exists()


def test_a_damaged_backbone_is_seen(models: Path) -> None:
    shutil.copytree(shipped("visual"), models / "mine")
    assert "is whole" in saffa("verify", "mine").output
    with (models / "mine" / "backbone.onnx").open("ab") as file:
        file.write(b"!")
    assert isinstance(saffa("verify", "mine").exception, SaffaError)


def test_what_is_refused(models: Path, tmp_path: Path) -> None:
    torch.save(container(small_encoder()), tmp_path / "small.pth")
    assert isinstance(saffa("import", "vdan+", "--offline").exception, InputError)
    assert isinstance(saffa("import", "glove").exception, InputError)
    assert isinstance(saffa("import", "unheard-of").exception, InputError)
    assert isinstance(saffa("import", tmp_path / "none.pth").exception, InputError)
    assert isinstance(saffa("import", tmp_path / "small.pth", "--name", "../up").exception, InputError)
    assert isinstance(saffa("verify", "mine").exception, InputError)
    assert isinstance(saffa("path", "mine").exception, InputError)
    assert isinstance(saffa("path", "..").exception, InputError)
    assert not models.exists()


def test_verify_a_published_file(models: Path) -> None:
    models.mkdir()
    (models / "vdan_pretrained_model.pth").write_bytes(b"x")
    assert "name none to compare with" in saffa("verify", "vdan-coco").output
    (models / "r2plus1d_34_clip32_ig65m_from_scratch-449a7af9.pth").write_bytes(b"x")
    assert isinstance(saffa("verify", "ig65m").exception, SaffaError)


def test_inference_never_imports_torch(tmp_path: Path) -> None:
    folder = small_folder(tmp_path)
    program = f"""
import sys
sys.modules["torch"] = sys.modules["onnx"] = None  # any import of them fails
import numpy as np
from saffa.encoders.registry import open_model
encoder = open_model({str(folder.path)!r}).onnx
read = encoder.read(["add the salt", "stir"])
pairs = encoder.pair(read, encoder.features(np.zeros((32, 8, 8, 3), np.uint8))[None])
print(pairs.e_d.shape)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "(1, 4)", done.stderr


def test_compact_agents_are_joined(tmp_path: Path) -> None:
    both = tmp_path / "both"
    assert "2 agents as one" in saffa("join", "saffa-compact", "saffa-compact", "-o", str(both)).output
    one, two = (CompactAgent.load(place) for place in (shipped("saffa-compact"), both))
    assert len(two.networks(look_ahead=True).first) == 2 * len(one.networks(look_ahead=True).first)
    assert one.scales == two.scales
    assert isinstance(saffa("join", "nobody", "-o", str(tmp_path / "none")).exception, InputError)
