"""Corrections: kept ranges are never faster, cut ranges are never shown, the length is exact, the dynamics hold."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from saffa.core.alignment import Alignment
from saffa.core.corrections import Correction, Cut, Here, Keep, Only, Range, Skip, Weight, narrowed
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.selection import Selection, wanted_frames
from saffa.methods.base import Sampler
from saffa.methods.corrected import Corrected, corrected
from saffa.methods.dynamics import Dynamics
from saffa.methods.paper.compact import CompactSaffa
from saffa.methods.planner.bounds import placed, resolved, where
from saffa.methods.planner.plan import Plan
from saffa.methods.uniform import Uniform

RATE = Fraction(10)


def alignment(seconds: int = 300, steps: int = 4, seed: int = 0) -> Alignment:
    """Steps of 20 s, evenly spread, with noise; ten frames a second."""
    times = np.arange(seconds, dtype=np.float32) + 0.5
    centres = (np.arange(steps) + 0.5) * seconds / steps
    near = np.exp(-0.5 * ((times[:, None] - centres) / 6) ** 2)
    noise = np.random.default_rng(seed).random(seconds) * 0.2
    unit = np.ones((seconds, 1), np.float32)
    return Alignment(
        times=times,
        e_v=unit,
        e_d=unit,
        relevance=(near.sum(1) + noise).astype(np.float32),
        sentence_weights=((near + 1e-6) / (near + 1e-6).sum(1, keepdims=True)).astype(np.float32),
        document=tuple(f"step {i}" for i in range(steps)),
        frames=int(seconds * RATE),
        rate=RATE,
        encoder="test",
    )


def frames_in(start: float, end: float) -> range:
    return range(int(start * RATE), int(end * RATE))


def covering(selection: Selection, span: range) -> list[int]:
    """Skips of the selected frames that stand for any frame of the span."""
    skips = selection.skips()
    cut = {f for a, b in selection.cuts for f in range(a, b)}
    inside = set(span) - cut
    stands = zip(selection.frames.tolist(), [*selection.frames.tolist()[1:], selection.source_frames], strict=True)
    return [int(skip) for (a, b), skip in zip(stands, skips, strict=True) if inside & set(range(a, b))]


def obeys_dynamics(selection: Selection) -> bool:
    """Whether some actions make these skips from any start, cuts taken out; the end may cut the last one short."""
    limits = Dynamics(max_velocity=max(25, int(selection.skips().max())))
    gone = np.zeros(selection.source_frames, np.int64)
    for a, b in selection.cuts:
        gone[a:b] = 1
    left = selection.frames - np.cumsum(gone)[selection.frames]
    velocity, successors = limits.velocities(), limits.successors()  # the table agrees with `step`: test_dynamics.py
    possible, steps = np.ones(limits.states, np.bool_), np.diff(left)
    for i, step in enumerate(steps.tolist()):
        after = np.zeros(limits.states, np.bool_)
        after[successors[possible]] = True
        fits = velocity >= step if i == len(steps) - 1 else velocity == step
        possible = after & fits
    return bool(possible.any())


ranges = st.lists(st.integers(0, 299), min_size=0, max_size=8, unique=True).map(sorted)


@settings(deadline=None, max_examples=60)
@given(
    ranges,
    st.lists(st.sampled_from(["keep1", "keep2", "keep4", "skip", "cut"]), min_size=4, max_size=4),
    st.sampled_from([1.5, 2, 4, 8, 12.5]),
    st.sampled_from([Plan(), Plan(0), Uniform()]),
    st.integers(0, 5),
)
def test_corrections_hold_and_the_length_is_exact(
    edges: list[int], kinds: list[str], speed: float, method: Sampler, seed: int
) -> None:
    places = list(pairwise(edges))[::2]
    made: list[Correction] = []
    for (a, b), kind in zip(places, kinds, strict=False):
        place = Range(Fraction(a), Fraction(b))
        if kind.startswith("keep"):
            made.append(Keep(place, int(kind[4:])))
        else:
            made.append(Skip(place) if kind == "skip" else Cut(place))
    video = alignment(seed=seed)
    try:
        found = corrected(method, made).select(video, speed)
    except InputError as error:
        assert "allow an output of" in str(error) or "leave nothing" in str(error)
        assume(False)
    assert len(found.frames) == wanted_frames(video.frames, speed)
    for correction in made:
        assert isinstance(correction, Keep | Skip | Cut)
        assert isinstance(correction.place, Range)
        span = frames_in(float(correction.place.start), float(correction.place.end))
        if isinstance(correction, Keep):
            assert max(covering(found, span)) <= correction.speed
        if isinstance(correction, Cut):
            assert not set(span) & set(found.frames.tolist())
    if made:
        assert obeys_dynamics(found)
        assert int(found.skips().sum()) == video.frames - sum(b - a for a, b in found.cuts)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([3, 8, 14]))
def test_the_agent_keeps_most_of_its_frames(seed: int, speed: float) -> None:
    video = alignment(seed=seed)
    free = CompactSaffa().select(video, speed)
    found = corrected(CompactSaffa(), [Keep("0:30-0:32"), Skip("1:00-1:10")]).select(video, speed)
    assert len(found.frames) == len(free.frames)
    assert max(covering(found, frames_in(30, 32))) == 1
    assert obeys_dynamics(found)
    shared = len(set(free.frames.tolist()) & set(found.frames.tolist()))
    assert shared >= 0.5 * len(free.frames)


def test_a_skipped_range_gets_as_few_frames_as_the_limits_allow() -> None:
    found = corrected(Plan(), [Skip("0:30-1:30")]).select(alignment(), 4)
    inside = found.frames[(found.frames >= 300) & (found.frames < 900)]
    assert len(inside) == 600 // 25
    assert np.diff(inside)[:-2].min() >= 20  # the last may brake for what follows, as that takes no frame more


def test_cuts_at_both_ends() -> None:
    found = corrected(Plan(), [Cut("0:00-1:00"), Cut("4:00-5:00")]).select(alignment(), 10)
    assert len(found.frames) == 300
    assert found.frames[0] == 600
    assert found.frames[-1] == 2399
    assert int(found.skips().sum()) == 1800


def test_the_frames_beside_a_cut_are_shown() -> None:
    found = corrected(Plan(), [Cut("2:00-2:30.5")]).select(alignment(), 10)
    after = int(np.searchsorted(found.frames, 1200))
    assert found.frames[after] == 1505
    assert found.ends()[after - 1] == 1200


def test_keeping_from_the_start_begins_slowly() -> None:
    found = corrected(Plan(), [Keep("0:00-0:05")]).select(alignment(), 20)
    assert found.frames[:50].tolist() == list(range(50))


def test_little_time_left_raises_the_ceiling_unless_it_was_chosen() -> None:
    keep = [Keep("0:10-0:34")]
    found = corrected(Plan(), keep).select(alignment(), 10)
    assert found.skips().max() > 25
    with pytest.raises(InputError, match="allow an output of"):
        corrected(Plan(max_speed=25), keep).select(alignment(), 10)


def test_weights_change_what_is_slow() -> None:
    def shown(*corrections: Correction) -> int:
        frames = corrected(Plan(0), corrections).select(alignment(), 6).frames
        return int(((frames >= 750) & (frames < 1500)).sum())

    assert shown(Weight(2, 0)) < shown() < shown(Weight(2, 3))
    assert shown(Weight(2, 1)) == shown()


def test_a_step_is_where_it_was_found() -> None:
    found = where(1, alignment())
    assert 95 <= found.start < 112.5 < found.end <= 130
    (keep,) = resolved([Keep("step:2", 2)], alignment())
    assert keep == Keep(found, 2)
    selection = corrected(Uniform(), [Keep("step:2")]).select(alignment(), 4)
    assert max(covering(selection, frames_in(float(found.start), float(found.end)))) == 1
    assert selection.corrections == (Keep(found),)


def test_a_step_reaches_as_far_as_it_is_nearly_as_likely() -> None:
    """Seven seconds of one sentence: .5, .8, 1, .9, .72, .6 and then nothing; 30 % may be lost."""
    likely = np.array([0, 0.5, 0.8, 1, 0.9, 0.72, 0.6, 0, 0, 0], np.float32)
    unit = np.ones((10, 1), np.float32)
    times = np.arange(10, dtype=np.float32) + 0.5
    made = Alignment(times, unit, unit, likely, unit, ("a",), 100, RATE, "test")
    assert where(0, made) == Range(Fraction(2), Fraction(6))


def test_a_step_does_not_grow_with_the_video() -> None:
    """Encoders smear the steps of long videos: with more time for each sentence, less of it counts as near."""
    short, long = (alignment(seconds, steps=2) for seconds in (80, 720))
    lengths = [float(place.end - place.start) for place in (where(0, short), where(0, long))]
    assert 0 < lengths[1] < 0.8 * lengths[0]


def test_a_sentence_is_where_a_person_has_seen_it() -> None:
    given = alignment()
    here = Here(2, (200, 220))
    moved = placed(given, [here])
    found = where(1, moved)
    assert abs(found.start - 200) <= 1
    assert abs(found.end - 220) <= 1
    assert all(owner != 1 for owner in moved.sentence_at([float(t) for t in range(0, 195)]))
    assert np.allclose(moved.sentence_weights.sum(1), 1, atol=1e-5)
    before = moved.times < 195
    others = 1 - given.sentence_weights[before, 1]
    low = given.relevance.min()
    np.testing.assert_allclose(moved.relevance[before], low + (given.relevance[before] - low) * others, rtol=1e-5)
    again = placed(moved, [here])
    assert np.allclose(again.relevance, moved.relevance)
    assert np.allclose(again.sentence_weights, moved.sentence_weights)
    slow = Corrected(Plan(), (here,)).select(given, 10)
    plain = Plan().select(given, 10)
    inside = frames_in(200, 220)
    assert np.isin(slow.frames, inside).sum() > np.isin(plain.frames, inside).sum()
    assert len(slow.frames) == len(plain.frames)
    assert slow.corrections == (here,)


def test_only_narrows_the_text_and_renumbers() -> None:
    document = Document(("a", "b", "c", "d"))
    text, left = narrowed(document, [Only((2, 4)), Weight(4, 2), Keep("step:2"), Cut("0:10-0:20")])
    assert text.sentences == ("b", "d")
    assert left == (Weight(2, 2), Keep("step:1"), Cut("0:10-0:20"))


@pytest.mark.parametrize(
    ("corrections", "words"),
    [
        ([Keep("6:00-7:00")], r"--keep 6:00\.0-7:00\.0 lies outside the video, which lasts 5:00\.0\."),
        ([Cut("4:00-5:30")], "lies outside the video"),
        ([Keep("1:00-2:00"), Cut("1:30-3:00")], r"--keep 1:00.* and --cut 1:30.* contradict each other"),
        ([Keep("1:00-2:00"), Skip("1:30-3:00")], "contradict each other"),
        ([Keep("0:00-4:00")], r"allow an output of 4:.* to 5:00\.0, not the 0:30\.0 asked for"),
        ([Cut("0:00-4:50")], r"allow an output of .* to 0:10\.0, not the 0:30\.0 asked for"),
        ([Cut("0:00-5:00")], "leave nothing of the video"),
        ([Skip("step:9")], r"--skip step:9: there is no sentence 9; the text has 4 sentences\."),
        ([Weight(5, 2)], "--weight 5=2: there is no sentence 5"),
    ],
)
def test_bad_corrections_get_one_clear_line(corrections: list[Correction], words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        corrected(Plan(), corrections).select(alignment(), 10)
    assert "\n" not in str(refused.value)


def test_a_sentence_that_was_not_found_cannot_be_a_place() -> None:
    flat = alignment()
    hidden = np.roll(flat.sentence_weights, 1, axis=1) * np.array([0, 1, 1, 1], np.float32)
    video = Alignment(**{**vars(flat), "sentence_weights": hidden})
    with pytest.raises(InputError, match=r"step:1: that sentence was not found .* such as"):
        corrected(Plan(), [Keep("step:1")]).select(video, 10)
    doubted = replace(flat, confidence=np.array([0.5, 0.05, 0.5, 0.5], np.float32))
    assert where(0, doubted) == where(0, flat)
    with pytest.raises(InputError, match=r"step:2: that sentence was not found .*likeliest is 1:\d\d"):
        where(1, doubted)


def test_other_methods_say_that_they_take_none() -> None:
    class Other:
        name, reads_text = "sas", False

        def select(self, alignment: Alignment, speed: float) -> Selection:
            raise NotImplementedError

    with pytest.raises(InputError, match=r"--cut 0:01\.0-0:02\.0: --method sas takes no corrections; use plan"):
        corrected(Other(), [Cut("0:01-0:02")])
    assert corrected(Uniform(), []) == Uniform()
    assert isinstance(corrected(Uniform(), [Cut("0:01-0:02")]), Corrected)


def test_slower_than_the_limits_is_refused() -> None:
    with pytest.raises(InputError, match="is slower than --min-speed 3 allows"):
        corrected(Plan(min_speed=3), [Keep("0:10-0:20")]).select(alignment(), 10)
