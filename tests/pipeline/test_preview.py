"""A plan as it would play: its stretches fill the output, and what is seen of each sentence is counted by hand."""

from fractions import Fraction

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.corrections import Cut, Here, Keep
from saffa.core.selection import Selection
from saffa.methods.planner.plan import Plan
from saffa.methods.uniform import Uniform
from saffa.pipeline.preview import MOST_POINTS, Preview, preview, shown_alignment


class Given:
    """A method that selects these frames."""

    name, reads_text = "given", True

    def __init__(self, frames: list[int]) -> None:
        self.frames = np.array(frames, np.int64)

    def select(self, alignment: Alignment, speed: float) -> Selection:
        return Selection(self.frames, alignment.frames, speed, self.name)


def talk(confidence: tuple[float, float, float] | None = None) -> Alignment:
    """Forty seconds at 10 frames a second: sentence 0 from 10 to 20 s, sentence 1 from 20 to 30 s, 2 nowhere."""
    times = (np.arange(40) + 0.5).astype(np.float32)
    first, second = (times > 10) & (times < 20), (times > 20) & (times < 30)
    weights = np.stack([np.where(first, 0.98, 0.01), np.where(second, 0.98, 0.01), np.full(40, 0.01)], 1)
    unit = np.ones((40, 1), np.float32)
    return Alignment(
        times=times,
        e_v=unit,
        e_d=unit,
        relevance=(first | second).astype(np.float32),
        sentence_weights=(weights / weights.sum(1, keepdims=True)).astype(np.float32),
        document=("boil", "pour", "drink"),
        frames=400,
        rate=Fraction(10),
        encoder="made",
        confidence=None if confidence is None else np.array(confidence, np.float32),
    )


def played(frames: list[int], known: Alignment) -> Preview:
    return preview(known, Given(frames), (), 4.0)


def test_what_is_seen_of_each_sentence() -> None:
    slow = list(range(120, 140))  # two seconds at 1x inside the first sentence
    fast = [205, 220, 240, 260, 280]  # half a second at 20x inside the second
    shown = played([0, 60, *slow, 140, 170, *fast, 350], talk())
    boil, pour, drink = shown.sentences
    assert (boil.shown_seconds, boil.slow_seconds, boil.watchable, boil.output_start) == (2.2, 2.0, True, 0.2)
    assert (pour.shown_seconds, pour.slow_seconds, pour.watchable, pour.output_start) == (0.5, 0.0, False, 2.4)
    assert (drink.shown_seconds, drink.watchable, drink.output_start, drink.found) == (0, False, None, False)
    assert (boil.start, boil.end, pour.start, pour.end) == (10, 20, 20, 30)
    assert (boil.confidence, drink.start) == (None, None)


def test_stretches_follow_each_other_and_fill_the_output() -> None:
    shown = preview(talk(), Plan(), (), 4.0)
    source_start, source_end, start, end, speed = shown.segments.T
    assert (source_start[0], start[0]) == (0, 0)
    assert source_end[-1] == 40
    assert end[-1] == pytest.approx(len(shown.selection.frames) / 10) == 10
    np.testing.assert_allclose(start[1:], end[:-1])
    np.testing.assert_allclose(source_start[1:], source_end[:-1])
    np.testing.assert_allclose((end - start) * speed, source_end - source_start)
    assert set(shown.owners.tolist()) <= {-1, 0, 1}
    facts = shown.to_json()
    assert facts["watchable"] == sum(one["watchable"] for one in facts["sentences"]) == 2
    assert [owner for *_, owner in facts["segments"]] == [None if o < 0 else o for o in shown.owners.tolist()]
    assert (facts["output_seconds"], facts["speed"], facts["frames"]) == (10, 4, 100)


def test_a_doubtful_moment_is_not_claimed() -> None:
    frames = [0, *range(101, 142)]
    sure, doubtful = played(frames, talk((0.9, 0.9, 0.9))).sentences[0], played(frames, talk((0.05, 0.9, 0.9)))
    assert (sure.watchable, sure.found, sure.confidence) == (True, True, 0.9)
    boil = doubtful.sentences[0]
    assert (boil.watchable, boil.found, boil.start, boil.confidence) == (False, False, None, 0.05)
    assert boil.slow_seconds == sure.slow_seconds == 4


def test_corrections_move_and_bound_what_is_shown() -> None:
    moved = preview(talk(), Plan(), (Here(3, (35, 38)),), 4.0)
    drink = moved.sentences[2]
    assert drink.found and (drink.start, drink.end) == (35, 38)
    cut = preview(talk(), Uniform(), (Cut((0, 10)), Keep((12, 14))), 4.0)
    assert cut.segments[0, 0] == 10
    kept = [speed for first, end, *_, speed in cut.segments.tolist() if first < 14 and end > 12]
    assert max(kept) == 1


def test_the_curve_of_relevance_is_short_and_keeps_its_peaks() -> None:
    count = 3 * MOST_POINTS + 1
    relevance = np.zeros(count, np.float32)
    relevance[4000] = 5.0
    unit = np.ones((count, 1), np.float32)
    times = np.arange(count, dtype=np.float32)
    long = Alignment(times, unit, unit, relevance, unit, ("boil",), 25 * count, Fraction(25), "made", fit=0.7)
    shown = shown_alignment(long)
    assert len(shown["times"]) == len(shown["relevance"]) <= MOST_POINTS
    assert sorted(set(shown["relevance"])) == [0, 1]
    peak = shown["times"][shown["relevance"].index(1)]
    assert peak <= 4000 < peak + 4
    assert (shown["seconds"], shown["fit"], shown["encoder"]) == (count, 0.7, "made")
    (sentence,) = shown["sentences"]
    assert sentence["found"] and sentence["start"] <= 4000 <= sentence["end"]
    assert {one["text"] for one in shown_alignment(talk())["sentences"]} == {"boil", "pour", "drink"}
