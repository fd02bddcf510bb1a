"""Words learnt from recipes: company makes near, order within a recipe counts, and unknown words say nothing."""

from pathlib import Path

import numpy as np
import pytest

from saffa.encoders.visual.model import VisualModel
from saffa.encoders.visual.sentences import SentenceMeans
from saffa.research.datasets import image_text
from saffa.research.training.visual.kitchen_words import WordSettings, learn_words

RECIPES = [
    ["fry onion", "salt soup"],
    ["fry garlic", "salt stew"],
    ["bake dough", "cool bread"],
    ["bake cake", "cool tin"],
]
PLAIN = SentenceMeans({}, 1.0, {}, np.zeros((0, 2), np.float32))


def test_words_in_the_same_company_are_near() -> None:
    kitchen = learn_words(RECIPES * 2, WordSettings(width=6))
    onion, garlic, dough = kitchen(["onion", "garlic", "dough"], PLAIN)
    assert onion @ garlic > 0.8
    assert onion @ garlic > onion @ dough + 0.5


def test_the_next_step_counts_only_within_a_recipe() -> None:
    """ "soup" and "dough" meet only across two recipes; "onion" and "soup" across two steps of one."""
    with_next = learn_words(RECIPES * 2, WordSettings(width=12, neighbour=1.0))
    without = learn_words(RECIPES * 2, WordSettings(width=12, neighbour=0.0))
    near, far = (np.prod(kitchen(["fry", "salt"], PLAIN), axis=0).sum() for kitchen in (with_next, without))
    assert near > far + 0.1
    apart = with_next(["salt", "bake"], PLAIN)
    assert abs(apart[0] @ apart[1]) < 1e-3


def test_rare_and_unknown_words() -> None:
    kitchen = learn_words([*RECIPES, ["peel shallot"]], WordSettings(width=4))
    assert "fry" in kitchen.rows
    assert "shallot" not in kitchen.rows
    np.testing.assert_array_equal(kitchen(["shallot", "", "12 !"], PLAIN), np.zeros((3, 4)))
    assert np.linalg.norm(kitchen(["fry shallot"], PLAIN)) == pytest.approx(1)


def test_weights_of_the_sentence_means_are_used() -> None:
    kitchen = learn_words(RECIPES * 2, WordSettings(width=6))
    heavy = SentenceMeans({"fry": 9.0, "bake": 0.1}, 1.0, {}, np.zeros((0, 2), np.float32))
    both, fry = kitchen(["fry bake", "fry"], heavy)
    even, _ = kitchen(["fry bake", "fry"], PLAIN)
    assert both @ fry > even @ fry


def test_the_shipped_space_reads_its_kitchen_words(shared_data: Path) -> None:
    """On the frames it was fitted to, it is worse when they are taken away."""
    frames = image_text.load(shared_data, "youcook2_frames").part("train")
    model = VisualModel.load()
    pictures, features = model.images.cooking(frames.features()), model.means(frames.sentences)
    areas = []
    for kitchen in (model.kitchen(frames.sentences, model.means), np.zeros((len(frames), 100), np.float32)):
        scores = pictures @ model.sentences.cooking(np.concatenate([features, kitchen], axis=1)).T
        areas.append((np.diagonal(scores)[:, None] > scores).mean())
    assert areas[0] > areas[1]
