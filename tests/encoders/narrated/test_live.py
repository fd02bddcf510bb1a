"""The narrated encoder that hears a video only as far as it has come."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.api import accelerate
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Cue, Narration
from saffa.encoders.base import Query, StreamingEncoder
from saffa.encoders.narrated.live import AHEAD, NarratedLiveEncoder
from saffa.encoders.registry import load_encoder
from tests.media.movies import Movie, make

TEXT = Document(("chop the onions", "fry them in olive oil", "add the tomatoes", ""))


@dataclass(frozen=True)
class Axis:
    frames: int = 3000
    rate: Fraction = Fraction(25)


def told(*lines: tuple[int, str]) -> Narration:
    return Narration(tuple(Cue(Fraction(at), Fraction(at + 4), line) for at, line in lines))


TALK = told(
    (2, "hello everybody and welcome to my channel"),
    (10, "it was a lovely day at the lake with my brother"),
    (30, "so chop the onions very finely like this"),
    (35, "keep on chopping the onions"),
    (50, "now fry them in the olive oil"),
    (56, "the oil should be hot so they fry well"),
    (75, "and add the tomatoes"),
    (100, "thank you for watching and see you next week"),
)


def test_it_is_a_streaming_encoder() -> None:
    encoder = load_encoder("narrated-live")
    assert isinstance(encoder, NarratedLiveEncoder) and isinstance(encoder, StreamingEncoder) and encoder.streaming


def test_steps_stand_out_in_order() -> None:
    alignment = NarratedLiveEncoder().encode(Axis(), TEXT, TALK)
    seconds = alignment.times
    step = alignment.relevance[(seconds > 33) & (seconds < 60)].mean()
    assert step > alignment.relevance[seconds < 20].mean() + 0.2
    assert step > alignment.relevance[seconds > 110].mean()
    best = alignment.sentence_weights.argmax(1)
    assert best[np.searchsorted(seconds, 37)] == 0 and best[np.searchsorted(seconds, 58)] == 1
    np.testing.assert_allclose(alignment.sentence_weights.sum(1), 1, atol=1e-4)
    for embedding in (alignment.e_v, alignment.e_d):
        np.testing.assert_allclose(np.linalg.norm(embedding, axis=1), 1, atol=1e-4)


def test_it_does_not_hear_the_future() -> None:
    other = Narration((*TALK.cues[:5], Cue(Fraction(60), Fraction(64), "peel a banana")))
    one, two = (NarratedLiveEncoder().encode(Axis(), TEXT, n) for n in (TALK, other))
    before = one.times + AHEAD < 56  # the first difference
    np.testing.assert_array_equal(one.relevance[before], two.relevance[before])
    assert np.abs(one.relevance[~before] - two.relevance[~before]).max() > 0.01


def test_lines_that_come_along_count_as_much() -> None:
    reading = NarratedLiveEncoder().open(Axis(), TEXT, Narration(()))
    relevance, left = [], list(TALK.cues)
    for second in range(0, 120, 2):
        fresh = [cue for cue in left if cue.start <= second]
        left = left[len(fresh) :]
        relevance.append(reading.answer(Query(25 * second, float(second), (), fresh)).relevance)
    assert np.mean(relevance[18:30]) > np.mean(relevance[:10]) + 0.2


def test_a_video_without_subtitles_is_refused() -> None:
    with pytest.raises(InputError, match="no subtitles"):
        NarratedLiveEncoder().encode(Axis(), TEXT, None)


def test_silence_is_answered_too() -> None:
    alignment = NarratedLiveEncoder().encode(Axis(), TEXT, Narration((Cue(Fraction(1), Fraction(2), "…"),)))
    assert np.isfinite(alignment.relevance).all() and np.isfinite(alignment.e_v).all()


def test_subtitles_inside_a_pipe(tmp_path: Path) -> None:
    cues = [(1000 * i, 1000 * i + 900, line) for i, line in ((1, "hello"), (6, "chop the onions"), (9, "fry them"))]
    source = make(tmp_path / "m.mkv", Movie(frames=400, cues=cues))
    results = []
    for encoder in ("narrated-live", "narrated"):
        pipe = tmp_path / encoder
        os.mkfifo(pipe)
        writer = threading.Thread(target=_pour, args=(source, pipe), daemon=True)
        writer.start()
        if encoder == "narrated":
            with pytest.raises(InputError, match="narrated-live"):
                accelerate(pipe, TEXT, speed=4, method="saffa", encoder=encoder)
        else:
            results.append(accelerate(pipe, TEXT, speed=4, method="saffa", encoder=encoder))
        writer.join(10)
    assert np.ptp(results[0].alignment.relevance) > 0.1
    assert results[0].timeline.encoder == "narrated-live"


def _pour(source: Path, pipe: Path) -> None:
    try:
        pipe.write_bytes(source.read_bytes())
    except BrokenPipeError:
        return
