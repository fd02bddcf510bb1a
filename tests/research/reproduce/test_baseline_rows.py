"""Rows of the baselines on real data: what docs/method/baselines.md says must stay true."""

import json
from pathlib import Path

import pytest

from saffa.cli.main import run

BASELINES = "uniform,ffnet,sas,sasv2,bot,non-rl"


def rows(shared_data: Path, out: Path, *arguments: str) -> dict[str, dict[str, float]]:
    command = ["evaluate", *arguments, "--data", str(shared_data), "--methods", BASELINES, "--json", str(out)]
    assert run(command) == 0
    return {row["method"]: row for row in json.loads(out.read_text())["rows"]}


@pytest.mark.slow
def test_on_narrated_videos(shared_data: Path, tmp_path: Path) -> None:
    found = rows(shared_data, tmp_path / "out.json", "youcook2-narrated")
    assert list(found) == BASELINES.split(",")
    for method in ("bot", "non-rl"):
        assert found[method]["os_abs_error"] <= 0.3
        assert found[method]["f1"] > found["uniform"]["f1"] + 0.5
    assert found["sas"]["os"] == pytest.approx(12, abs=0.8)
    assert found["sas"]["precision"] > found["uniform"]["precision"] + 4
    assert found["sasv2"]["os"] < found["sas"]["os"]
    assert found["ffnet"]["precision"] > found["uniform"]["precision"] + 5
    assert found["ffnet"]["os"] < 6  # nothing asks it to be fast


@pytest.mark.slow
def test_on_clips_and_with_the_text_of_another(shared_data: Path, tmp_path: Path) -> None:
    own = rows(shared_data, tmp_path / "own.json", "msvd-long", "--split", "val")
    other = rows(shared_data, tmp_path / "other.json", "msvd-long", "--split", "val", "--shuffled-documents")
    for method in ("sas", "bot", "non-rl"):
        assert own[method]["precision"] > own["uniform"]["precision"] + 5
        assert abs(other[method]["precision"] - own["uniform"]["precision"]) < 5
    assert own["ffnet"]["precision"] == pytest.approx(other["ffnet"]["precision"])  # it does not read the text
