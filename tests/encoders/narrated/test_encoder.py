"""The narrated encoder on narrations whose right answer is known."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Cue, Narration
from saffa.encoders.narrated.encoder import NarratedEncoder
from saffa.encoders.narrated.grid import Grid
from saffa.encoders.narrated.lexicon import LAG, SpokenWords, repeated, run_on, stem
from saffa.encoders.words import unit, word_vectors, words

RECIPE = (
    "chop the onions and the garlic",
    "fry them in olive oil",
    "add the tomatoes and simmer",
    "boil the spaghetti in salted water",
)
SAID = (
    (0, "hello everybody and welcome back to my channel it is so nice to see you"),
    (30, "so first we take some onions and cut them in small pieces and the garlic too"),
    (60, "my grandmother told me this story many years ago when we lived by the sea"),
    (90, "now heat a little olive oil in the pan and fry everything gently"),
    (120, "here come the tomatoes let it simmer for a while"),
    (150, "while that is cooking do not forget to subscribe and write a comment"),
    (180, "put plenty of salt in the boiling water and in goes the spaghetti"),
    (210, "thank you for watching and see you next week bye bye"),
)


@dataclass(frozen=True)
class Clip:
    frames: int
    rate: Fraction = Fraction(25)


def narration(*lines: tuple[float, str], seconds: float = 25) -> Narration:
    return Narration(tuple(Cue(Fraction(s), Fraction(s) + Fraction(seconds), text) for s, text in lines))


def align(said: Narration, document: tuple[str, ...] = RECIPE, seconds: int = 240) -> Alignment:
    return NarratedEncoder().encode(Clip(25 * seconds), Document(document), said)


def mean_relevance(found: Alignment, start: float, end: float) -> float:
    inside = (found.times >= start) & (found.times < end)
    return float(found.relevance[inside].mean())


def test_steps_stand_out_from_talk() -> None:
    found = align(narration(*SAID))
    steps = [mean_relevance(found, s + 3, s + 28) for s in (30, 90, 120, 180)]
    talk = [mean_relevance(found, s + 3, s + 28) for s in (0, 60, 150, 210)]
    assert min(steps) > max(talk[0], talk[3])
    assert np.mean(steps) > 1.4 * np.mean(talk)


def test_each_sentence_is_found_where_it_is_said() -> None:
    found = align(narration(*SAID))
    for sentence, start in enumerate((30, 90, 120, 180)):
        inside = (found.times >= start + 3) & (found.times < start + 25)
        assert found.sentence_weights[inside].mean(0).argmax() == sentence


def test_the_promises_of_an_alignment() -> None:
    found = align(narration(*SAID))
    np.testing.assert_allclose(np.linalg.norm(found.e_v, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(found.e_d, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(found.sentence_weights.sum(1), 1, atol=1e-5)
    assert found.e_v.shape == found.e_d.shape == (240, 256)
    assert found.encoder == "narrated"


def test_another_text_finds_other_parts() -> None:
    mine = align(narration(*SAID))
    other = align(narration(*SAID), ("she told an old family story", "they lived near the ocean"))
    assert mean_relevance(other, 62, 85) > 1.3 * mean_relevance(other, 32, 55)
    assert mean_relevance(mine, 62, 85) < mean_relevance(mine, 32, 55)


def test_silence_inside_a_step_is_bridged() -> None:
    gap = narration((30, "chop the onions"), (75, "keep chopping the onions and garlic"), (190, "bye"), seconds=5)
    found = align(gap, ("chop the onions and the garlic", "serve with bread"), 200)
    assert mean_relevance(found, 45, 70) > 2 * mean_relevance(found, 0, 15)


def test_rolling_captions_count_once() -> None:
    assert repeated(["a", "b", "c", "d"], ["b", "c", "d", "e"]) == 3
    assert repeated(["go", "on"], ["on", "and"]) == 0
    assert repeated(["go"], ["go", "on"]) == 1
    rolled = narration((0, "cut the red onions"), (2, "the red onions in very small"), (4, "in very small cubes"))
    assert SpokenWords.of(rolled.cues, 60).words == tuple(words("cut the red onions in very small cubes"))


def test_words_of_recognisers() -> None:
    assert words("I 'm sure we DO n't need 2 eggs!") == ["i'm", "sure", "we", "don't", "need", "eggs"]
    assert words("crème brûlée – мука") == ["crème", "brûlée", "мука"]


def test_vectors_know_which_words_belong_together() -> None:
    cook, pan, story = unit(word_vectors(("cook", "pan", "story")))
    assert cook @ pan > cook @ story + 0.2


@pytest.mark.parametrize("said", [None, Narration(())])
def test_no_narration_is_refused(said: Narration | None) -> None:
    with pytest.raises(InputError, match="--subtitles"):
        NarratedEncoder().encode(Clip(1000), Document(RECIPE), said)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (("12 34 --",), narration((0, "hello"))),
        (("stir",), narration((0, "12 34"))),
        (("stir", "!!!", "serve"), narration((0, "stir it now"), (60, "serve"))),
        (tuple(f"do thing number {i} with the spoon" for i in range(3000)), narration(*SAID)),
    ],
)
def test_odd_texts_still_align(document: tuple[str, ...], said: Narration) -> None:
    found = align(said, document)
    assert np.isfinite(found.relevance).all()
    np.testing.assert_allclose(found.sentence_weights.sum(1), 1, atol=1e-4)


@settings(deadline=None, max_examples=25)
@given(
    st.integers(1, 20_000),
    st.lists(st.tuples(st.floats(0, 900), st.floats(0, 60), st.text(max_size=30)), min_size=1, max_size=20),
    st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=12),
)
def test_any_cues_and_any_text_give_finite_numbers(
    frames: int, lines: list[tuple[float, float, str]], sentences: list[str]
) -> None:
    cues = tuple(Cue(Fraction(s), Fraction(s) + Fraction(d), text) for s, d, text in lines)
    found = NarratedEncoder().encode(Clip(frames), Document(tuple(sentences)), Narration(cues))
    assert np.isfinite(found.relevance).all()
    assert np.isfinite(found.e_d).all()
    assert np.all(np.diff(found.times) > 0)


def test_six_hours_with_many_sentences_stay_on_a_bounded_grid() -> None:
    rng = np.random.default_rng(0)
    talk = words("so we take the next piece and put it here and then we look at it again")
    said = narration(*((s, " ".join(rng.permutation(talk))) for s in range(0, 21_600, 6)), seconds=5)
    document = tuple(f"mount part {i} with screw {i}" for i in range(2000))
    found = NarratedEncoder().encode(Clip(25 * 21_600), Document(document), said)
    assert len(found.times) <= 3600
    assert found.sentence_weights.shape[1] == 2000


def test_words_on_the_screen_are_there_from_the_start_and_take_no_part_in_rolling_captions() -> None:
    said = [Cue(Fraction(0), Fraction(4), "now we boil water"), Cue(Fraction(4), Fraction(8), "we boil water in a pot")]
    shown = Cue(Fraction(2), Fraction(10), "boil water", kind="shown")
    alone = SpokenWords.of(said, 20)
    both = SpokenWords.of([said[0], shown, said[1]], 20)
    assert both.words == (*alone.words, "boil", "water")
    assert list(both.times[: len(alone.times)]) == list(alone.times)
    assert all(2 - LAG <= time < 10 - LAG for time in both.times[-2:])


def test_lines_that_were_cut_run_on_and_others_stay() -> None:
    def lines(*ends: tuple[int, int]) -> list[Cue]:
        return [Cue(Fraction(a), Fraction(b), "stir") for a, b in ends]

    cut = lines((0, 15), (40, 45), (45, 60), (70, 75))
    assert [c.end for c in run_on(cut, 90)] == [40, 45, 70, 75]
    real = lines((0, 15), (40, 45), (50, 65), (70, 75))  # silence after a short line: nobody cut these
    assert run_on(real, 90) == real
    assert run_on(lines((0, 15)), 90) == lines((0, 15))
    slide = Cue(Fraction(0), Fraction(12), "a slide", kind="shown")
    assert run_on([slide], 90) == [slide]  # nothing is said


def test_stems() -> None:
    assert {stem(w) for w in ("chop", "chops", "chopped", "chopping")} == {"chop"}
    assert stem("slices") == stem("slicing") == stem("slice")


def test_a_very_long_text_has_longer_cells() -> None:
    """Weights of 10,000 sentences in every second of hours would take all memory."""
    assert Grid.of(6 * 3600, 10_000).cells * 10_000 <= 12_000_000
    assert Grid.of(6 * 3600, 3_000).cells == 3600
