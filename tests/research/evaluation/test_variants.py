"""Agents by method, bench and seed; tracks for training; one budget per table."""

import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from saffa.cli.main import run
from saffa.methods.paper.agent import Agent, Traits
from saffa.methods.paper.loading import save_agent
from saffa.methods.paper.policy import Mlp
from saffa.research.evaluation.protocol import MSVD_LONG, NARRATED
from saffa.research.evaluation.variants import variants
from saffa.storage import models
from tests.research.small_data import write_small_data


def write_agent(folder: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes = (356, 8, 8, 3)
    tensors = {}
    for layer, (inputs, outputs) in enumerate(pairwise(sizes), start=1):
        tensors[f"policy.fc{layer}.weight"] = random.normal(size=(outputs, inputs)).astype(np.float32)
        tensors[f"policy.fc{layer}.bias"] = np.zeros(outputs, np.float32)
    folder.parent.mkdir(parents=True, exist_ok=True)
    save_agent(Agent(Mlp.of_tensors(tensors, "policy"), None, Traits()), folder)


def test_seeds_of_a_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "shipped_places", lambda: (tmp_path / "models",))
    agents = tmp_path / "agents"
    assert variants("saffa-published", NARRATED, agents) == []
    write_agent(tmp_path / "models" / "saffa-narrated", 0)
    write_agent(tmp_path / "models" / "saffa-narrated-1", 1)
    found = variants("saffa-published", NARRATED, agents)
    assert [one.seed for one in found] == [0, 1]
    assert [one.name for one in found] == ["saffa-published-seed0", "saffa-published-seed1"]
    assert found[0].weights != found[1].weights
    assert variants("saffa-published", MSVD_LONG, agents) == []
    write_agent(agents / "narrated" / "saffa-published-2" / "agent", 2)  # one's own come instead of the shipped ones
    assert [one.seed for one in variants("saffa-published", NARRATED, agents)] == [2]
    (uniform,) = variants("uniform", NARRATED, agents)
    assert (uniform.seed, uniform.name, uniform.weights) == (None, "uniform", "")


@pytest.mark.slow
def test_ablation_trains_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four states with each of three encoders: the benchmark's own, VDAN+ and VDAN."""
    pytest.importorskip("torch", reason="training needs saffa[train]")
    encoders = tmp_path / "encoders"  # and no agents
    encoders.mkdir()
    for place in models.shipped_places():
        for name in ("msvd-plus", "vdan-plus-msvd", "vdan-msvd"):
            if (place / name).is_dir():
                shutil.copytree(place / name, encoders / name)
    monkeypatch.setattr(models, "shipped_places", lambda: (encoders,))
    data, out = write_small_data(tmp_path / "data"), tmp_path / "out"
    arguments = ["reproduce", "ablation", "--data", str(data), "-o", str(out), "--benchmarks", "msvd-long"]
    arguments += ["--methods", "saffa-published", "--seeds", "2"]
    assert run(arguments) == 0
    assert (out / "ablation.md").read_text().count("not trained") == 12
    assert run([*arguments, "--epochs", "1"]) == 0
    assert (out / "ablation.md").read_text().count("2 × 1") == 12
    logs = sorted((out / "agents").rglob("log.jsonl"))
    assert len(logs) == 24
    assert json.loads(logs[0].read_text())["epoch"] == 1
