"""Learning what clues are worth, on narrations whose steps are known."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.core.video import Cue, Narration
from saffa.encoders.narrated.clues import CLUES
from saffa.encoders.narrated.learned import StepLengths, shipped_weights
from saffa.encoders.narrated.passages import numbers_of, piece_tokenizer
from saffa.encoders.words import unit
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.training.narrated import (
    STATE,
    Course,
    Lesson,
    NarratedSettings,
    Networks,
    Remembering,
    held,
    train_narrated,
)
from saffa.storage.models import ModelFolder, shipped

SAID = ("hello and welcome", "chop the onions now", "a story of my youth", "fry them in oil", "thanks and goodbye")
VIDEO = BenchmarkVideo(
    "one",
    1000,
    Fraction(10),
    Document(("Chop onions.", "Fry in hot oil.")),
    Narration(tuple(Cue(Fraction(20 * k), Fraction(20 * k + 20), text) for k, text in enumerate(SAID))),
    ((200, 400), (600, 800)),
)
PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "chop", "the", "onion", "##s", "fry", "in", "oil", "story")


class SharedPieces:
    """A reader to which texts are near if they share pieces of words; it counts how many rows it was given."""

    read = 0

    def numbers(self, texts: Sequence[str]) -> list[list[int]]:
        return numbers_of(piece_tokenizer(PIECES), texts)

    def vectors(self, rows: Sequence[Sequence[int]]) -> Floats:
        self.read += len(rows)
        counts = np.array([np.bincount(row, minlength=len(PIECES)) for row in rows], np.float32)
        return unit(counts.reshape(len(rows), len(PIECES)))


NETWORKS = Networks((SharedPieces(),), ModelFolder.open(shipped("narrated")))
QUICK = NarratedSettings(epochs=2, runs=2, share=1.0, batch=2)


def test_learning_finds_the_steps_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    lesson = Lesson.of(VIDEO, 2.0, SharedPieces())
    before = lesson.gradient(np.zeros(CLUES), 0.0)[1]
    whole = train_narrated([VIDEO], tmp_path / "whole", NETWORKS, QUICK)
    assert lesson.gradient(whole.clues.astype(np.float64), whole.constant)[1] < before
    begun = tmp_path / "begun"
    train_narrated([VIDEO], begun, NETWORKS, QUICK)
    with np.load(begun / STATE) as state:
        first = {"weights": state["weights"][:1], "settings": state["settings"]}
    np.savez(begun / STATE, **first)  # as if it had been stopped after the first run
    with pytest.raises(InputError, match="--resume"):
        train_narrated([VIDEO], begun, NETWORKS, QUICK)
    resumed = train_narrated([VIDEO], begun, NETWORKS, QUICK, resume=True)
    np.testing.assert_array_equal(resumed.clues, whole.clues)
    with pytest.raises(InputError, match="other settings"):
        train_narrated([VIDEO], begun, NETWORKS, replace(QUICK, seed=1), resume=True)


def test_a_passage_is_read_once_for_all_texts_of_its_video() -> None:
    plain, reader = SharedPieces(), SharedPieces()
    remembering = Remembering(reader)
    for rows in ([[2, 4, 3], [2, 5, 3]], [[2, 5, 3], [2, 6, 3], [2, 4, 3]]):
        np.testing.assert_array_equal(remembering.vectors(rows), plain.vectors(rows))
    assert reader.read == 3 and plain.read == 5


def test_videos_are_read_by_networks_in_turn() -> None:
    readers = SharedPieces(), SharedPieces()
    Course.of([VIDEO, VIDEO, VIDEO], 2.0, lambda _: None, readers)
    assert readers[0].read == 2 * readers[1].read > 0


def test_held_to_the_truth_the_chain_shows_the_true_steps() -> None:
    times = (np.arange(100) + 0.5).astype(np.float32)
    hold = held(VIDEO, times, 2.0)
    shown, _ = StepLengths.over(100, 1.0, np.ones(2)).posterior(hold)
    assert shown[23:37, 0].min() > 0.99 and shown[63:77, 1].min() > 0.99
    assert shown[:17].max() < 0.01 and shown[43:57].max() < 0.01


def test_the_shipped_weights_fit_the_clues() -> None:
    assert shipped_weights().clues.shape == (CLUES,)
