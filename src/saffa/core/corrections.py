"""What a person decides about a plan: keep this, skip that, cut it out, this sentence is here or counts more.

Ranges are in seconds of the source; `step:3` stands for where sentence 3 was found and becomes a range when the
alignment is known. Sentences are numbered from 1 for people and from 0 in files and in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from saffa.core.clock import format_length, parse_length
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.strict_json import exact, whole

LONGEST = 10**8
"""Seconds: bound of every time in a file."""
MOST_CORRECTIONS = 10_000
HEAVIEST = 1000


@dataclass(frozen=True)
class Range:
    """Source seconds [start, end)."""

    start: Fraction
    end: Fraction

    def __str__(self) -> str:
        return f"{format_length(self.start)}-{format_length(self.end)}"


@dataclass(frozen=True)
class Found:
    """Where a sentence (from 0) is found in the video."""

    sentence: int

    def __str__(self) -> str:
        return f"step:{self.sentence + 1}"


Place = Range | Found
AnyPlace = Place | str | tuple[Any, Any]


@dataclass(frozen=True)
class Keep:
    """Play a place at most at `speed` (1 is normal speed): `Keep("10:40-11:15")`, `Keep("step:3", 2)`."""

    place: AnyPlace
    speed: Fraction | float | int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", place_of(self.place))
        speed = _number(self.speed)
        if speed is None or not 1 <= speed <= LONGEST:
            raise InputError(f"--keep {self.place}@{self.speed}: the speed must be a number of 1 or more.")
        object.__setattr__(self, "speed", speed)


@dataclass(frozen=True)
class Skip:
    """Play a place as fast as the limits of speed allow."""

    place: AnyPlace

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", place_of(self.place))


@dataclass(frozen=True)
class Cut:
    """Leave a place out of the output."""

    place: AnyPlace

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", place_of(self.place))


@dataclass(frozen=True)
class Weight:
    """A sentence, numbered from 1, counts `weight` times as much as the others; 0 is not at all."""

    number: int
    weight: Fraction | float | int

    def __post_init__(self) -> None:
        weight = _number(self.weight)
        if weight is None or not 0 <= weight <= HEAVIEST or self.number < 1:
            raise InputError(f"--weight {self.number}={self.weight}: write it like 3=2, with 0 to {HEAVIEST}.")
        object.__setattr__(self, "weight", weight)


@dataclass(frozen=True)
class Only:
    """These sentences, numbered from 1, are the text; the others are left out before anything is compared."""

    numbers: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", tuple(sorted(set(self.numbers))))
        if not self.numbers or self.numbers[0] < 1:
            raise InputError("--only needs the numbers of sentences, such as 2,4-6.")


@dataclass(frozen=True)
class Here:
    """A sentence, numbered from 1, is shown in this range and nowhere else: `Here(3, "10:40-11:15")`."""

    number: int
    place: AnyPlace

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", place_of(self.place))
        if self.number < 1 or not isinstance(self.place, Range):
            raise InputError(f"--here {self.number}={self.place}: write it like 3=10:40-11:15.")


Correction = Keep | Skip | Cut | Weight | Here | Only
_PLACED = (Keep, Skip, Cut)
_KINDS: dict[str, type[Keep | Skip | Cut]] = {"keep": Keep, "skip": Skip, "cut": Cut}


def place_of(place: AnyPlace) -> Place:
    """A range or `step:N` from what people write: "10:40-11:15", "step:3", (640, 675)."""
    if isinstance(place, Range | Found):
        return place
    if isinstance(place, tuple):
        start, end = (_number(time) for time in place)
        if start is None or end is None:
            raise InputError(f"A range is two times in seconds, not {place!r}.")
        return _range(start, end, f"{place[0]}-{place[1]}")
    text = place.strip().lower()
    if text.startswith("step:"):
        return Found(_sentence_number(text.removeprefix("step:"), place) - 1)
    start_text, dash, end_text = text.partition("-")
    if not dash:
        raise InputError(f"Cannot read the range {place!r}. Write it like 10:40-11:15, or step:3 for a sentence.")
    return _range(parse_length(start_text), parse_length(end_text), place)


def _range(start: Fraction, end: Fraction, name: str) -> Range:
    if not 0 <= start < end <= LONGEST:
        raise InputError(f"The range {name} has no length; its end must come after its start.")
    return Range(start, end)


def _sentence_number(text: str, whole_text: str) -> int:
    if not text.isdecimal() or not text.isascii() or len(text) > 6 or int(text) < 1:
        raise InputError(f"Cannot read {whole_text!r}: sentences are numbered from 1, as in step:3.")
    return int(text)


def _number(value: object) -> Fraction | None:
    """Exactly what was given; None for what is no finite number, or a text that names no time."""
    if isinstance(value, str):
        return parse_length(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None
    try:
        return Fraction(value)
    except (ValueError, OverflowError):
        return None


def read_keep(text: str) -> Keep:
    """`10:40-11:15`, `10:40-11:15@2`, `step:3@1.5`."""
    place, at, speed = text.partition("@")
    return Keep(place, _plain_number(speed, f"--keep {text}") if at else 1)


def read_weight(text: str) -> Weight:
    """`3=2`: sentence 3 counts twice."""
    number, sign, weight = text.partition("=")
    if not sign:
        raise InputError(f"--weight {text}: write it like 3=2 (sentence 3 counts twice).")
    return Weight(_sentence_number(number.strip(), text), _plain_number(weight, f"--weight {text}"))


def read_here(text: str) -> Here:
    """`3=10:40-11:15`: sentence 3 is shown there."""
    number, sign, place = text.partition("=")
    if not sign:
        raise InputError(f"--here {text}: write it like 3=10:40-11:15 (sentence 3 is shown there).")
    return Here(_sentence_number(number.strip(), text), place)


def read_only(text: str) -> Only:
    """`2,4-6`: sentences 2, 4, 5 and 6."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        low = _sentence_number(first.strip(), text)
        high = _sentence_number(last.strip(), text) if dash else low
        if high < low:
            raise InputError(f"--only {text}: {part.strip()} runs backwards.")
        if high - low > MOST_CORRECTIONS:
            raise InputError(f"--only {text}: a text has at most {MOST_CORRECTIONS} sentences.")
        numbers += range(low, high + 1)
    return Only(tuple(numbers))


