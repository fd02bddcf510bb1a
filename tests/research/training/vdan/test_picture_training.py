"""VDAN on made pictures with captions: it learns, goes on where it was, and says what does not fit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from saffa.core.errors import InputError
from saffa.encoders.vdan.picture_vdan import PictureVdan
from saffa.research.datasets import image_text
from saffa.research.training.run import read_log, read_state
from saffa.research.training.vdan import picture_run
from saffa.research.training.vdan.picture_run import train_pictures
from saffa.research.training.vdan.picture_training import BEST, PictureSettings
from saffa.storage.models import ModelFolder
from tests.research.training.image_text_data import WIDTH, write_made_sets, write_set

SMALL = PictureSettings(steps=8, batch=32, hidden=24, attention=24, embedding=16, validate=4, keep=4)


@pytest.fixture(autouse=True)
def narrow_backbone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The made pictures have few features."""
    monkeypatch.setattr(picture_run, "FEATURES", WIDTH)
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    write_made_sets(folder)
    return folder


def run_folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_learns_to_find_the_own_sentence(made: Path, tmp_path: Path) -> None:
    done = train_pictures(
        made, run_folder(tmp_path / "run"), replace(SMALL, steps=120, rate=0.01, warm_up=10, validate=60)
    )
    coco = done["validation"]["coco"]
    assert coco["auc"] > 0.75
    assert 0.4 < coco["wrong_auc"] < 0.6
    assert coco["attention"] > 0.35
    assert set(done["validation"]) == {"coco", "flickr8k", "youcook2_frames"}


def test_the_paper_s_loss_falls(made: Path, tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    train_pictures(made, folder, replace(SMALL, loss="cosine", steps=60, validate=20))
    losses = [entry["loss"] for entry in read_log(folder)]
    assert losses[-1] < losses[0]


def test_half_as_many_digits_learn_the_same(made: Path, tmp_path: Path) -> None:
    """The states of reading are rounded to bfloat16, the weights are not."""
    entries = []
    for precision in ("float32", "bfloat16"):
        folder = run_folder(tmp_path / precision)
        train_pictures(made, folder, replace(SMALL, precision=precision))
        entries.append(read_log(folder))
        assert all(tensor.dtype != torch.bfloat16 for tensor in read_state(folder / BEST)["encoder"].values())
    assert [one["loss"] for one in entries[1]] == pytest.approx([one["loss"] for one in entries[0]], rel=0.05)
    assert entries[0][0]["loss"] != entries[1][0]["loss"]


def test_a_run_that_was_broken_off_ends_the_same(made: Path, tmp_path: Path) -> None:
    whole, broken = run_folder(tmp_path / "whole"), run_folder(tmp_path / "broken")
    train_pictures(made, whole, SMALL)

    def stop(_: str, share: float) -> None:
        if share > 0.7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_pictures(made, broken, SMALL, progress=stop)
    train_pictures(made, broken, SMALL, resume=True)
    one, other = (read_state(folder / "last.pt")["encoder"] for folder in (whole, broken))
    for name, tensor in one.items():
        torch.testing.assert_close(tensor, other[name], msg=name)


def test_a_run_goes_on_with_other_steps(made: Path, tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    train_pictures(made, folder, SMALL)
    train_pictures(made, folder, replace(SMALL, steps=10), resume=True)
    assert [entry["epoch"] for entry in read_log(folder)] == [4, 8, 10]


def test_the_model_folder_computes_what_was_trained(made: Path, tmp_path: Path) -> None:
    folder = run_folder(tmp_path / "run")
    done = train_pictures(made, folder, SMALL)
    model = PictureVdan(ModelFolder.open(Path(done["model"])), threads=1)
    model.folder.verify()
    frames = image_text.load(made, "youcook2_frames").part("val").take(range(5))
    pairs = model.pair(model.read(["cut the onion", "!!", "fry the bread"]), model.space(frames.features()))
    np.testing.assert_allclose(np.linalg.norm(pairs.e_d, axis=1), 1, atol=1e-4)
    assert pairs.sentence_weights.shape == (5, 3)
    assert (pairs.sentence_weights[:, 1] == 0).all()
    np.testing.assert_allclose(pairs.sentence_weights.sum(1), 1, atol=1e-4)
    assert read_state(folder / BEST)["step"] == model.folder.facts["step"]


def test_changed_data_and_settings_are_refused(made: Path, tmp_path: Path) -> None:
    data, folder = tmp_path / "data", run_folder(tmp_path / "run")
    data.mkdir()
    write_made_sets(data, size=60)
    train_pictures(data, folder, SMALL)
    with pytest.raises(InputError, match="holds a run with other settings"):
        train_pictures(data, folder, replace(SMALL, rate=0.1), resume=True)
    with pytest.raises(InputError, match="has changed since it began"):
        train_pictures(made, folder, SMALL, resume=True)


def test_features_of_another_width_are_refused(tmp_path: Path) -> None:
    ids = [f"p{number}" for number in range(20)]
    write_set(tmp_path, "coco", np.ones((20, 1, 9)), ids, ["train"] * 15 + ["val"] * 5)
    with pytest.raises(InputError, match=f"have 9 numbers; the shipped backbone gives {WIDTH}"):
        train_pictures(tmp_path, run_folder(tmp_path / "run"), SMALL)
