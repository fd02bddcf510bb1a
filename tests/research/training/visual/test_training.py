"""Training the visual model on made pictures: better than chance, repeatable, and it goes on where it stopped."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from saffa.cli.main import run  # noqa: E402
from saffa.core.errors import InputError  # noqa: E402
from saffa.encoders.visual.model import VisualModel  # noqa: E402
from saffa.research.datasets import image_text  # noqa: E402
from saffa.research.evaluation.image_text import score_model  # noqa: E402
from saffa.research.training.visual.cooking import CookingSettings, fit_cooking, fit_gate  # noqa: E402
from saffa.research.training.visual.run import VisualSettings, train_visual  # noqa: E402
from saffa.research.training.visual.training import GeneralSettings, sentence_means  # noqa: E402
from tests.research.training.image_text_data import write_made_sets  # noqa: E402

SMALL = VisualSettings(
    GeneralSettings(hidden=32, embedding=16, epochs=12, batch=60, rate=1e-2),
    CookingSettings(image_ridge=1.0, text_ridge=0.5, rank=16),
    networks=2,
)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small only wait for each other's threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("made")
    return folder, write_made_sets(folder)


def test_training_beats_chance_and_can_go_on(made: tuple[Path, Path], tmp_path: Path) -> None:
    data, words = made
    facts = train_visual(data, words, tmp_path, SMALL)
    for name in image_text.NAMES:
        assert facts["val"][name]["auc"] > 0.75, name
    assert facts["val"]["youcook2_frames"]["step_choice"] > 0.5
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [entry["epoch"] for entry in log] == list(range(1, 25))
    assert log[11]["loss"] < log[0]["loss"]
    first = (tmp_path / "model" / "weights.safetensors").read_bytes()
    (tmp_path / "network-1.safetensors").unlink()  # as if the run had been interrupted there
    train_visual(data, words, tmp_path, SMALL)
    assert (tmp_path / "model" / "weights.safetensors").read_bytes() == first
    with pytest.raises(InputError, match="other settings"):
        train_visual(data, words, tmp_path, replace(SMALL, seed=4))


def test_shuffled_pairs_teach_nothing() -> None:
    random = np.random.default_rng(0)
    areas = []
    for right in (True, False):
        x, t = random.normal(size=(2, 200, 20)).astype(np.float32)
        x[:, :5] += 2 * t[:, :5]
        order = np.arange(150) if right else random.permutation(150)
        image, text = fit_cooking(x[None, :150], t[order], CookingSettings(1.0, 1.0, 8))
        a = (x[150:] - image.mean) / image.scale @ image.map
        b = (t[150:] - text.mean) / text.scale @ text.map
        scores = a @ b.T
        areas.append((np.diagonal(scores)[:, None] > scores).mean())
    assert areas[0] > 0.85
    assert abs(areas[1] - 0.5) < 0.15


def test_the_gate_is_a_plain_logistic_regression() -> None:
    random = np.random.default_rng(0)
    inside, outside = (
        random.normal(1, 1, (100, 5)).astype(np.float32),
        random.normal(-1, 1, (900, 5)).astype(np.float32),
    )
    weight, bias = fit_gate(inside, outside, 1e-3)
    assert ((inside @ weight + bias) > 0).mean() > 0.95
    assert ((outside @ weight + bias) < 0).mean() > 0.95


def test_rarity_counts_each_set_the_same() -> None:
    big, small = ["a dog runs"] * 90 + ["add salt"] * 10, ["add salt"] * 5 + ["a dog runs"] * 5
    means = sentence_means([big, small], {}, np.zeros((0, 4), np.float32))
    assert means.rarity["dog"] == pytest.approx(-np.log((0.9 + 0.5) / 2))
    assert means.rarity["salt"] == pytest.approx(-np.log((0.1 + 0.5) / 2))


def test_the_command_needs_data(tmp_path: Path) -> None:
    words = write_made_sets(tmp_path, 24)
    assert run(["train", "visual", str(tmp_path / "out"), "--words", str(words)]) == 2


def test_a_written_model_is_the_one_that_was_scored(made: tuple[Path, Path], tmp_path: Path) -> None:
    data, words = made
    facts = train_visual(data, words, tmp_path, replace(SMALL, networks=1, general=replace(SMALL.general, epochs=2)))
    model = VisualModel.load(tmp_path / "model")
    row = score_model(model, image_text.load(data, "coco").part("val"))
    assert row.auc == facts["val"]["coco"]["auc"]
    assert model.dimensions == facts["dimensions"] == 16 + 16


def test_the_command_trains_for_as_many_epochs_as_asked(made: tuple[Path, Path], tmp_path: Path) -> None:
    data, words = made
    command = ["train", "visual", str(tmp_path / "run"), "--data", str(data)]
    assert run([*command, "--words", str(words), "--epochs", "2", "--ensemble", "1", "--threads", "1"]) == 0
    assert len((tmp_path / "run" / "log.jsonl").read_text().splitlines()) == 2
