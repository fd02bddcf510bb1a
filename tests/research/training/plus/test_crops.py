"""Parts of narrated videos."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from saffa.core.document import Document
from saffa.core.narration import Narration
from saffa.core.video import Cue
from saffa.encoders.registry import load_encoder
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.training.plus.crops import CROPS, FEWEST_LINES, FEWEST_SENTENCES, SHORTEST, crop, crops

ACTS = ("chop the onions", "fry the bacon", "boil the pasta", "whisk the eggs", "grate the cheese", "serve with pepper")


def video() -> BenchmarkVideo:
    """Six acts of a minute, each told in its middle; lines between that tell nothing."""
    cues = []
    for minute, act in enumerate(ACTS):
        for second, text in ((5, "so"), (20, f"now {act}"), (30, f"{act} slowly"), (45, "right"), (55, "okay then")):
            start = Fraction(60 * minute + second)
            cues.append(Cue(start, start + 4, text))
    steps = tuple((60 * 25 * k + 400, 60 * 25 * k + 1000) for k in range(6))
    return BenchmarkVideo("v", 9000, Fraction(25), Document(ACTS), Narration(tuple(cues)), steps)


def test_parts_are_whole_videos_of_their_own() -> None:
    encoder, whole = load_encoder("narrated"), video()
    made = list(crops(encoder, [whole], 0))
    assert 2 <= len(made) <= CROPS
    assert len({(part.frames, part.document.sentences) for part in made}) > 1
    for part in made:
        assert SHORTEST * 9000 - 1 <= part.frames <= 9000
        assert part.narration is not None
        assert len(part.narration) >= FEWEST_LINES
        assert len(part.document) >= FEWEST_SENTENCES
        assert set(part.document.sentences) <= set(ACTS)
        assert all(0 <= cue.start < cue.end for cue in part.narration.cues)
        assert all(0 <= a < b <= part.frames for a, b in part.steps)
        assert encoder.encode(part, part.document, part.narration).frames == part.frames


def test_lines_and_steps_move_with_the_pictures() -> None:
    whole = video()
    alignment = load_encoder("narrated").encode(whole, whole.document, whole.narration)
    random = np.random.default_rng(3)
    seen = 0
    for _ in range(20):
        part = crop(whole, alignment, random)
        if part is None or part.narration is None:
            continue
        for cue in part.narration.cues:
            act = next((k for k, act in enumerate(ACTS) if act in cue.text), None)
            inside = [a <= cue.start * 25 < b for a, b in part.steps]
            if act is not None and cue.start > 0 and cue.end * 25 < part.frames:
                seen += 1
                assert any(inside), "an act is told within its step, wherever the part begins"
    assert seen > 20


def test_a_video_without_speech_gives_none() -> None:
    whole = video()
    alignment = load_encoder("narrated").encode(whole, whole.document, whole.narration)
    silent = BenchmarkVideo("v", 9000, Fraction(25), whole.document, None, whole.steps)
    assert crop(silent, alignment, np.random.default_rng(0)) is None
