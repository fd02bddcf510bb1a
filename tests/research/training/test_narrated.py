"""Learning what clues are worth, on narrations whose steps are known."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Cue, Narration
from saffa.encoders.narrated.clues import CLUES
from saffa.encoders.narrated.learned import StepLengths, shipped_weights
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.training.narrated import STATE, Lesson, NarratedSettings, held, train_narrated

SAID = ("hello and welcome", "chop the onions now", "a story of my youth", "fry them in oil", "thanks and goodbye")
VIDEO = BenchmarkVideo(
    "one",
    1000,
    Fraction(10),
    Document(("Chop onions.", "Fry in hot oil.")),
    Narration(tuple(Cue(Fraction(20 * k), Fraction(20 * k + 20), text) for k, text in enumerate(SAID))),
    ((200, 400), (600, 800)),
)
QUICK = NarratedSettings(epochs=2, runs=2, share=1.0, batch=2)


def test_learning_finds_the_steps_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    lesson = Lesson.of(VIDEO, 2.0)
    before = lesson.gradient(np.zeros(CLUES), 0.0)[1]
    whole = train_narrated([VIDEO], tmp_path / "whole", QUICK)
    assert lesson.gradient(whole.clues.astype(np.float64), whole.constant)[1] < before
    begun = tmp_path / "begun"
    train_narrated([VIDEO], begun, QUICK)
    with np.load(begun / STATE) as state:
        first = {"weights": state["weights"][:1], "settings": state["settings"]}
    np.savez(begun / STATE, **first)  # as if it had been stopped after the first run
    with pytest.raises(InputError, match="--resume"):
        train_narrated([VIDEO], begun, QUICK)
    resumed = train_narrated([VIDEO], begun, QUICK, resume=True)
    np.testing.assert_array_equal(resumed.clues, whole.clues)
    with pytest.raises(InputError, match="other settings"):
        train_narrated([VIDEO], begun, replace(QUICK, seed=1), resume=True)


def test_held_to_the_truth_the_chain_shows_the_true_steps() -> None:
    times = (np.arange(100) + 0.5).astype(np.float32)
    hold = held(VIDEO, times, 2.0)
    shown, _ = StepLengths.over(100, 1.0, np.ones(2)).posterior(hold)
    assert shown[23:37, 0].min() > 0.99 and shown[63:77, 1].min() > 0.99
    assert shown[:17].max() < 0.01 and shown[43:57].max() < 0.01


def test_the_shipped_weights_fit_the_clues() -> None:
    assert shipped_weights().clues.shape == (CLUES,)
