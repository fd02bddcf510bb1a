"""Choices of `saffa reproduce`: methods, speeds and seeds are honoured, and the page says what it was made with."""

import csv
import json
import shutil
import warnings
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from saffa.cli.main import run
from saffa.cli.reproduce import choose_methods, choose_speeds
from saffa.core.document import Document
from saffa.methods.paper.agent import Agent, Traits
from saffa.methods.paper.loading import save_agent
from saffa.methods.paper.observation import Observation
from saffa.methods.paper.policy import Mlp
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.evaluation import variants as module
from saffa.research.evaluation.protocol import MSVD_LONG, NARRATED
from saffa.research.reproduce import ablation as ablation_module
from saffa.research.reproduce.context import SPEEDS, Context
from saffa.research.reproduce.figures import FLOOR, draw_errors, draw_truth, new_figure
from saffa.research.reproduce.speedup import SpeedErrors, largest_sheet
from saffa.research.reproduce.this_copy import command, listed, this_copy
from saffa.storage import models
from tests.research.small_data import write_small_data

NARRATED_WIDTH = 512


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_data(tmp_path_factory.mktemp("data"))


@pytest.fixture
def two_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two seeds of saffa for the narrated encoder, random and different."""
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.setattr(models, "shipped_places", lambda: (folder,))
    observation = Observation(NARRATED_WIDTH)
    for seed, name in enumerate(("saffa-narrated", "saffa-narrated-1")):
        random = np.random.default_rng(seed)
        tensors = {}
        for layer, (inputs, outputs) in enumerate(pairwise((observation.width, 8, 8, 3)), start=1):
            tensors[f"policy.fc{layer}.weight"] = random.normal(size=(outputs, inputs)).astype(np.float32)
            tensors[f"policy.fc{layer}.bias"] = np.zeros(outputs, np.float32)
        agent = Agent(Mlp.of_tensors(tensors, "policy"), None, Traits(observation))
        training = {"epochs": 70 + 10 * seed, "settings": {"epochs": 100}, "videos": 3}
        save_agent(agent, folder / name, facts={"training": training})
    return folder


def reproduce(target: str, data: Path, out: Path, *more: str) -> int:
    return run(["reproduce", target, "--data", str(data), "-o", str(out), *more])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_slow_methods_run_at_the_speeds_that_were_asked_for(small: Path, tmp_path: Path) -> None:
    arguments = ("--methods", "sas", "--benchmarks", "youcook2-narrated", "--speeds", "5")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # matplotlib's, of a figure without curves
        assert reproduce("speedup-error", small, tmp_path, *arguments) == 0
        signed, absolute = rows_of(tmp_path / "speedup-error-youcook2-narrated.csv")
        assert abs(float(signed["5×"])) <= float(absolute["5×"])
        assert reproduce("speedup-error", small, tmp_path, *arguments, "--few-speeds", "4,6") == 0
    assert list(rows_of(tmp_path / "speedup-error-youcook2-narrated.csv")[0]) == ["method", "measure", "4×", "6×"]
    assert "SAS take long and are measured at 4×, 6×" in (tmp_path / "speedup-error.md").read_text()


def test_which_speeds() -> None:
    assert choose_speeds("", "") == (SPEEDS, SPEEDS)
    assert choose_speeds("3-5", "") == ((3, 4, 5), (3, 4, 5))
    assert choose_speeds("3-5", "9") == ((3, 4, 5), (9,))
    assert choose_speeds("", "12") == (SPEEDS, (12,))


def test_a_method_without_a_point_is_named_and_not_drawn(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "shipped_places", lambda: (tmp_path / "nothing",))
    arguments = ("--methods", "saffa-published", "--benchmarks", "youcook2-narrated", "--speeds", "5")
    assert reproduce("speedup-error", small, tmp_path, *arguments) == 0
    text = (tmp_path / "speedup-error.md").read_text()
    assert "- SAFFA (as published): not run, no trained agent" in text
    assert "speedup-error.png" not in text
    assert not (tmp_path / "speedup-error.png").exists()


def test_significance_compares_with_uniform_in_any_order(small: Path, tmp_path: Path) -> None:
    arguments = ("--methods", "plan,uniform", "--benchmarks", "youcook2-narrated")
    assert reproduce("significance", small, tmp_path, *arguments) == 0
    _, lines = (tmp_path / "significance.md").read_text().split("F1 − uniform's")
    assert "| Planner (balance 0) | +" in lines
    assert choose_methods("oracle,plan,uniform,plan") == ("uniform", "plan", "oracle")
    assert reproduce("significance", small, tmp_path, "--methods", "plan,oracle", *arguments[2:]) == 0
    assert "uniform" not in (tmp_path / "significance.md").read_text()


def test_asr_has_the_methods_that_were_asked_for_with_all_their_seeds(
    small: Path, tmp_path: Path, two_agents: Path
) -> None:
    assert two_agents.is_dir()
    assert reproduce("asr", small, tmp_path, "--methods", "uniform,saffa-published") == 0
    rows = rows_of(tmp_path / "asr.csv")
    assert [(row["method"], row["seeds"], row["text"]) for row in rows] == [
        ("Uniform", "–", "recipe"),
        ("Uniform", "–", "narration"),
        ("SAFFA (as published)", "2", "recipe"),
        ("SAFFA (as published)", "2", "narration"),
    ]
    assert rows[0]["frames selected with both texts"] == "100.0 %"
    assert reproduce("table1", small, tmp_path, "--methods", "saffa-published") == 0
    (table,) = rows_of(tmp_path / "table1-youcook2-narrated.csv")
    assert {key: table[key] for key in ("P", "R", "F1", "OS", "OP")} == {
        key: rows[2][key] for key in ("P", "R", "F1", "OS", "OP")
    }


def test_the_page_says_what_it_was_made_with(small: Path, tmp_path: Path, two_agents: Path) -> None:
    usual = Context(small, tmp_path)
    assert command(usual, "all") == "saffa reproduce all --data DATA -o report"
    assert "measured at 2-20×." in this_copy(usual)
    fewer = Context(small, tmp_path, few_speeds=(2, 12))
    assert command(fewer, "all") == "saffa reproduce all --data DATA -o report --few-speeds 2,12"
    assert "measured at 2-20×, that of SAS, SASv2, BoT, Non-RL at 2,12× only." in this_copy(fewer)
    chosen = Context(
        small, tmp_path, ("uniform", "saffa-published"), (2, 3, 4, 9), (9,), (NARRATED,), named=True, seeds=2
    )
    told = "saffa reproduce roc --data DATA -o report --methods uniform,saffa-published --benchmarks youcook2-narrated"
    assert command(chosen, "roc") == f"{told} --speeds 2-4,9 --few-speeds 9 --seeds 2"
    text = this_copy(chosen)
    assert "measured at 2-4,9×." in text  # no slow method is there
    assert "youcook2-narrated (3 videos), youcook2 (1 videos, annotations alone), coin (1" in text
    assert (
        "| SAFFA (as published) | youcook2-narrated | 2 | 70 epochs; 80 epochs | 3 training videos of the bench |"
        in text
    )
    manifest = two_agents / "saffa-narrated" / "model.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"data": "217 videos of a kitchen, in color"}))
    assert "| 217 videos of a kitchen; 3 training videos of the bench |" in this_copy(chosen)
    assert listed((2, 3, 5, 6, 7)) == "2,3,5-7"


def test_one_agent_of_several_seeds_is_called_an_ensemble(small: Path, tmp_path: Path) -> None:
    """As its manifest tells; the shipped compact agent is the mean of some."""
    manifest = json.loads((models.shipped("saffa-compact") / "model.json").read_text())
    told = f"ensemble of {len(manifest['seed'])}"
    context = Context(small, tmp_path, ("uniform", "saffa"), benches=(NARRATED,))
    assert f"| SAFFA (compact state) | all | {told} | {manifest['training']['epochs']} epochs" in this_copy(context)
    assert reproduce("table1", small, tmp_path, "--methods", "uniform,saffa") == 0
    rows = rows_of(tmp_path / "table1-youcook2-narrated.csv")
    assert [row["seeds"] for row in rows] == ["–", told]


def test_the_ablation_tells_how_many_videos_its_agents_had(small: Path, tmp_path: Path, two_agents: Path) -> None:
    for seed, name in enumerate(("saffa-narrated", "saffa-narrated-1")):
        folder = tmp_path / "agents" / "ablation" / NARRATED.short / f"sa0-nrpe1-{seed}"
        shutil.copytree(two_agents / name, folder / "agent")
        manifest = folder / "agent" / "model.json"
        manifest.write_text(json.dumps({k: v for k, v in json.loads(manifest.read_text()).items() if k != "training"}))
        (folder / "log.jsonl").write_text('{"epoch": 1, "episodes": 17}\n{"epoch": 2, "episodes": 17}\n')
    arguments = ("--methods", "uniform", "--benchmarks", "youcook2-narrated")
    assert reproduce("ablation", small, tmp_path, *arguments) == 0
    rows = rows_of(tmp_path / "ablation-youcook2-narrated.csv")
    budgets = [row["seeds × epochs, videos"] for row in rows]
    assert budgets == ["not trained", "2 × 2, 17 videos", "not trained", "2 × 70/80, 3 videos (shipped)", "–"]
    copied = tmp_path / "agents" / "ablation" / NARRATED.short / "sa1-nrpe0-0" / "agent"
    shutil.copytree(two_agents / "saffa-narrated", copied)  # without its log
    assert reproduce("ablation", small, tmp_path, *arguments) == 0
    assert rows_of(tmp_path / "ablation-youcook2-narrated.csv")[2]["seeds × epochs, videos"] == "1 × 70, 3 videos"


def test_figure_shows_the_seeds_and_nothing_below_the_floor() -> None:
    axes = new_figure(4, 3).subplots()
    draw_errors(axes, "sff-rl", 0, {2: [0.1, 0.3], 3: [0.0, 0.0], 4: [1.0, 2.0]}, FLOOR)
    line = np.asarray(axes.lines[0].get_ydata(), float)
    np.testing.assert_allclose(line, [0.2, np.nan, 1.5])
    assert not axes.collections  # no lower end: a band down to the floor would cover all others
    draw_errors(axes, "saffa", 1, {2: [0.1, 0.3], 4: [1.0, 2.0]}, FLOOR)
    (band,) = axes.collections
    heights = np.asarray(band.get_paths()[0].vertices, float)[:, 1]
    assert (heights.min(), heights.max()) == (0.1, 2.0)
    draw_errors(axes, "plan", 2, {2: [0.1], 3: [0.2]}, FLOOR)
    assert len(axes.collections) == 1  # one run has no range


def test_steps_that_touch_are_blocks_of_their_own() -> None:
    axes = new_figure(4, 3).subplots()
    steps = ((0, 100), (100, 250), (300, 400))
    draw_truth(axes, BenchmarkVideo("a", 500, Fraction(25), Document(("x",)), None, steps))
    blocks = [bar for bar in axes.patches if isinstance(bar, Rectangle)]
    assert [(bar.get_x(), bar.get_width()) for bar in blocks] == [(0, 4), (4, 6), (12, 4)]
    assert all(bar.get_edgecolor()[:3] == (1, 1, 1) and bar.get_linewidth() > 0 for bar in blocks)


def test_largest_error_is_also_told_of_the_worst_seed() -> None:
    found = SpeedErrors({"saffa": {2: [0.5, -0.1], 9: [1.0, -3.0]}}, {"saffa": {2: [0.6, 0.2], 9: [1.0, 3.2]}})
    (row,) = largest_sheet(NARRATED, found).rows
    assert row[1:] == ("2", "1.00 (at 9×)", "3.00 (at 9×)", "2.10 (at 9×)", "3.20 (at 9×)")


def test_ablation_has_the_papers_rows_of_both_encoders(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for where in (ablation_module, module):
        monkeypatch.setattr(where, "shipped_models", lambda _name: ())
    assert reproduce("ablation", small, tmp_path, "--methods", "uniform") == 0
    for key, encoder, f1 in (("youcook2-narrated", "VDAN+", "64.96"), ("msvd-vdan", "VDAN", "7.34")):
        first = rows_of(tmp_path / f"ablation-{key}.csv")[0]
        assert (first["SA"], first["NRPE"], first["paper: SE"], first["paper: F1"]) == ("✗", "✗", encoder, f1)
    assert "paper: F1" not in rows_of(tmp_path / f"ablation-{MSVD_LONG.key}.csv")[0]
