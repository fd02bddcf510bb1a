"""Nothing that lies in the folder where the command is started, or beside the video, is ever run."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from saffa.sample import RECIPE, VIDEO

MODULES = ("saffa", "pickle", "numpy", "av", "numba", "typer", "json", "sitecustomize")
BY_NAME = [sys.executable, "-P", "-c", "import sys; from saffa.__main__ import main; sys.argv[0] = 'saffa'; main()"]
BY_MODULE = [sys.executable, "-m", "saffa"]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder with a video, a text, and Python files that leave a mark when they are run."""
    shutil.copy(VIDEO, tmp_path / "v.mp4")
    shutil.copy(RECIPE, tmp_path / "t.txt")
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"open('RAN', 'a').write({name!r})\n")
    return tmp_path


def shorten(folder: Path, command: list[str], method: str = "uniform") -> None:
    arguments = ["accelerate", "v.mp4", "--text", "t.txt", "--method", method, "--no-cache", "-o", "o.mp4"]
    done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (folder / "o.mp4").is_file()
    assert not (folder / "RAN").exists()


def test_the_command(hostile: Path) -> None:
    shorten(hostile, BY_NAME)


def test_the_module(hostile: Path) -> None:
    (hostile / "saffa.py").unlink()  # Python itself would run that instead
    shorten(hostile, BY_MODULE)


def test_batch_and_export(hostile: Path) -> None:
    (hostile / "films").mkdir()
    shutil.copy(VIDEO, hostile / "films" / "v.mp4")
    how = ["--text", "t.txt", "--method", "uniform", "--encoder", "none"]
    plan = ["accelerate", "v.mp4", *how, "--dry-run", "--timeline", "tl.json"]
    for asked in (["batch", "films", *how, "-o", "out"], plan, ["export", "tl.json", "--to", "csv", "-o", "o.csv"]):
        done = subprocess.run([*BY_NAME, *asked], cwd=hostile, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert not (hostile / "RAN").exists()


def test_compiled_code_is_not_loaded_from_the_folder(hostile: Path) -> None:
    """numba takes settings from a file in the current folder; one of them is where compiled code is kept, pickled."""
    pytest.importorskip("yaml")
    (hostile / ".numba_config.yaml").write_text(f"cache_dir: {hostile}/compiled\n")
    shorten(hostile, BY_NAME, "plan")
    assert not (hostile / "compiled").exists()
