"""Corrections as values: what people write, what is refused, how they are told again, and their form in files."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from saffa.core import corrections as module
from saffa.core.corrections import (
    HEAVIEST,
    LONGEST,
    MOST_CORRECTIONS,
    Correction,
    Cut,
    Found,
    Here,
    Keep,
    Only,
    Range,
    Skip,
    Weight,
)
from saffa.core.errors import InputError

EARLY = Range(Fraction(5), Fraction(13, 2))
EACH: list[tuple[Correction, str, dict[str, Any]]] = [
    (Keep(EARLY), "--keep 0:05.0-0:06.5", {"kind": "keep", "start": "5", "end": "13/2", "speed": "1"}),
    (Keep(Found(2), 1.5), "--keep step:3@1.5", {"kind": "keep", "step": 2, "speed": "3/2"}),
    (Skip(EARLY), "--skip 0:05.0-0:06.5", {"kind": "skip", "start": "5", "end": "13/2"}),
    (Skip("step:1"), "--skip step:1", {"kind": "skip", "step": 0}),
    (Cut((0, 90)), "--cut 0:00.0-1:30.0", {"kind": "cut", "start": "0", "end": "90"}),
    (Weight(3, 2), "--weight 3=2", {"kind": "weight", "sentence": 2, "weight": "2"}),
    (Weight(1, 0), "--weight 1=0", {"kind": "weight", "sentence": 0, "weight": "0"}),
    (Here(2, EARLY), "--here 2=0:05.0-0:06.5", {"kind": "here", "sentence": 1, "start": "5", "end": "13/2"}),
    (Only((4, 2, 4)), "--only 2,4", {"kind": "only", "sentences": [1, 3]}),
]


@pytest.mark.parametrize(("correction", "words", "data"), EACH)
def test_told_written_and_read_back(correction: Correction, words: str, data: dict[str, Any]) -> None:
    assert module.describe(correction) == words
    assert module.to_json(correction) == data
    assert module.from_json(data) == correction


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("10:40-11:15", Range(Fraction(640), Fraction(675))),
        (" 0-1.5 ", Range(Fraction(0), Fraction(3, 2))),
        ("STEP:3", Found(2)),
        ("step:1", Found(0)),
        ((1, "0:02"), Range(Fraction(1), Fraction(2))),
        ((0, LONGEST), Range(Fraction(0), Fraction(LONGEST))),
    ],
)
def test_places(text: module.AnyPlace, place: module.Place) -> None:
    assert module.place_of(text) == place
    assert module.place_of(place) is place


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10:40", "Cannot read the range '10:40'"),
        ("0:05-0:05", "0:05-0:05 has no length"),
        ("0:05-0:04", "has no length"),
        ((-1, 4), "-1-4 has no length"),
        ((0, LONGEST + 1), "has no length"),
        ((0, float("nan")), "A range is two times in seconds"),
        ((float("inf"), 1), "A range is two times in seconds"),
        ((0, True), "A range is two times in seconds"),
        ((None, 1), "A range is two times in seconds"),
        ("step:0", "sentences are numbered from 1"),
        ("step:", "sentences are numbered from 1"),
        ("step:-1", "sentences are numbered from 1"),
        ("step:²", "sentences are numbered from 1"),
        ("step:٣", "sentences are numbered from 1"),
        ("step:1234567", "sentences are numbered from 1"),
    ],
)
def test_no_places(text: module.AnyPlace, words: str) -> None:
    with pytest.raises(InputError) as refused:
        Cut(text)
    assert words in str(refused.value)


def test_six_digits_are_a_sentence() -> None:
    assert module.place_of("step:123456") == Found(123_455)


@pytest.mark.parametrize(
    ("read", "text", "found"),
    [
        (module.read_keep, "0:05-0:06.5", Keep(EARLY, 1)),
        (module.read_keep, "step:3@1.5x", Keep(Found(2), Fraction(3, 2))),
        (module.read_keep, "step:3@ 2× ", Keep(Found(2), 2)),
        (module.read_weight, " 3 =0.25", Weight(3, Fraction(1, 4))),
        (module.read_weight, f"1={HEAVIEST}", Weight(1, HEAVIEST)),
        (module.read_here, "2=0:05-0:06.5", Here(2, EARLY)),
        (module.read_only, "2, 4-6", Only((2, 4, 5, 6))),
        (module.read_only, "3-3", Only((3,))),
        (module.read_only, f"1-{MOST_CORRECTIONS + 1}", Only(tuple(range(1, MOST_CORRECTIONS + 2)))),
    ],
)
def test_what_people_write(read: Callable[[str], Correction], text: str, found: Correction) -> None:
    assert read(text) == found


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (module.read_keep, "step:1@", "--keep step:1@: nothing is not a number"),
        (module.read_keep, "step:1@fast", "fast is not a number"),
        (module.read_keep, "step:1@0.5", "the speed must be a number of 1 or more"),
        (module.read_keep, f"step:1@{LONGEST + 1}", "is not a number"),
        (module.read_weight, "3", "--weight 3: write it like 3=2"),
        (module.read_weight, "0=2", "sentences are numbered from 1"),
        (module.read_weight, f"1={HEAVIEST}.5", "write it like 3=2, with 0 to 1000"),
        (module.read_weight, "1=-1", "-1 is not a number"),
        (module.read_here, "3", "--here 3: write it like 3=10:40-11:15"),
        (module.read_here, "3=step:2", "--here 3=step:2: write it like"),
        (module.read_only, "", "sentences are numbered from 1"),
        (module.read_only, "6-4", "--only 6-4: 6-4 runs backwards"),
        (module.read_only, f"1-{MOST_CORRECTIONS + 2}", "at most 10000 sentences"),
    ],
)
def test_what_is_refused(read: Callable[[str], Correction], text: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        read(text)
    assert words in str(refused.value)


@dataclass(frozen=True)
class _Made:
    """A correction made in Python, not read from text."""

    make: Callable[[], Correction]
    words: str


@pytest.mark.parametrize(
    "made",
    [
        _Made(lambda: Keep("step:1", 0.99), "the speed must be a number of 1 or more"),
        _Made(lambda: Keep("step:1", LONGEST + 1), "the speed must be"),
        _Made(lambda: Keep("step:1", float("nan")), "the speed must be"),
        _Made(lambda: Keep("step:1", True), "the speed must be"),
        _Made(lambda: Weight(0, 1), "--weight 0=1: write it like"),
        _Made(lambda: Weight(1, -0.5), "--weight 1=-0.5"),
        _Made(lambda: Weight(1, float("inf")), "--weight 1=inf"),
        _Made(lambda: Here(0, EARLY), "--here 0="),
        _Made(lambda: Only(()), "--only needs the numbers of sentences"),
        _Made(lambda: Only((0, 2)), "--only needs the numbers of sentences"),
    ],
    ids=lambda made: made.words,
)
def test_the_same_limits_hold_in_python(made: _Made) -> None:
    with pytest.raises(InputError) as refused:
        made.make()
    assert made.words in str(refused.value)


def test_the_limits_themselves_are_allowed() -> None:
    assert Keep("step:1", LONGEST).speed == LONGEST
    assert Keep("step:1", "0:02").speed == 2  # type: ignore[arg-type]  # a time is a number of seconds
    assert Weight(1, HEAVIEST).weight == HEAVIEST


def test_sentences_that_only_leaves() -> None:
    assert module.chosen_sentences([Cut("step:1")], 3) is None
    assert module.chosen_sentences([Only((3,)), Only((1, 3))], 3) == (0, 2)
    with pytest.raises(InputError, match="--only names sentence 4, but the text has 3"):
        module.chosen_sentences([Only((1, 4))], 3)


def test_new_numbers_for_a_narrower_text() -> None:
    placed: list[Correction] = [Keep("step:4", 2), Skip("step:2"), Cut("step:4"), Cut(EARLY)]
    given = [Only((2, 4)), Weight(4, 3), Here(2, EARLY), *placed]
    left = (Weight(2, 3), Here(1, EARLY), Keep("step:2", 2), Skip("step:1"), Cut("step:2"), Cut(EARLY))
    assert module.renumbered(given, (1, 3)) == left
    lost: tuple[Correction, ...] = (Weight(3, 1), Here(3, EARLY), Keep("step:3"))
    for gone in lost:
        with pytest.raises(InputError, match="sentence 3 is not among those of --only"):
            module.renumbered([gone], (1, 3))


def test_sentences_that_the_text_does_not_have() -> None:
    module.check_sentences([Weight(2, 1), Here(2, EARLY), Keep("step:2"), Cut(EARLY), Only((9,))], 2)
    with pytest.raises(InputError, match=r"--weight 3=1: there is no sentence 3; the text has 2 sentences\."):
        module.check_sentences([Weight(3, 1)], 2)
    with pytest.raises(InputError, match=r"--cut step:2: there is no sentence 2; the text has 1 sentence\."):
        module.check_sentences([Cut("step:2")], 1)


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "stretch"},
        {"kind": "weight", "sentence": -1, "weight": "1"},
        {"kind": "weight", "sentence": MOST_CORRECTIONS + 1, "weight": "1"},
        {"kind": "weight", "sentence": 0, "weight": str(HEAVIEST + 1)},
        {"kind": "only", "sentences": [-1]},
        {"kind": "cut", "step": -1},
        {"kind": "cut", "start": "2", "end": "2"},
        {"kind": "cut", "start": "-1", "end": "2"},
        {"kind": "cut", "start": "1", "end": str(LONGEST + 1)},
        {"kind": "keep", "start": "1", "end": "2", "speed": "1/2"},
        {"kind": "here", "sentence": -1, "start": "1", "end": "2"},
    ],
)
def test_broken_files(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        module.from_json(data)


def test_the_largest_numbers_in_a_file() -> None:
    last = MOST_CORRECTIONS
    heavy = {"kind": "weight", "sentence": last, "weight": str(HEAVIEST)}
    assert module.from_json(heavy) == Weight(last + 1, HEAVIEST)
    assert module.from_json({"kind": "only", "sentences": [last, 0]}) == Only((1, last + 1))
    assert module.from_json({"kind": "skip", "step": last}) == Skip(Found(last))
    late = {"start": str(LONGEST - 1), "end": str(LONGEST)}
    assert module.from_json({"kind": "here", "sentence": last} | late) == Here(last + 1, (LONGEST - 1, LONGEST))
    assert module.from_json({"kind": "keep", "speed": str(LONGEST)} | late).speed == LONGEST  # type: ignore[union-attr]
