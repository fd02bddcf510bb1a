"""Fit what VDAN is told about pictures and words: the features' statistics, and the cooking domain in closed form.

The cooking map is the visual encoder's (`fit_cooking`): about a thousand pairs with 1280 numbers a picture allow no
more than a strongly regularised linear map. On the frames that it was fitted on it looks far better than it is, and a
network that learns from them would trust it too much. So the training frames are mapped by maps that have not seen
their videos, each brought into the coordinates of the whole one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from saffa.core.types import Floats, Ints
from saffa.encoders.vdan.picture_space import Domain, PictureSpace, sentence_words
from saffa.encoders.visual.sentences import KitchenWords
from saffa.encoders.words import word_vectors
from saffa.research.datasets.image_text import COOKING, ImageText
from saffa.research.training.visual.cooking import CookingMap, CookingSettings, fit_cooking, fit_gate
from saffa.research.training.visual.kitchen_words import learn_words

FOLDS = 5
FLOOR = 0.1
"""Added to each feature's deviation, in units of all features' deviation: near-constant features stay small."""
GATE_ROWS = 6000
"""Pictures of each other set that the gate learns from."""
PICTURE_SIZE, WORD_SIZE = 1.0, 0.5
"""Root mean square of the domain's coordinates of its own pictures, and of the means of a sentence's words."""


@dataclass(frozen=True, eq=False)
class FittedSpace:
    """The space, and φ(v) (crops, n, width) of the domain's training frames by maps that have not seen their videos."""

    space: PictureSpace
    held_out: Floats | None = None


def fit_space(
    sets: Sequence[ImageText], recipes: Sequence[Sequence[str]], settings: CookingSettings, seed: int
) -> FittedSpace:
    """Fit the space to the training parts of sets; the words of cooking frames come from `recipes`."""
    general = [part for part in sets if part.name != COOKING] or list(sets)
    space = standardising(general)
    cooking = next((part for part in sets if part.name == COOKING), None)
    if cooking is None or not recipes or len(general) == len(sets):
        return FittedSpace(space)
    return _with_cooking(space, general, cooking, learn_words(recipes, settings.words), settings, seed)


def standardising(sets: Sequence[ImageText]) -> PictureSpace:
    """Mean and deviation of whole pictures over all sets."""
    rows = sum(len(part) for part in sets)
    mean = sum(part.features().sum(0, dtype=np.float64) for part in sets) / rows
    square = sum(np.square(part.features() - mean).sum(0, dtype=np.float64) for part in sets) / rows
    scale = np.sqrt(square) + FLOOR * np.sqrt(square.mean()) + 1e-9
    return PictureSpace(mean.astype(np.float32), scale.astype(np.float32))


def _with_cooking(
    space: PictureSpace,
    general: Sequence[ImageText],
    cooking: ImageText,
    kitchen: KitchenWords,
    settings: CookingSettings,
    seed: int,
) -> FittedSpace:
    random = np.random.default_rng(seed)
    standard = space(cooking.features())
    others = [space(part.features(rows=_some(len(part), random))) for part in general]
    weight, bias = fit_gate(standard, np.concatenate(others), settings.gate_decay)
    images = np.stack([cooking.features(crop) for crop in range(cooking.crops)])
    text, levels = sentence_features([own[0] for own in cooking.captions], kitchen)
    picture, sentence = fit_cooking(images, text, settings)
    arrays = {"gate_weight": weight, "gate_bias": bias, "centre": standard.mean(0)}
    arrays |= {"image_mean": picture.mean, "image_scale": picture.scale, "word_vectors": kitchen.vectors}
    sizes = [_size(_mapped(images[0], picture)), _size(_mapped(text, sentence))]
    arrays |= {"image_map": picture.map * (PICTURE_SIZE / sizes[0])}
    arrays |= {"word_map": (sentence.map / levels[:, None]) * (WORD_SIZE / sizes[1])}
    whole = replace(space, domain=Domain(arrays, kitchen.rows))
    videos = cooking.videos
    fold = random.permutation(int(videos.max()) + 1)[videos] % FOLDS
    held_out = np.zeros((cooking.crops, len(cooking), whole.width), np.float32)
    for number in range(FOLDS):
        seen, new = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        if len(new):
            own = aligned(*fit_cooking(images[:, seen], text[seen], settings), sentence)
            changed = {"image_mean": own.mean, "image_scale": own.scale}
            changed |= {"image_map": own.map * (PICTURE_SIZE / sizes[0])}
            other = replace(space, domain=Domain(arrays | changed, kitchen.rows))
            for crop in range(cooking.crops):
                held_out[crop, new] = other(images[crop, new])
    return FittedSpace(whole, held_out)


def aligned(picture: CookingMap, sentence: CookingMap, target: CookingMap) -> CookingMap:
    """A fold's map of pictures in the coordinates of another fit, whose map of sentences is `target`.

    With W = U S Vᵀ the sides are U√S and V√S; a fold's W' has the coordinates W' V S^(-1/2) there.
    """
    singular = np.square(target.map).sum(0)
    basis = target.map / np.maximum(singular, 1e-12)
    return CookingMap(picture.mean, picture.scale, np.asarray(picture.map @ (sentence.map.T @ basis), np.float32))


def sentence_features(sentences: Sequence[str], kitchen: KitchenWords) -> tuple[Floats, Floats]:
    """Mean word vectors (n, 256 + c), WordLlama's and the kitchen's, each part of size 1; and the two sizes, (256 + c).

    Linear in the words, so that a map of sentences is a map of words.
    """
    listed = [sentence_words(sentence) for sentence in sentences]
    vocabulary = sorted({word for own in listed for word in own})
    place = {word: number for number, word in enumerate(vocabulary)}
    general = word_vectors(vocabulary)
    own = np.zeros((len(vocabulary), kitchen.vectors.shape[1]), np.float32)
    for word, number in place.items():
        if word in kitchen.rows:
            own[number] = kitchen.vectors[kitchen.rows[word]]
    both = np.concatenate([general, own], axis=1)
    means = np.stack([both[[place[w] for w in words] or [0]].mean(0) for words in listed])
    levels = np.ones(both.shape[1], np.float32)
    for part in (slice(0, general.shape[1]), slice(general.shape[1], None)):
        levels[part] = np.sqrt(np.square(means[:, part]).sum(1).mean()) + 1e-9
    return np.asarray(means / levels, np.float32), levels


def _mapped(features: Floats, side: CookingMap) -> Floats:
    return np.asarray((features - side.mean) / side.scale @ side.map, np.float32)


def _size(rows: Floats) -> float:
    return float(np.sqrt(np.square(rows).mean()) + 1e-9)


def _some(count: int, random: np.random.Generator) -> Ints:
    return random.choice(count, min(GATE_ROWS, count), replace=False)
