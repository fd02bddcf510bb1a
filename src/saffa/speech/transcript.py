"""A transcript: the lines said in a video, placed on its clock to within a few hundredths of a second; and as files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.strict_json import json_text
from saffa.core.texts.sentences import one_line, split_sentences
from saffa.core.types import Floats
from saffa.core.video import Cue, Video, Word
from saffa.core.whole_file import whole_file
from saffa.media.subtitles.lines import save
from saffa.speech.backend import HeardLine, Listener
from saffa.speech.stretches import FRAME, RATE, Stretch, loudness, speech_track, stretches

_SHORTEST_LINE = 0.3  # seconds; what is shorter is a click that a word was read into
_FASTEST = 8.0  # words a second; nobody speaks faster, but networks that repeat themselves do
_LONGEST_CUE = 84  # characters: two lines of subtitles
_ABOVE_NOISE = 3.0  # times the level of the pauses, from which on a voice sounds
_BELOW_PEAK = 0.03  # share of the loudest level below which nothing is a voice
_ECHO = 4  # words; a recogniser may hear the last few of a line again when its window moves on
_MILLISECOND = 1000
SCHEMA = "saffa.transcript/1"
SUFFIXES = (".srt", ".vtt", ".txt", ".json")


def transcribe(
    video: Video,
    listener: Listener,
    progress: Callable[[float], None] = lambda _: None,
    within: tuple[float, float] = (0.0, float("inf")),
) -> list[Cue]:
    """All lines said in the video, in order; none for a film without sound, or with music or noise only.

    Only stretches that begin `within` these seconds are listened to. Cuts do not depend on it, so that parts fit.
    """
    track = speech_track(video)
    if track is None:
        return []
    cues: list[Cue] = []
    for stretch in stretches(video, track):
        if stretch.start < within[0]:
            continue
        if stretch.start >= within[1]:
            break
        if not stretch.silent:
            cues.extend(_cues(listener.hear(stretch.samples), stretch))
        progress(min(1.0, (stretch.start + len(stretch.samples) / RATE) / max(0.01, float(video.duration))))
    return cues


def _cues(lines: Sequence[HeardLine], stretch: Stretch) -> Iterator[Cue]:
    voiced = _voiced(stretch.samples)
    before: list[str] = []
    for line in lines:
        text = one_line(line.text)
        count = len(text.split())
        spoken, repeated = _plain_words(text), before
        before = spoken
        if count < _ECHO and spoken == repeated[-count:]:  # the end of a line, heard a second time
            continue
        if any(c.isalnum() for c in text) and line.end - line.start >= max(_SHORTEST_LINE, count / _FASTEST):
            words = line.words or timed_words(text, line.start, line.end, voiced)
            yield from _parts(text, words, stretch.start)


def _plain_words(text: str) -> list[str]:
    return [word.strip(".,!?;:").lower() for word in text.split()]


def _voiced(samples: Floats) -> Floats:
    """1 for each 20 ms in which somebody speaks, else 0, by loudness; shape (n // FRAME,)."""
    levels = loudness(samples)
    if len(levels) == 0:
        return levels
    floor = float(np.percentile(levels, 10))
    threshold = max(_ABOVE_NOISE * floor, _BELOW_PEAK * float(np.percentile(levels, 99)))
    return np.asarray(levels > threshold, np.float32)


def timed_words(text: str, start: float, end: float, voiced: Floats) -> tuple[Word, ...]:
    """Words of a line spread by their length over the time in which a voice sounds, not over the pauses in it."""
    first, last = round(start * RATE / FRAME), round(end * RATE / FRAME)
    sounding = np.flatnonzero(voiced[first:last]) + first
    if len(sounding) == 0:
        sounding = np.arange(first, max(last, first + 1))
    words = text.split()
    ends = np.cumsum([len(word) + 1 for word in words]) / sum(len(word) + 1 for word in words)
    edges = np.minimum(np.concatenate([[0.0], ends]) * len(sounding), len(sounding) - 1e-6)
    seconds = FRAME / RATE
    starts = [float(sounding[int(edge)] + edge % 1) * seconds for edge in edges[:-1]]
    stops = [float(sounding[int(np.ceil(edge)) - 1] + 1) * seconds for edge in edges[1:]]
    return tuple(Word(a, max(a, b), word) for a, b, word in zip(starts, stops, words, strict=True))


def _parts(text: str, words: Sequence[Word], offset: float) -> Iterator[Cue]:
    """A cue for each sentence of a line, and for each half of one that is too long to be read at once."""
    rest = list(words)
    sentences = split_sentences(text)
    for number, sentence in enumerate(sentences):
        own = rest if number == len(sentences) - 1 else rest[: _words_of(sentence, rest)]
        rest = rest[len(own) :]
        pieces = max(1, -(-len(sentence) // _LONGEST_CUE))
        between = " " if len(own) <= len(sentence.split()) else ""  # Chinese and Japanese words have no space between
        for part in np.array_split(np.arange(len(own)), min(pieces, max(1, len(own)))):
            if len(part):
                yield _cue([own[i] for i in part], offset, between)


def _words_of(sentence: str, words: Sequence[Word]) -> int:
    """How many of the words make the sentence, by their letters: not every language has spaces to count."""
    letters = np.cumsum([len("".join(word.text.split())) for word in words])
    return int(np.searchsorted(letters, len("".join(sentence.split())))) + 1


def _cue(words: Sequence[Word], offset: float, between: str) -> Cue:
    placed = tuple(Word(word.start + offset, word.end + offset, word.text) for word in words)
    start, end = placed[0].start, max(word.end for word in placed)
    text = between.join(word.text for word in placed)
    return Cue(_exact(start), max(_exact(end), _exact(start) + Fraction(1, 100)), text, placed)


def _exact(seconds: float) -> Fraction:
    return Fraction(round(max(0.0, seconds) * _MILLISECOND), _MILLISECOND)


def check_suffix(path: Path) -> None:
    """InputError for a format that is not written."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path.name}: transcripts are written as {', '.join(SUFFIXES)}.")


def save_transcript(cues: Sequence[Cue], path: Path, facts: dict[str, Any] | None = None) -> None:
    """Write the lines in the format of the extension, whole or not at all."""
    check_suffix(path)
    if path.suffix.lower() in (".srt", ".vtt"):
        save(cues, path)
        return
    text = "\n".join(cue.text for cue in cues)
    with whole_file(path) as part:
        is_json = path.suffix.lower() == ".json"
        part.write_text((json_text(to_json(cues, facts)) if is_json else text) + "\n", encoding="utf-8")


def to_json(cues: Sequence[Cue], facts: dict[str, Any] | None = None) -> dict[str, Any]:
    """Lines with their words; times in seconds."""
    lines = [
        {
            "start": float(cue.start),
            "end": float(cue.end),
            "text": cue.text,
            "words": [[round(word.start, 3), round(word.end, 3), word.text] for word in cue.words],
        }
        for cue in cues
    ]
    return {"schema": SCHEMA, **(facts or {}), "lines": lines}


def load_kept(path: Path) -> list[Cue]:
    """Lines of a transcript that was kept as JSON; ValueError or KeyError for anything else."""
    data = json.loads(path.read_text("utf-8"))
    if data["schema"] != SCHEMA:
        raise ValueError("another kind of file")
    return [
        Cue(
            Fraction(round(line["start"] * 1000), 1000),
            Fraction(round(line["end"] * 1000), 1000),
            str(line["text"]),
            tuple(Word(float(start), float(end), str(word)) for start, end, word in line["words"]),
        )
        for line in data["lines"]
    ]


_FEWEST, _MOST = 5, 20
_SECONDS_EACH = 30.0
_SHORTEST = 4  # words of a sentence that can tell something
_NEWS = 0.5  # weight that a word keeps after it was used


def informative(cues: Sequence[Cue], seconds: float) -> Document:
    """Five to twenty sentences, one for each half minute, in the order they are said.

    Each next one has the highest mean weight of words; a word weighs more the oftener it is said, less the more
    sentences have it, and less again once a chosen sentence has it, so that they do not repeat each other.
    """
    sentences = [s for s in split_sentences(" ".join(cue.text for cue in cues)) if len(s.split()) >= _SHORTEST]
    if not sentences:
        raise InputError(
            "Nothing is said in this video that could be followed. Give a text with --text FILE or --step."
        )
    tokens = [_tokens(sentence) for sentence in sentences]
    counts = Counter(token for line in tokens for token in line)
    holders = Counter(token for line in tokens for token in set(line))
    weight = {token: counts[token] ** 0.5 * log(1 + len(sentences) / holders[token]) for token in counts}
    wanted = min(len(sentences), _MOST, max(_FEWEST, round(seconds / _SECONDS_EACH)))
    chosen: set[int] = set()
    while len(chosen) < wanted:
        best = max(
            (place for place in range(len(sentences)) if place not in chosen),
            key=lambda place: sum(weight[t] for t in tokens[place]) / (3 + len(tokens[place])),
        )
        chosen.add(best)
        weight |= {token: weight[token] * _NEWS for token in tokens[best]}
    return Document(
        tuple(sentences[place] for place in sorted(chosen)), f"the text is {len(chosen)} sentences of the narration"
    )


def _tokens(sentence: str) -> list[str]:
    words = (word.strip(".,!?;:\"'()").lower() for word in sentence.split())
    return [word for word in words if len(word) > 3]
