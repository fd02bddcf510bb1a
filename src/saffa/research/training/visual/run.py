"""A training run of the visual model: read the sets, train the networks, fit the cooking space, write the folder.

A network that is finished is kept in the run's folder, so that an interrupted run goes on with the next one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from saffa.core.errors import InputError
from saffa.core.types import Floats, Share
from saffa.core.whole_file import whole_file
from saffa.encoders.visual.model import KIND, Side, VisualModel
from saffa.encoders.visual.sentences import KitchenWords, SentenceMeans
from saffa.research.datasets import image_text, youcook2
from saffa.research.datasets.image_text import COOKING, ImageText
from saffa.research.evaluation.image_text import score_model
from saffa.research.training.run import RunLog, open_board, write_arrays
from saffa.research.training.visual.cooking import CookingSettings, fit_cooking, fit_gate
from saffa.research.training.visual.kitchen_words import WordSettings, learn_words
from saffa.research.training.visual.training import (
    GeneralSettings,
    PictureSet,
    Scaling,
    TrainedHeads,
    sentence_means,
    train_network,
)
from saffa.research.training.word_vectors import read_words

Arrays = dict[str, NDArray[Any]]
SETTINGS, MODEL = "settings.json", "model"
GATE_ROWS = 6000
"""Pictures, or sentences, of each other set that the gate learns from."""


@dataclass(frozen=True)
class VisualSettings:
    """Settings of a whole run."""

    general: GeneralSettings = field(default_factory=GeneralSettings)
    cooking: CookingSettings = field(default_factory=CookingSettings)
    networks: int = 3
    seed: int = 123


@dataclass(frozen=True, eq=False)
class Sources:
    """The training parts of all sets, and what is common to all models made of them."""

    general: tuple[PictureSet, ...]
    cooking: PictureSet
    validation: tuple[ImageText, ...]
    means: SentenceMeans
    kitchen: KitchenWords
    scalings: tuple[Scaling, Scaling]

    @classmethod
    def read(cls, data: Path, words: Path, settings: WordSettings) -> Sources:
        """Read DIR/image_text, the recipes of DIR/youcook2 and a file of word vectors."""
        sets = [image_text.load(data, name) for name in image_text.NAMES]
        training = [pictures.part("train") for pictures in sets]
        vectors = read_words(words)
        table = {word: row for word, row in vectors.vocabulary.index.items() if row > 1}
        means = sentence_means([part.sentences for part in training], table, vectors.vectors)
        kitchen = learn_words(other_recipes(data, sets[image_text.NAMES.index(COOKING)]), settings)
        parts = {part.name: PictureSet.of(part, means, kitchen if part.name == COOKING else None) for part in training}
        cooking = parts.pop(COOKING)
        general = tuple(parts.values())
        scalings = (Scaling.of([p.images[0] for p in general]), Scaling.of([p.text for p in general]))
        validation = tuple(pictures.part("val") for pictures in sets)
        return cls(general, cooking, validation, means, kitchen, scalings)


def other_recipes(data: Path, frames: ImageText) -> list[tuple[str, ...]]:
    """Training recipes of YouCook2 without those whose frames are at hand: no fold has read its own sentences."""
    seen = {name.rpartition("_")[0] for name in frames.ids}
    return [video.sentences for video in youcook2.load(data) if video.subset == "training" and video.id not in seen]


def train_visual(
    data: Path,
    words: Path,
    output: Path,
    settings: VisualSettings,
    progress: Share = lambda _: None,
) -> dict[str, Any]:
    """Train or go on training in `output`, write `output`/model, and score it on the validation parts."""
    _check_settings(output, settings)
    sources = Sources.read(data, words, settings.cooking.words)
    networks = train_networks(sources, output, settings, progress)
    arrays = assemble(sources, networks, settings)
    facts = {"kind": KIND, "settings": asdict(settings)}
    folder = write_arrays(output / MODEL, arrays, vocabulary(sources), facts)
    model = VisualModel.load(folder.path)
    rows = {part.name: asdict(score_model(model, part)) for part in sources.validation}
    return {"model": str(folder.path), "dimensions": model.dimensions, "val": rows}


def train_networks(sources: Sources, output: Path, settings: VisualSettings, progress: Share) -> list[TrainedHeads]:
    """Read the networks that are in the folder already, train the others."""
    networks, epochs = [], settings.general.epochs
    for number in range(settings.networks):
        path = output / f"network-{number}.safetensors"
        if not path.is_file():
            first = number * epochs + 1
            with RunLog(output, first=first, board=open_board(output / "tensorboard", first)) as log:

                def note(epoch: int, loss: float, number: int = number, log: RunLog = log) -> None:
                    log.write({"epoch": number * epochs + epoch, "network": number, "loss": loss})
                    progress((number + epoch / epochs) / settings.networks)

                made = train_network(sources.general, sources.scalings, settings.general, settings.seed + number, note)
            both = {"image": made.image, "text": made.text}
            with whole_file(path) as part:
                save_file({f"{side}.{k}": v for side, own in both.items() for k, v in own.items()}, part)
        stored = load_file(path)
        networks.append(
            TrainedHeads(*({k[len(s) :]: v for k, v in stored.items() if k.startswith(s)} for s in ("image.", "text.")))
        )
    return networks


def assemble(sources: Sources, networks: Sequence[TrainedHeads], settings: VisualSettings) -> Arrays:
    """All weights by the names that `VisualModel` reads."""
    cooking = sources.cooking
    own_text = cooking.text[cooking.first]
    maps = fit_cooking(cooking.images, own_text, settings.cooking)
    random = np.random.default_rng(settings.seed)
    others = ([_some(p.images[0], random) for p in sources.general], [_some(p.text, random) for p in sources.general])
    arrays: Arrays = {}
    for place, side in enumerate(("image", "text")):
        scaling = sources.scalings[place]
        own = (cooking.images[0], own_text)[place][:, : len(scaling.mean)]  # without the kitchen words
        gate = fit_gate(scaling(own), scaling(np.concatenate(others[place])), settings.cooking.gate_decay)
        layers = [(network.image, network.text)[place] for network in networks]
        parts: Arrays = {
            "general.mean": scaling.mean,
            "general.scale": np.array([scaling.scale], np.float32),
            "general.first": np.stack([layer["first"] for layer in layers]).astype(np.float16),
            "general.second": np.stack([layer["second"] for layer in layers]).astype(np.float16),
            "general.first_bias": np.stack([layer["first_bias"] for layer in layers]),
            "general.second_bias": np.stack([layer["second_bias"] for layer in layers]),
            "cooking.mean": maps[place].mean,
            "cooking.scale": maps[place].scale,
            "cooking.map": maps[place].map,
            "gate.weight": gate[0],
            "gate.bias": gate[1],
            "gate.range": np.array(
                [settings.cooking.least if side == "image" else 0.0, settings.cooking.most], np.float32
            ),
        }
        seen = Side({name: array.astype(np.float32) for name, array in parts.items()}).general(own)
        parts["general.centre"] = seen.mean(0)
        arrays |= {f"{side}.{name}": array for name, array in parts.items()}
    arrays |= sources.means.arrays()[0]
    arrays["kitchen"] = sources.kitchen.vectors.astype(np.float16)
    return arrays


def vocabulary(sources: Sources) -> dict[str, list[str]]:
    """The words that belong to the rows of `glove`, `rarity` and `kitchen`."""
    return sources.means.arrays()[1] | {"kitchen": list(sources.kitchen.rows)}


def _check_settings(output: Path, settings: VisualSettings) -> None:
    """Networks in the folder must be of this run."""
    path, text = output / SETTINGS, json.dumps(asdict(settings) | {"cooking": None, "networks": None})
    if path.is_file() and path.read_text("utf-8") != text:
        raise InputError(f"{output} holds a run with other settings; name a new folder.")
    with whole_file(path) as part:
        part.write_text(text, "utf-8")


def _some(rows: Floats, random: np.random.Generator) -> Floats:
    return rows[random.choice(len(rows), min(GATE_ROWS, len(rows)), replace=False)]
