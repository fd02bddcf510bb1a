"""Hours of speech said at known times, through the command: `python -m benchmarks.speech_times [--minutes 180]`.

Sentences of a kitchen in three voices of espeak-ng, with pauses of 0.6 to 2 s, and every two minutes the readings of a
person (DIR/speech with `--data`, and the one in moonshine's package), go through `saffa transcribe` as one film. Told
are the CPU seconds for each second of sound, the peak memory of the largest process, how far starts and ends of lines
are from the true ones, and the share of wrong words. Memory that grows with the length shows by `--minutes`.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.speech_speed import Samples, plain_words, read_wave, recordings, word_errors, write_film

RATE = 22_050
VOICES = (("en-us", "150"), ("en-gb", "140"), ("en-us+f4", "155"))
DOING = ("Chop", "Wash", "Weigh", "Peel", "Slice", "Warm", "Rinse", "Cover", "Season", "Divide")
THINGS = ("the onions", "the potatoes", "two carrots", "the green beans", "the bread", "the chicken", "all the apples")
WAYS = ("with a sharp knife", "in a large bowl", "for ten minutes", "before the guests arrive", "on a wooden board")
PAUSES = (0.6, 2.0)
BETWEEN = 120.0  # seconds from one reading of a person to the next


@dataclass(frozen=True)
class Utterance:
    """What is said from `start` to `end`, in seconds."""

    start: float
    end: float
    text: str


def trimmed(samples: Samples) -> Samples:
    """Without the silence around a voice."""
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > 0.02 * np.abs(samples.astype(np.int32)).max())
    return samples[loud[0] : loud[-1] + 1]


def spoken(text: str, voice: str, pace: str) -> Samples:
    command = ["espeak-ng", "-v", voice, "-s", pace, "--stdout", text]
    made = subprocess.run(command, capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(made)) as sound:
        return trimmed(np.frombuffer(made[44:], np.int16)[: sound.getnframes()].copy())


def voices(data: Path | None) -> tuple[list[tuple[str, Samples]], list[tuple[str, Samples]]]:
    """Sentences of espeak-ng in an order without pattern, and readings of people; words and sound of each."""
    import moonshine_voice  # noqa: PLC0415

    rng = np.random.default_rng(3)
    sentences = [" ".join(words) + "." for words in product(DOING, THINGS, WAYS)]
    chosen = [sentences[place] for place in rng.permutation(len(sentences))]
    made = [(text, spoken(text, *VOICES[place % len(VOICES)])) for place, text in enumerate(chosen)]
    people = [("", Path(moonshine_voice.__file__).parent / "assets" / "two_cities.wav")]
    people += [(" ".join(words), file) for file, words in (recordings(data / "speech") if data else ())]
    return made, [(words, at_rate(*read_wave(file))) for words, file in people]


def at_rate(samples: Samples, rate: int) -> Samples:
    places = np.arange(0, len(samples) - 1, rate / RATE)
    return np.asarray(np.interp(places, np.arange(len(samples)), samples), np.int16)


def talk(
    made: list[tuple[str, Samples]], people: list[tuple[str, Samples]], seconds: float
) -> Iterator[tuple[Samples, Utterance | None]]:
    """Pieces of sound in order, each with what is said in it; readings whose lines' times are unknown have no words."""
    rng = np.random.default_rng(7)
    now, read, turn = 0.0, 0, 0
    while now < seconds:
        pause = np.zeros(round(rng.uniform(*PAUSES) * RATE), np.int16)
        yield pause, None
        now += len(pause) / RATE
        if now > (read + 1) * BETWEEN:
            text, sound = people[read % len(people)]
            read += 1
        else:
            text, sound = made[turn % len(made)]
            turn += 1
        end = now + len(sound) / RATE
        yield sound, Utterance(now, end, text)
        now = end


def in_seconds(pieces: Iterator[Samples]) -> Iterator[Samples]:
    """The same sound in blocks of a second."""
    waiting = np.zeros(0, np.int16)
    for piece in pieces:
        waiting = np.concatenate([waiting, piece])
        while len(waiting) >= RATE:
            yield waiting[:RATE]
            waiting = waiting[RATE:]
    yield np.pad(waiting, (0, RATE - len(waiting)))


def heard(film: Path) -> tuple[list[Utterance], float, float, float]:
    """Lines of `saffa transcribe`, its CPU seconds, seconds on the clock and peak memory in MB."""
    output = film.with_suffix(".json")
    command = [sys.executable, "-m", "saffa", "transcribe", str(film), "-o", str(output), "--no-cache", "--overwrite"]
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = json.loads(output.read_text("utf-8"))
    lines = lines["lines"] if isinstance(lines, dict) else lines
    said = [Utterance(float(line["start"]), float(line["end"]), line["text"]) for line in lines]
    return said, spent, time.perf_counter() - clock, after.ru_maxrss / 1024


def distances(values: Sequence[float], truth: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How far each value is from the nearest true one."""
    known = np.asarray(truth)
    place = np.clip(np.searchsorted(known, values), 1, len(known) - 1)
    return np.minimum(np.abs(known[place] - values), np.abs(known[place - 1] - values))


def report(said: list[Utterance], lines: list[Utterance]) -> str:
    """Times and words, of the sentences whose times and words are known."""
    known = [one for one in said if one.text.endswith(".")]
    own = [line for line in lines if any(True for _ in _within(line, known))]
    off = np.concatenate(
        [
            distances([line.start for line in own], [one.start for one in known]),
            distances([line.end for line in own], [one.end for one in known]),
        ]
    )
    missed = len(known) - len({one.start for line in own for one in _within(line, known)})
    result = (
        f"{len(known)} sentences, {len(own)} lines, {missed} sentences not heard; edges of lines off by "
        f"{np.median(off):.3f} s in the median, {np.percentile(off, 95):.3f} s at the 95th percentile"
    )
    for name, some in (("espeak-ng", known), ("a person", [one for one in said if one.text and one not in known])):
        wrong = total = 0
        for one in some:
            words = plain_words(" ".join(line.text for line in lines if next(_within(line, [one]), None)))
            wrong, total = wrong + word_errors(plain_words(one.text), words), total + len(plain_words(one.text))
        result += f"; {name}: {wrong} of {total} words wrong ({wrong / total:.1%})" if total else ""
    return result


def _within(line: Utterance, said: Sequence[Utterance]) -> Iterator[Utterance]:
    middle = (line.start + line.end) / 2
    return (one for one in said if one.start - 0.5 <= middle <= one.end + 0.5)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--data", type=Path, help="folder with speech/README.md and the recordings it names")
    given = parser.parse_args(arguments)
    said: list[Utterance] = []
    made, people = voices(given.data)

    def pieces() -> Iterator[Samples]:
        for sound, what in talk(made, people, 60 * given.minutes):
            said.extend([what] if what else [])
            yield sound

    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "talk.mp4"
        seconds = write_film(film, in_seconds(pieces()), RATE)
        lines, spent, clock, peak = heard(film)
    print(
        f"{seconds / 60:.0f} min of sound: {spent:.0f} CPU s ({spent / seconds:.3f} a second), {clock:.0f} s on the "
        f"clock with {os.cpu_count()} cores, peak memory {peak:.0f} MB, {len(lines)} lines"
    )
    print(report(said, lines))


if __name__ == "__main__":
    main()
