"""`saffa train vdan` and its guide, at toy size, from pictures to a table."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from saffa.cli.main import run as saffa
from tests.conftest import REPOSITORY
from tests.encoders.colours import colour_video
from tests.research.training.captioned_pictures import write_captioned_pictures

GUIDE = REPOSITORY / "docs" / "guide" / "train-on-your-own.md"
TOY = {
    "saffa train vdan": " --steps 4 --batch 16 --hidden 8 --attention 8 --embedding 8 --threads 1",
    "saffa train saffa": " --epochs 1",
}


def toy_size(commands: str) -> str:
    """The guide's commands with fewer steps; nothing else is changed."""
    for start, more in TOY.items():
        commands = re.sub(rf"^({start}.*)$", rf"\1{more}", commands, flags=re.MULTILINE)
    return commands


def write_own_videos(folder: Path) -> None:
    (folder / "films").mkdir()
    (folder / "own" / "youcook2").mkdir(parents=True)
    videos = {}
    for name in ("a", "b"):
        colour_video(folder / "films" / f"{name}.mp4")
        colour_video(folder / "own" / "youcook2" / f"{name}.mp4")
        (folder / "films" / f"{name}.txt").write_text("a red square\na green circle\n")
        steps = {"segments": [[10.0, 20.0]], "sentences": ["a red square" if name == "a" else "a blue circle"]}
        facts = {"subset": "validation", "recipe_type": "1", "recipe_name": "own", "duration": 30.0, "frames": 300}
        videos[name] = facts | {"fps": 10.0} | steps
    (folder / "own" / "youcook2" / "youcook2.json").write_text(json.dumps({"videos": videos}))


@pytest.mark.slow
@pytest.mark.timeout(1800)  # a dozen commands, each of which starts anew
def test_the_guide_runs_as_it_is_written(tmp_path: Path) -> None:
    write_captioned_pictures(tmp_path / "clips")
    write_own_videos(tmp_path)
    tool = tmp_path / "bin" / "saffa"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m saffa "$@"\n')
    tool.chmod(0o755)
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text("utf-8"), flags=re.DOTALL)
    assert len(blocks) == 3
    paths = f"{REPOSITORY / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    environment = os.environ | {"PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": paths}
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", toy_size("".join(blocks))],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "a.mp4").stat().st_size and (tmp_path / "b.mp4").stat().st_size
    assert "saffa" in done.stdout.split("uniform")[-1]


def test_the_guide_is_short() -> None:
    assert len(GUIDE.read_text("utf-8").splitlines()) <= 45


def test_trains_on_pictures_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, run = str(write_captioned_pictures(tmp_path / "clips", copies=1)), str(tmp_path / "run")
    small = ["--data", data, *TOY["saffa train vdan"].split()]
    assert saffa(["train", "vdan", run, *small, "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert 0 <= done["validation"]["own"]["auc"] <= 1
    assert saffa(["train", "vdan", run, *small]) == 2
    assert "Use --resume to go on" in capsys.readouterr().err
    (tmp_path / "clips" / "red-circle-0.png").unlink()
    assert saffa(["train", "vdan", run, *small, "--resume"]) == 2
    assert "red-circle-0.png, which is not there" in capsys.readouterr().err
    write_captioned_pictures(tmp_path / "clips", copies=2)
    assert saffa(["train", "vdan", run, *small, "--resume"]) == 2
    assert "has changed since it began; start a new run" in capsys.readouterr().err


def test_a_folder_can_be_checked_before_training(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_captioned_pictures(tmp_path / "clips", copies=1)
    assert saffa(["data", "check", "captions", "--data", str(tmp_path / "clips")]) == 0
    assert "15 files with 30 captions: 12 to train, 3 to choose" in capsys.readouterr().out
    assert saffa(["data", "check", "captions", "--data", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