def _plain_number(text: str, name: str) -> Fraction:
    compact = text.strip().lower().removesuffix("x").removesuffix("×")
    try:
        return exact(compact, name, 0, LONGEST)
    except ValueError:
        raise InputError(f"{name}: {text.strip() or 'nothing'} is not a number such as 2 or 1.5.") from None


def chosen_sentences(corrections: Iterable[Correction], sentences: int) -> tuple[int, ...] | None:
    """Indices of the sentences that `Only` leaves, or None if all stay; InputError for numbers that do not exist."""
    wanted = sorted({number for c in corrections if isinstance(c, Only) for number in c.numbers})
    if not wanted:
        return None
    if wanted[-1] > sentences:
        raise InputError(f"--only names sentence {wanted[-1]}, but the text has {sentences}.")
    return tuple(number - 1 for number in wanted)


def renumbered(corrections: Iterable[Correction], chosen: Sequence[int]) -> tuple[Correction, ...]:
    """The corrections for a text of only the chosen sentences: numbers of the whole text become places in it."""
    place = {sentence: i for i, sentence in enumerate(chosen)}
    out: list[Correction] = []
    for correction in corrections:
        if isinstance(correction, Only):
            continue
        sentence = _sentence_of(correction)
        if sentence is not None and sentence not in place:
            raise InputError(f"{describe(correction)}: sentence {sentence + 1} is not among those of --only.")
        if isinstance(correction, Weight):
            out.append(Weight(place[correction.number - 1] + 1, correction.weight))
        elif isinstance(correction, Here):
            out.append(Here(place[correction.number - 1] + 1, correction.place))
        elif isinstance(correction, Keep) and isinstance(correction.place, Found):
            out.append(Keep(Found(place[correction.place.sentence]), correction.speed))
        elif isinstance(correction.place, Found):
            out.append(type(correction)(Found(place[correction.place.sentence])))
        else:
            out.append(correction)
    return tuple(out)


