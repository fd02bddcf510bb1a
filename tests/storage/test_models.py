"""Model folders: where they are found, and that they are written whole or not at all."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from saffa.core.errors import InputError
from saffa.storage import models
from saffa.storage.models import ModelFolder, find, not_found, shipped, shipped_models, write_model


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A folder for each place that is searched; the first one is where the command runs."""
    made = {name: tmp_path / name for name in ("here", "packaged", "research", "own")}
    for folder in made.values():
        folder.mkdir()
    monkeypatch.chdir(made["here"])
    monkeypatch.setenv("SAFFA_MODELS", str(made["own"]))
    monkeypatch.setattr(models, "shipped_places", lambda: (made["packaged"], made["research"]))
    return made


def model(folder: Path, kind: str = "agent") -> Path:
    def fill(part: Path) -> Mapping[str, Any]:
        (part / "weights.safetensors").write_bytes(b"w")
        return {"kind": kind}

    return write_model(folder, fill).path


def test_a_path_comes_first_then_what_is_installed_then_what_was_imported(places: dict[str, Path]) -> None:
    for name in ("own", "research", "packaged", "here"):
        assert find("walker") != places[name] / "walker"
        made = model(places[name] / "walker")
        assert find("walker") == (made if name != "here" else Path("walker"))
    assert find("runner") is None
    assert find(places["own"] / "walker") == places["own"] / "walker"


def test_the_folder_of_a_run_gives_the_agent_inside(places: dict[str, Path]) -> None:
    model(places["here"] / "run" / "agent")
    assert find("run") == Path("run/agent")
    (places["here"] / "broken").mkdir()
    (places["here"] / "broken" / "last.pth").touch()
    assert find("broken") is None
    assert find("broken", ("model.json", "last.pth")) == Path("broken/last.pth")


def test_a_published_file_is_found_by_its_name(places: dict[str, Path]) -> None:
    assert find("vdan-coco") is None
    (places["own"] / "vdan_pretrained_model.pth").touch()
    assert find("vdan-coco") == places["own"] / "vdan_pretrained_model.pth"


def test_the_products_own_models_never_come_from_the_working_folder(places: dict[str, Path]) -> None:
    model(places["here"] / "visual")
    with pytest.raises(InputError, match="visual is not installed"):
        shipped("visual")
    installed = model(places["research"] / "visual")
    assert shipped("visual") == installed
    assert [one.path for one in shipped_models()] == [installed]


def test_installed_models_are_listed_by_name_wherever_they_are(places: dict[str, Path]) -> None:
    model(places["research"] / "a-1")
    model(places["packaged"] / "b")
    model(places["research"] / "table" / "c" / "sa0")
    assert [one.name for one in shipped_models()] == ["a-1", "b"]
    assert [one.name for one in shipped_models("a-[0-9]*")] == ["a-1"]
    assert [one.name for one in shipped_models("table/*/*")] == ["sa0"]


def test_without_the_research_package_an_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "pip install" not in str(not_found("agent", "nobody"))
    monkeypatch.setattr(models, "RESEARCH", "no_such_package_anywhere")
    assert "pip install ./packages/saffa-research-models" in str(not_found("agent", "saffa-msvd-long"))
    assert shipped("visual").parent == models.PACKAGED
    with pytest.raises(InputError, match="pip install"):
        shipped("msvd-plus")


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    def broken(part: Path) -> Mapping[str, Any]:
        (part / "weights.safetensors").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"Cannot write .*mine \(No space left"):
        write_model(tmp_path / "mine", broken)
    assert list(tmp_path.iterdir()) == []
    kept = model(tmp_path / "mine")
    with pytest.raises(InputError, match="No space left"):
        write_model(kept, broken, overwrite=True)
    ModelFolder.open(kept).verify()
    with pytest.raises(InputError, match="--overwrite"):
        model(kept)


def test_running_a_model_leaves_nothing_behind(tmp_path: Path) -> None:
    """ONNX Runtime keeps notes on what is run, to send them away, unless it is told not to."""
    graph = models.PACKAGED / "visual" / "backbone.onnx"
    code = (
        "import sys; from pathlib import Path; from saffa.storage.models import open_session as o; o(Path(sys.argv[1]))"
    )
    places = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    env = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"} | places
    subprocess.run([sys.executable, "-B", "-c", code, str(graph)], cwd=tmp_path, env=env, check=True)
    assert list(tmp_path.rglob("*")) == []
