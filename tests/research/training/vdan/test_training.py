"""Training: it learns, repeats itself, resumes to the bit, and gives the same in two processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from saffa.core.errors import InputError
from saffa.encoders.registry import open_model
from saffa.research.training.run import read_log, read_state
from saffa.research.training.vdan.training import BEST, LAST, MODEL, VdanSettings, VdanTrainer, batched, finish
from tests.conftest import REPOSITORY
from tests.research.training.training_data import DIMS, QUICK, clips_of, words


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """These networks are so small that threads would only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def run(
    folder: Path, data: Path, settings: VdanSettings = QUICK, *, resume: bool = False, dims: Any = DIMS
) -> VdanTrainer:
    folder.mkdir(exist_ok=True)
    trainer = VdanTrainer(folder, dims, words(), settings)
    trainer.fit(*clips_of(data), resume=resume)
    return trainer


def equal(a: VdanTrainer, b: VdanTrainer) -> bool:
    pairs = zip(a.encoder.state_dict().values(), b.encoder.state_dict().values(), strict=True)
    return all(torch.equal(x, y) for x, y in pairs)


def test_learns_and_leaves_a_model(tmp_path: Path) -> None:
    trainer = run(tmp_path / "run", tmp_path, replace(QUICK, epochs=12))
    log = read_log(tmp_path / "run")
    assert [entry["epoch"] for entry in log] == list(range(1, 13))
    assert log[-1]["loss"] < 0.85 * log[0]["loss"]
    assert list((tmp_path / "run/tensorboard").iterdir())
    best = min(log, key=lambda entry: entry["validation_loss"])
    facts = finish(trainer, clips_of(tmp_path)[1], best)
    assert facts["epoch"] == best["epoch"] == read_state(tmp_path / "run" / BEST)["epoch"]
    assert facts["mrr_clips"] == 6
    assert 0 < facts["mrr_query_clip"] <= 1
    encoder = open_model(tmp_path / "run" / MODEL)
    assert encoder.name == MODEL


@pytest.mark.parametrize("h0", ["clip", "zeros", "learned"])
def test_resumes_to_the_bit(tmp_path: Path, h0: Any) -> None:
    dims = replace(DIMS, h0=h0)
    whole = run(tmp_path / "whole", tmp_path, dims=dims)
    run(tmp_path / "parts", tmp_path, replace(QUICK, epochs=1), dims=dims)
    parts = run(tmp_path / "parts", tmp_path, resume=True, dims=dims)
    assert equal(whole, parts)
    a, b = read_log(tmp_path / "whole"), read_log(tmp_path / "parts")
    assert [e["validation_loss"] for e in a] == [e["validation_loss"] for e in b]
    states = [read_state(tmp_path / name / LAST)["optimizer"]["state"] for name in ("whole", "parts")]
    assert all(torch.equal(states[0][k]["exp_avg"], states[1][k]["exp_avg"]) for k in states[0])


def test_seed_decides(tmp_path: Path) -> None:
    short = replace(QUICK, epochs=1)
    first = run(tmp_path / "a", tmp_path, short)
    assert equal(first, run(tmp_path / "b", tmp_path, short))
    assert not equal(first, run(tmp_path / "c", tmp_path, replace(short, seed=6)))


def test_resume_refuses_what_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to resume"):
        run(tmp_path / "new", tmp_path, resume=True)
    run(tmp_path / "run", tmp_path, replace(QUICK, epochs=1))
    with pytest.raises(InputError, match="other settings"):
        run(tmp_path / "run", tmp_path, replace(QUICK, rate=1.0), resume=True)


class Pixels:
    """Clips (3, 2, 2, 2) as a video folder would give them."""

    decoded = True
    captions: tuple[tuple[str, ...], ...] = (
        *(("boil the water",), ("cut bread",)),
        *(("pour milk", "pour the milk"), ("stir rice",)),
    )

    def view(self, clip: int, random: np.random.Generator | None) -> Any:
        jitter = 0.0 if random is None else random.random()
        return np.full((3, 2, 2, 2), clip + jitter, np.float32)


def test_pixels_go_through_a_frozen_backbone(tmp_path: Path) -> None:
    trainer = VdanTrainer(tmp_path, DIMS, words(), replace(QUICK, epochs=1))
    with pytest.raises(InputError, match="needs a backbone"):
        trainer.visual(Pixels(), [0])
    layer = torch.nn.Linear(24, DIMS.visual)
    before = layer.weight.detach().clone()
    trainer.give_backbone(torch.nn.Sequential(torch.nn.Flatten(), layer))
    trainer.fit(Pixels(), Pixels())
    assert torch.equal(layer.weight, before)
    assert "vid_embedder.1.weight" in read_state(tmp_path / BEST)["model_state_dict"]


class Two(Pixels):
    captions = Pixels.captions[:2]


def test_too_few_clips_are_told_before_the_first_epoch(tmp_path: Path) -> None:
    trainer = VdanTrainer(tmp_path, DIMS, words(), replace(QUICK, epochs=1))
    with pytest.raises(InputError, match="There are 2 validation clips with captions; pairs need at least 3"):
        trainer.fit(Pixels(), Two())
    assert not (tmp_path / "log.jsonl").exists()


def test_short_rest_joins_the_last_batch() -> None:
    pairs: Any = list(range(37))
    assert [len(b) for b in batched(pairs, 10)] == [10, 10, 17]
    assert [len(b) for b in batched(pairs, 9)] == [9, 9, 9, 10]
    assert [len(b) for b in batched(pairs, 29)] == [29, 8]
    assert [len(b) for b in batched(pairs[:3], 10)] == [3]


TWO = """
import sys
from pathlib import Path
import torch
from saffa.research.training.run import joined_world
from saffa.research.training.vdan.training import VdanTrainer
from tests.research.training.training_data import DIMS, QUICK, clips_of, words
torch.set_num_threads(1)
out = Path(sys.argv[1])
with joined_world() as world:
    data = out / f"data{world.rank}"
    data.mkdir(parents=True)
    trainer = VdanTrainer(out, DIMS, words(), QUICK, world)
    trainer.encoder.double()
    trainer.fit(*clips_of(data))
"""


@pytest.mark.slow
def test_two_processes_equal_one(tmp_path: Path) -> None:
    """torchrun, gloo, batches of 10 and more pairs either way.

    In double precision, because Adam turns the rounding of a gradient that is zero (a bias before a batch norm)
    into steps as large as any other; what is compared is then the mathematics.
    """
    (tmp_path / "train.py").write_text(TWO)
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    for name, launch in (("one", []), ("two", torchrun)):
        command = [sys.executable, *launch, str(tmp_path / "train.py"), str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False, env=ENVIRONMENT)
        assert done.returncode == 0, done.stderr[-2000:]
    one, two = (read_state(tmp_path / name / LAST)["model"] for name in ("one", "two"))
    for key, tensor in one.items():
        np.testing.assert_allclose(two[key].numpy(), tensor.numpy(), atol=1e-9, err_msg=key)
    logs = [read_log(tmp_path / name) for name in ("one", "two")]
    for measure in ("loss", "validation_loss"):
        np.testing.assert_allclose([e[measure] for e in logs[1]], [e[measure] for e in logs[0]], atol=1e-9)


ENVIRONMENT = os.environ | {"PYTHONPATH": str(REPOSITORY)}
