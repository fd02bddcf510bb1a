"""Lines as a recogniser gives them become cues: misheard clicks go, words get times, long lines are cut."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from saffa.core.document import Document
from saffa.core.types import Floats
from saffa.core.video import Cue, Extent, Narration, Word
from saffa.encoders.narrated.encoder import NarratedEncoder
from saffa.encoders.narrated.lexicon import SpokenWords
from saffa.media.probe import probe
from saffa.speech.backend import HeardLine
from saffa.speech.transcript import timed_words, transcribe
from tests.speech.sounds import RATE, film


@dataclass(frozen=True)
class Scripted:
    """Says the same lines for every stretch, and remembers how much it was given."""

    lines: tuple[HeardLine, ...]
    given: list[int]
    name: str = "scripted"

    def hear(self, samples: Floats) -> Sequence[HeardLine]:
        self.given.append(len(samples))
        return self.lines


def heard(tmp_path: Path, *lines: HeardLine, seconds: int = 10) -> list[Cue]:
    time = np.arange(seconds * RATE) / RATE
    tone = (0.3 * np.sin(2 * np.pi * 300 * time)).astype(np.float32)
    return transcribe(probe(film(tmp_path / "tone.mp4", tone)), Scripted(lines, []))


def test_clicks_and_babble_are_no_lines(tmp_path: Path) -> None:
    lines = (
        HeardLine(0.0, 0.16, "You"),
        HeardLine(0.0, 2.0, " "),
        HeardLine(0.0, 1.0, "no no no no no no no no no no no no"),
        HeardLine(1.0, 3.0, "Boil the water."),
    )
    assert [cue.text for cue in heard(tmp_path, *lines)] == ["Boil the water."]


def test_an_echo_of_the_last_words_is_no_line(tmp_path: Path) -> None:
    lines = (HeardLine(1.0, 3.0, "What to do for them."), HeardLine(2.8, 3.4, "for them."), HeardLine(4, 5, "Stir it."))
    assert [cue.text for cue in heard(tmp_path, *lines)] == ["What to do for them.", "Stir it."]


def test_hours_of_a_film_give_together_what_the_whole_gives(tmp_path: Path) -> None:
    time = np.arange(130 * RATE) / RATE
    video = probe(film(tmp_path / "tone.mp4", (0.3 * np.sin(2 * np.pi * 300 * time)).astype(np.float32)))
    listener = Scripted((HeardLine(1.0, 3.0, "Boil the water."),), [])
    parts = [transcribe(video, listener, within=within) for within in ((0.0, 50.0), (50.0, 90.0), (90.0, float("inf")))]
    assert all(parts)
    assert [cue for part in parts for cue in part] == transcribe(video, listener)


def test_later_stretches_are_placed_later(tmp_path: Path) -> None:
    cues = heard(tmp_path, HeardLine(1.0, 3.0, "Boil the water."), seconds=70)
    assert len(cues) >= 2
    assert float(cues[0].start) == pytest.approx(1.0, abs=0.05)
    assert all(later.start - cues[0].start >= 20 for later in cues[1:])
    assert all(cue.words[0].start == pytest.approx(float(cue.start), abs=0.01) for cue in cues)


def test_two_sentences_are_two_cues_and_a_long_one_is_cut(tmp_path: Path) -> None:
    long = "Go on " + " ".join(["stirring"] * 16) + "."
    cues = heard(tmp_path, HeardLine(0.5, 9.5, f"Boil the water. {long}"))
    assert [cue.text for cue in cues[:1]] == ["Boil the water."]
    assert " ".join(cue.text for cue in cues[1:]) == long
    assert all(len(cue.text) <= 84 for cue in cues)
    assert all(a.end <= b.start + 0.02 for a, b in pairwise(cues))


def test_words_are_not_said_in_pauses() -> None:
    voiced = np.zeros(500, np.float32)
    voiced[50:100], voiced[300:350] = 1, 1  # 1 to 2 s and 6 to 7 s
    words = timed_words("grind beans", 0.5, 7.5, voiced)
    assert [word.text for word in words] == ["grind", "beans"]
    assert (words[0].start, words[0].end) == pytest.approx((1.0, 2.0), abs=0.05)
    assert (words[1].start, words[1].end) == pytest.approx((6.0, 7.0), abs=0.05)


def test_words_of_a_recogniser_keep_their_own_times(tmp_path: Path) -> None:
    """A long line with pauses, as faster-whisper gives it: nothing is spread, whatever cues it is cut into."""
    said = [(1.0, 1.4, "Boil"), (1.4, 1.8, "water."), (11.0, 11.5, "Grind"), (17.0, 17.5, "beans.")]
    own = tuple(Word(*word) for word in said)
    cues = heard(tmp_path, HeardLine(1.0, 17.5, "Boil water. Grind beans.", own), seconds=20)
    assert [cue.text for cue in cues] == ["Boil water.", "Grind beans."]
    assert [(w.start, w.end, w.text) for cue in cues for w in cue.words] == said
    assert SpokenWords.of(cues, 20.0).times.tolist() == pytest.approx([1.2, 1.6, 11.25, 17.25])


def test_languages_without_spaces_lose_no_word(tmp_path: Path) -> None:
    own = (Word(1, 2, "お湯を"), Word(2, 3, "沸かす。"), Word(5, 6, "豆を"), Word(6, 7, "挽く。"))
    cues = heard(tmp_path, HeardLine(1.0, 7.0, "お湯を沸かす。豆を挽く。", own))
    assert "".join(cue.text for cue in cues) == "お湯を沸かす。豆を挽く。"
    assert [word for cue in cues for word in cue.words] == list(own)


@pytest.mark.parametrize("at", [40, 110, 180])
def test_a_step_is_where_its_words_are_said(at: int) -> None:
    """In one line of three minutes; spread evenly over it, the same words would put the step at two minutes."""
    said = "hello my friends and welcome back grind the coffee beans it is so nice to see you here today"
    text = said.split()
    times = [*np.linspace(20, 22, 6), *np.linspace(at, at + 1.5, 4), *np.linspace(200, 202, len(text) - 10)]
    words = tuple(Word(start, start + 0.3, word) for start, word in zip(times, text, strict=True))
    lines = Narration((Cue(Fraction(20), Fraction(203), said, words),))
    found = NarratedEncoder().encode(Extent(240 * 25, Fraction(25)), Document(("Grind the coffee beans.",)), lines)
    assert float(found.times[found.relevance.argmax()]) == pytest.approx(at + 1, abs=4)


def test_times_of_words_enter_the_alignment() -> None:
    words = (Word(1.0, 1.2, "grind"), Word(8.8, 9.0, "beans"))
    timed = SpokenWords.of([Cue(Fraction(0), Fraction(10), "grind beans", words)], 10.0)
    spread = SpokenWords.of([Cue(Fraction(0), Fraction(10), "grind beans")], 10.0)
    assert timed.words == spread.words == ("grind", "beans")
    assert timed.times.tolist() == pytest.approx([1.1, 8.9])
    assert spread.times.tolist() == pytest.approx([2.5, 7.5])
