import numpy as np
import pytest

from saffa.core.alignment import DOUBTED, FOUND, Alignment
from saffa.core.document import Document
from saffa.core.video import Narration
from saffa.encoders.narrated.confidence import nearness, sentence_confidence, text_fit
from saffa.encoders.narrated.encoder import NarratedEncoder
from saffa.media.probe import probe
from saffa.media.subtitles.lines import find_narration
from saffa.sample import RECIPE, VIDEO

WORDS = np.eye(4, dtype=np.float32) * np.array([[1], [1], [2], [1]], np.float32)


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_words_that_are_said_are_near_and_others_are_far() -> None:
    assert nearness(WORDS, numbers(0, 1, 2, 3), [numbers(0, 1), numbers(2)]) == pytest.approx(1)
    assert nearness(WORDS, numbers(0), [numbers(1, 2)]) == pytest.approx(0)
    # Word 2 counts twice: a third of the sentence's weight is said.
    assert nearness(WORDS, numbers(0), [numbers(0, 2)]) == pytest.approx(1 / 3)


def test_nothing_said_or_written_is_no_fit() -> None:
    assert nearness(WORDS, numbers(), [numbers(0)]) == 0
    assert nearness(WORDS, numbers(0), [numbers()]) == 0


def test_blocks_of_words_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(40, 8)).astype(np.float32)
    sentences = [random.integers(0, 40, 9) for _ in range(5)]
    whole = nearness(vectors, numbers(*range(0, 40, 3)), sentences)
    monkeypatch.setattr("saffa.encoders.narrated.confidence.BLOCK", 4)
    assert nearness(vectors, numbers(*range(0, 40, 3)), sentences) == pytest.approx(whole, abs=1e-6)


def test_fit_rises_with_nearness_and_falls_with_talk() -> None:
    assert text_fit(0.9, 300) > text_fit(0.8, 300) > text_fit(0.8, 3000)


def test_confidence_is_the_best_three_seconds_times_the_fit() -> None:
    shown = np.zeros((20, 2), np.float32)
    shown[4:7, 0] = (0.6, 0.9, 0.6)
    shown[10, 1] = 0.9
    sure = sentence_confidence(shown, 1.0, [numbers(0), numbers(1, 2)], 0.5)
    np.testing.assert_allclose(sure, [0.35, 0.15, 0.15], rtol=1e-6)  # sentences 1 and 2 share a group


def test_the_sample_knows_its_own_text_and_doubts_others() -> None:
    video = probe(VIDEO)
    narration = find_narration(video, None)
    assert narration is not None
    own = encoded(narration, *RECIPE.read_text("utf-8").split("\n"))
    assert own.fit is not None and own.fit > DOUBTED
    assert own.confidence is not None and (own.confidence > FOUND).sum() >= 6
    for text in (("Loosen the wheel nuts.", "Jack up the car."), ("asdf qwer zxcv",), ("The debtor bears the proof.",)):
        other = encoded(narration, *text)
        assert other.fit is not None and other.fit < DOUBTED
        assert not other.found().any()


def encoded(narration: Narration, *text: str) -> Alignment:
    return NarratedEncoder().encode(probe(VIDEO), Document(tuple(line for line in text if line.strip())), narration)
