"""Made pictures with captions: features are noisy sums of directions that belong to the words of the captions."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

THINGS = [
    "dog",
    "cat",
    "horse",
    "car",
    "bus",
    "train",
    "boat",
    "bird",
    "sheep",
    "cow",
    "pizza",
    "apple",
    "bread",
    "onion",
]
DOINGS = ["cut", "fry", "boil", "mix", "bake", "pour", "run", "sit", "jump", "swim", "stand", "sleep"]
WIDTH = 64


def write_set(
    folder: Path,
    name: str,
    stored: NDArray[Any],
    ids: Sequence[str],
    splits: Sequence[str],
    captions: dict[str, list[str]] | None = None,
) -> None:
    """DIR/image_text/NAME.npz and NAME_captions.json with the scale .5."""
    target = folder / "image_text"
    target.mkdir(exist_ok=True)
    scale = np.full(stored.shape[-1], 0.5, np.float32)
    np.savez(target / f"{name}.npz", features=stored, scale=scale, ids=np.array(ids), split=np.array(splits))
    captions = captions or {name: [f"{name} one", f"{name} two"] for name in ids}
    (target / f"{name}_captions.json").write_text(json.dumps(captions), "utf-8")


def write_made_sets(folder: Path, size: int = 240) -> Path:
    """All three sets, and recipes and word vectors beside them; the path of the vectors."""
    random = np.random.default_rng(5)
    directions = {word: random.normal(size=WIDTH) for word in (*THINGS, *DOINGS)}
    for name, count, shift in (("coco", size, 0.0), ("flickr8k", size, 0.5), ("youcook2_frames", size, 3.0)):
        ids, captions, features = [], {}, []
        for number in range(count):
            thing, doing = random.choice(THINGS), random.choice(DOINGS)
            own = f"v{number // 3:03d}_{number % 3:02d}"
            ids.append(own)
            sentence = f"{doing} the {thing}" if shift > 1 else f"a {thing} can {doing} here"
            captions[own] = [sentence] if shift > 1 else [sentence, f"the {thing} will {doing}"]
            features.append(2 * (directions[thing] + directions[doing]) + shift + 8)
        stored = np.array(features)[:, None] + random.normal(size=(count, 2, WIDTH))
        splits = np.where(np.arange(count) < count * 3 // 4, "train", "val")
        if shift < 1:
            splits[-count // 8 :] = "test"
        write_set(folder, name, stored, ids, splits.tolist(), captions)
    _write_recipes(folder, random)
    words = folder / "words.npz"
    names = ["the", "an", *directions]
    np.savez(words, words=np.array(names), vectors=random.normal(size=(len(names), 8)).astype(np.float16))
    return words


def _write_recipes(folder: Path, random: np.random.Generator) -> None:
    """DIR/youcook2/youcook2.json: 20 recipes, none of them of a video with pictures."""
    videos = {}
    for number in range(20):
        steps = [f"{random.choice(DOINGS)} the {random.choice(THINGS)}" for _ in range(3)]
        videos[f"recipe{number}"] = {
            "subset": "training",
            "recipe_type": "1",
            "recipe_name": "made",
            "duration": 30.0,
            "frames": 900,
            "fps": 30.0,
            "segments": [[0.0, 9.0], [10.0, 19.0], [20.0, 29.0]],
            "sentences": steps,
        }
    (folder / "youcook2").mkdir(exist_ok=True)
    (folder / "youcook2" / "youcook2.json").write_text(json.dumps({"videos": videos}), "utf-8")
