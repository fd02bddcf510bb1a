"""Narrations with replaced words: as many as asked for, the same in every run."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
from benchmarks.replaced_words import misheard

from saffa.core.document import Document
from saffa.core.video import Cue, Narration
from saffa.research.datasets.base import BenchmarkVideo


def videos() -> list[BenchmarkVideo]:
    first = BenchmarkVideo("a", 100, Fraction(10), Document(("Stir.",)), None, ())
    return [
        replace(first, id=name, narration=Narration((Cue(Fraction(1), Fraction(9), " ".join([name] * 500)),)))
        for name in ("a", "b")
    ]


def words(video: BenchmarkVideo) -> np.ndarray:
    assert video.narration is not None
    return np.array(video.narration.cues[0].text.split())


def test_a_share_of_the_words_is_replaced_and_the_rest_stays() -> None:
    heard = misheard(videos(), 0.3)
    assert [len(words(v)) for v in heard] == [500, 500]
    assert 0.1 < (words(heard[0]) == "b").mean() < 0.2  # half of the words drawn are its own
    assert [v.narration for v in misheard(videos(), 0.0)] == [v.narration for v in videos()]


def test_the_same_words_in_every_run_and_more_with_a_larger_share() -> None:
    few, again, many = (words(misheard(videos(), share)[0]) for share in (0.1, 0.1, 0.3))
    assert (few == again).all()
    assert set(np.flatnonzero(few == "b")) < set(np.flatnonzero(many == "b"))