def _sentence_of(correction: Correction) -> int | None:
    if isinstance(correction, Weight | Here):
        return correction.number - 1
    if isinstance(correction, _PLACED) and isinstance(correction.place, Found):
        return correction.place.sentence
    return None


def check_sentences(corrections: Iterable[Correction], sentences: int) -> None:
    """InputError if a correction names a sentence that the text does not have."""
    for correction in corrections:
        sentence = _sentence_of(correction)
        if sentence is not None and sentence >= sentences:
            count = f"{sentences} sentence{'s' if sentences > 1 else ''}"
            raise InputError(f"{describe(correction)}: there is no sentence {sentence + 1}; the text has {count}.")


def describe(correction: Correction) -> str:
    """A correction as it is written on the command line."""
    if isinstance(correction, Keep):
        return f"--keep {correction.place}" + (f"@{float(correction.speed):g}" if correction.speed != 1 else "")
    if isinstance(correction, Skip):
        return f"--skip {correction.place}"
    if isinstance(correction, Cut):
        return f"--cut {correction.place}"
    if isinstance(correction, Weight):
        return f"--weight {correction.number}={float(correction.weight):g}"
    if isinstance(correction, Here):
        return f"--here {correction.number}={correction.place}"
    return "--only " + ",".join(map(str, correction.numbers))


def to_json(correction: Correction) -> dict[str, Any]:
    """The form in a timeline file: exact times as strings, sentences from 0."""
    if isinstance(correction, Weight):
        return {"kind": "weight", "sentence": correction.number - 1, "weight": str(correction.weight)}
    if isinstance(correction, Only):
        return {"kind": "only", "sentences": [number - 1 for number in correction.numbers]}
    data: dict[str, Any] = {"kind": type(correction).__name__.lower()}
    if isinstance(correction.place, Range):
        data |= {"start": str(correction.place.start), "end": str(correction.place.end)}
    elif isinstance(correction.place, Found):
        data |= {"step": correction.place.sentence}
    if isinstance(correction, Here):
        data |= {"sentence": correction.number - 1}
    return data | ({"speed": str(correction.speed)} if isinstance(correction, Keep) else {})


def from_json(data: Any) -> Correction:
    """Read what `to_json` wrote; KeyError, TypeError or ValueError for anything else."""
    kind = data["kind"]
    if kind == "weight":
        sentence = whole(data["sentence"], "sentence", 0, MOST_CORRECTIONS)
        return Weight(sentence + 1, exact(data["weight"], "weight", 0, HEAVIEST))
    if kind == "only":
        return Only(tuple(whole(one, "sentence", 0, MOST_CORRECTIONS) + 1 for one in data["sentences"]))
    if kind not in (*_KINDS, "here"):
        raise ValueError(f"kind: {str(kind)[:40]!r} is no correction")
    if "step" in data:
        place: Place = Found(whole(data["step"], "step", 0, MOST_CORRECTIONS))
    else:
        place = Range(*(exact(data[key], key, 0, LONGEST) for key in ("start", "end")))
        if place.start >= place.end:
            raise ValueError("end, which must come after start")
    if kind == "here":
        return Here(whole(data["sentence"], "sentence", 0, MOST_CORRECTIONS) + 1, place)
    return Keep(place, exact(data["speed"], "speed", 1, LONGEST)) if kind == "keep" else _KINDS[kind](place)


def narrowed(document: Document, corrections: Sequence[Correction]) -> tuple[Document, tuple[Correction, ...]]:
    """The text and the corrections that `--only` leaves, all numbers checked."""
    check_sentences(corrections, len(document.sentences))
    chosen = chosen_sentences(corrections, len(document.sentences))
    if chosen is None:
        return document, tuple(corrections)
    return Document(tuple(document.sentences[i] for i in chosen)), renumbered(corrections, chosen)
