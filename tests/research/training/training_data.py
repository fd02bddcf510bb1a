"""A tiny captioned set on which an encoder learns in a second, and the paths to train on it."""

import json
from pathlib import Path

import numpy as np

from saffa.encoders.vdan.dimensions import Dimensions
from saffa.research.datasets.base import FeatureClips, load_clips
from saffa.research.training.vdan.training import VdanSettings
from saffa.research.training.word_vectors import WordVectors

NOUNS = ("water", "salt", "oil", "rice", "bread", "milk")
VERBS = ("boil", "stir", "pour", "cut", "wash")
WORDS = [*NOUNS, *VERBS, "the", "now"]
WIDTH = 6


def words() -> WordVectors:
    return WordVectors.of_words(WORDS, np.random.default_rng(1).normal(size=(len(WORDS), 5)))


def write_files(folder: Path, clips: int = 24, views: int = 4) -> tuple[Path, Path, Path]:
    """Features that depend on what the captions say: features.npz, captions.json, words.npz."""
    random = np.random.default_rng(0)
    table = dict(zip(WORDS, random.normal(size=(len(WORDS), WIDTH)), strict=True))
    captions, rows = {}, []
    for i in range(clips):
        noun, verb = NOUNS[i % len(NOUNS)], VERBS[i % len(VERBS)]
        captions[f"c{i}"] = {"captions": [f"{verb} the {noun}", f"Now {verb} {noun}", f"{verb} {noun} now"]}
        rows.append(table[noun] + table[verb] + 0.1 * random.normal(size=(views, WIDTH)))
    splits = ["val" if i % 4 == 3 else "train" for i in range(clips)]
    np.savez(folder / "features.npz", features=np.array(rows, "f4"), clip_ids=[*captions], split=splits)
    (folder / "captions.json").write_text(json.dumps(captions))
    vectors = words()
    np.savez(folder / "words.npz", words=WORDS, vectors=vectors.vectors[2:])
    return folder / "features.npz", folder / "captions.json", folder / "words.npz"


def clips_of(folder: Path, views: str = "one") -> tuple[FeatureClips, FeatureClips]:
    features, captions, _ = write_files(folder)
    return load_clips(features, captions, "train", views), load_clips(features, captions, "val", views)  # type: ignore[arg-type]


DIMS = Dimensions(
    vocabulary=len(WORDS) + 2,
    word=5,
    word_hidden=4,
    word_attention=8,
    sentence_hidden=WIDTH,
    sentence_attention=8,
    visual=WIDTH,
    projection=12,
    embedding=8,
)
QUICK = VdanSettings(epochs=3, batch=10, rate=3e-3, seed=5)
