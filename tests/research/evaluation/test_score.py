"""The benchmark of issue and README: the promises that stand there are checked here."""

import json
from pathlib import Path

import pytest

from saffa.cli.main import run
from saffa.core.errors import InputError
from saffa.research.evaluation.score import sampler_for
from tests.research.small_data import write_small_data


@pytest.fixture(scope="module")
def report(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    out = tmp_path_factory.mktemp("evaluation") / "out.json"
    arguments = ["evaluate", "youcook2-narrated", "--data", str(shared_data), "--json", str(out)]
    assert run(arguments) == 0
    data = json.loads(out.read_text())
    assert (data["benchmark"], data["split"], data["speed"]) == ("youcook2-narrated", "validation", 12)
    assert set(data["per_video"]["plan"]) == set(data["per_video"]["uniform"])
    one = next(iter(data["per_video"]["plan"].values()))
    measures = {"precision", "recall", "f1", "f1_even", "os", "op", "os_abs_error", "watchable_steps", "step_hit"}
    assert set(one) == measures
    assert one["os_abs_error"] == pytest.approx(abs(one["os"] - 12))
    return {row["method"]: row for row in data["rows"]}


def test_uniform_is_what_it_must_be(report: dict[str, dict[str, float]]) -> None:
    assert report["uniform"]["n"] == 40
    assert report["uniform"]["op"] == pytest.approx(24.6, abs=0.1)
    assert report["uniform"]["recall"] == pytest.approx(100 / 12, abs=0.05)


def test_plan_keeps_its_level(report: dict[str, dict[str, float]]) -> None:
    assert report["plan"]["op"] >= 31.7
    assert report["plan"]["os_abs_error"] <= 0.1


def test_balanced_plan_shows_nearly_half_of_the_steps(report: dict[str, dict[str, float]]) -> None:
    assert report["plan-balanced"]["watchable_steps"] >= 0.45
    assert report["plan-balanced"]["op"] >= 30
    assert report["plan-balanced"]["os_abs_error"] <= 0.1


def test_oracle_is_the_ceiling(report: dict[str, dict[str, float]]) -> None:
    assert report["oracle"]["op"] == pytest.approx(37.8, abs=0.3)
    assert report["oracle"]["f1"] > max(report[m]["f1"] for m in ("uniform", "plan", "plan-balanced"))


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_no_area_without_frames_of_both_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Steps that cover the whole video leave nothing to tell them from."""
    data = write_small_data(tmp_path)
    path = data / "youcook2_narrated" / "youcook2_narrated.json"
    videos = json.loads(path.read_text())["videos"]
    for video in videos.values():
        video |= {"document": ["boil the water"], "segments": [[0, video["frames"] / video["fps"]]]}
    path.write_text(json.dumps({"videos": videos}))
    arguments = ["evaluate", "youcook2-narrated", "--data", str(data), "--methods", "uniform,plan", "--auc"]
    assert run([*arguments, "--json", "-"]) == 0

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    rows = json.loads(capsys.readouterr().out, parse_constant=refuse)["rows"]
    assert [row["auc"] for row in rows] == [None, None]
    assert run(arguments) == 0
    assert all(line.split()[-1] == "–" for line in capsys.readouterr().out.splitlines() if line.startswith("plan"))


def test_unknown_methods_are_named() -> None:
    with pytest.raises(InputError, match="Unknown method 'magic'"):
        sampler_for("magic")
