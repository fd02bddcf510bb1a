"""Ranks, AUC and step choice against plain loops, and the shipped model on real pictures."""

import json
from pathlib import Path

import numpy as np
import pytest

from saffa.cli.main import run
from saffa.core.errors import InputError
from saffa.encoders.visual.model import VisualModel
from saffa.research.datasets import image_text
from saffa.research.evaluation.image_text import evaluate_image_text, ranks, score_model, score_pairs, step_choice


def test_ranks_against_loops() -> None:
    random = np.random.default_rng(0)
    owners = np.array([0, 0, 1, 2, 2, 2, 3])
    scores = random.integers(0, 6, (4, 7)).astype(np.float32)
    for picture, rank in enumerate(ranks(scores, owners)):
        best = max(scores[picture, s] for s in range(7) if owners[s] == picture)
        others = [scores[picture, s] for s in range(7) if owners[s] != picture]
        assert rank == 1 + sum(o > best for o in others) + sum(o == best for o in others) / 2


def test_auc_and_step_choice_against_loops() -> None:
    random = np.random.default_rng(1)
    owners, videos = np.arange(6), np.array([0, 0, 0, 1, 1, 1])
    scores = random.integers(0, 9, (6, 6)).astype(np.float32)
    right = [scores[i, i] for i in range(6)]
    wrong = [scores[i, j] for i in range(6) for j in range(6) if i != j]
    pairs = [(r > w) + (r == w) / 2 for r in right for w in wrong]
    row = score_pairs("x", scores, owners, videos)
    assert row.auc == pytest.approx(np.mean(pairs))
    chosen = []
    for i in range(6):
        own = [scores[i, j] for j in range(6) if videos[j] == videos[i]]
        chosen.append((scores[i, i] == max(own)) / own.count(max(own)))
    assert row.step_choice == pytest.approx(np.mean(chosen))


def test_a_constant_is_no_success() -> None:
    flat = np.zeros((30, 30), np.float32)
    row = score_pairs("x", flat, np.arange(30), np.arange(30) // 3)
    assert row.auc == 0.5
    assert (row.r1, row.r10) == (0, 0)
    assert row.step_choice == pytest.approx(1 / 3)


def test_perfect_scores() -> None:
    row = score_pairs("x", np.eye(9, dtype=np.float32), np.arange(9), None)
    assert (row.r1, row.mrr, row.auc, row.step_choice) == (1, 1, 1, None)
    assert step_choice(np.eye(9, dtype=np.float32), np.arange(9), np.arange(9) // 3) == 1


@pytest.fixture(scope="module")
def model() -> VisualModel:
    return VisualModel.load()


LEAST = {"coco": (0.70, 0.97, 0), "flickr8k": (0.57, 0.95, 0), "youcook2_frames": (0, 0.75, 0.55)}
"""R@10, AUC and step choice that the shipped model must hold; the 150 cooking frames of val are few."""


@pytest.mark.parametrize("name", image_text.NAMES)
def test_the_shipped_model_on_real_pictures(shared_data: Path, model: VisualModel, name: str) -> None:
    part = image_text.load(shared_data, name).part("val" if name == "youcook2_frames" else "test")
    row = score_model(model, part)
    r10, auc, step = LEAST[name]
    assert row.r10 >= r10
    assert row.auc >= auc
    assert (row.step_choice or 0) >= step


def test_shuffled_pairs_fall_to_chance(shared_data: Path, model: VisualModel) -> None:
    part = image_text.load(shared_data, "youcook2_frames").part("val")
    scores = model.embed_images(part.features()) @ model.embed_sentences(part.sentences).T
    random = np.random.default_rng(0)
    areas = [score_pairs("x", scores[:, random.permutation(len(part))], part.owners, None).auc for _ in range(20)]
    assert np.mean(areas) == pytest.approx(0.5, abs=0.02)


def test_the_command(shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "image_text").mkdir()
    for file in ("youcook2_frames.npz", "youcook2_frames_captions.json"):
        (tmp_path / "image_text" / file).symlink_to(shared_data / "image_text" / file)
    assert run(["evaluate", "image-text", "--data", str(tmp_path), "--json", str(tmp_path / "out.json")]) == 0
    assert "youcook2_frames val" in capsys.readouterr().out
    written = json.loads((tmp_path / "out.json").read_text())
    (row,) = written["rows"]
    assert set(row) == {"dataset", "n", "r1", "r5", "r10", "mrr", "auc", "step_choice"}
    assert (row["dataset"], row["n"], written["splits"]) == ("youcook2_frames", 150, {"youcook2_frames": "val"})
    assert run(["evaluate", "image-text", "--data", str(tmp_path), "--split", "test"]) == 2


def test_a_set_without_the_split_is_left_out(tmp_path: Path, model: VisualModel) -> None:
    for name, split in (("flickr8k", "test"), ("youcook2_frames", "val")):
        write_set(tmp_path / "image_text", name, split)
    assert evaluate_image_text(tmp_path, "test", model).splits == {"flickr8k": "test"}
    assert evaluate_image_text(tmp_path, model=model).splits == {"flickr8k": "test", "youcook2_frames": "val"}
    with pytest.raises(InputError, match="No set has the split 'dev': flickr8k has test; youcook2_frames has val"):
        evaluate_image_text(tmp_path, "dev", model)


def write_set(folder: Path, name: str, split: str) -> None:
    """Two pictures of noise, each with a caption."""
    folder.mkdir(exist_ok=True)
    features = np.random.default_rng(0).integers(0, 99, (2, 1, 1280)).astype(np.uint8)
    scale = np.ones(features.shape[2:], np.float32)
    np.savez(folder / f"{name}.npz", features=features, scale=scale, ids=["a_1", "a_2"], split=[split] * 2)
    (folder / f"{name}_captions.json").write_text(json.dumps({"a_1": ["Boil water."], "a_2": ["Fry an egg."]}), "utf-8")


def test_a_folder_without_sets(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="image_text"):
        evaluate_image_text(tmp_path)
