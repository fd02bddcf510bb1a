"""Slow stretches begin and end between spoken lines where that costs little; length and dynamics hold as ever."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from benchmarks.line_edges import inside, slow_edges
from hypothesis import given, settings
from hypothesis import strategies as st

from saffa.core.alignment import Alignment
from saffa.core.corrections import Cut, Keep
from saffa.core.selection import wanted_frames
from saffa.core.video import Cue, Narration
from saffa.methods.corrected import corrected
from saffa.methods.planner.moments import HIGHEST_TOLL, TOLL, WholeLines, inside_lines
from saffa.methods.planner.plan import Plan
from tests.methods.test_corrected import alignment, obeys_dynamics


def spoken(seed: int, seconds: int = 300, *, longest: float = 4.0) -> Alignment:
    """Steps in noise, with lines of 1 s to `longest` one after the other."""
    random = np.random.default_rng(seed)
    ends = np.cumsum(random.uniform(1, longest, 2 * seconds))
    ends = ends[ends < seconds]
    return replace(alignment(seconds, seed=seed), lines=np.stack([np.append(0, ends[:-1]), ends], axis=1))


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 10**6),
    st.sampled_from([2.5, 4, 8, 12.5]),
    st.sampled_from(["normal", "soft", "hard"]),
    st.sampled_from([0, 0.5, 1]),
)
def test_length_and_dynamics_hold(seed: int, speed: float, ramp: str, balance: float) -> None:
    video = spoken(seed)
    found = Plan(balance, ramp=ramp).select(video, speed)
    assert len(found.frames) == wanted_frames(video.frames, speed)
    if ramp == "normal":
        assert obeys_dynamics(found)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([4, 8]))
def test_corrections_hold_beside_whole_lines(seed: int, speed: float) -> None:
    video = spoken(seed)
    found = corrected(Plan(), [Keep((100, 110)), Cut((0, 30))]).select(video, speed)
    assert len(found.frames) == wanted_frames(video.frames, speed)
    assert found.frames[0] >= 300
    assert set(range(1000, 1100)) <= set(found.frames.tolist())
    assert obeys_dynamics(found)


def test_fewer_edges_lie_inside_lines() -> None:
    shares = []
    for whole in (False, True):
        plans = [(video, Plan(whole_lines=whole).select(video, 4).frames) for video in map(spoken, range(12))]
        shares.append(np.concatenate([inside(frames, video) for video, frames in plans]).mean())
    assert shares[1] < shares[0] / 2


def test_off_and_no_lines_are_as_before() -> None:
    video = spoken(3)
    plain = Plan().select(replace(video, lines=None), 8).frames
    assert Plan(whole_lines=False).select(video, 8).frames.tolist() == plain.tolist()
    assert Plan().select(replace(video, lines=np.zeros((0, 2))), 8).frames.tolist() == plain.tolist()


def test_rolling_captions_end_where_the_next_begins() -> None:
    lines = WholeLines.of(np.array([[4.0, 9.0], [0.0, 5.0], [2.0, 7.0]]), 5.0).lines
    assert lines.tolist() == [[0, 2], [2, 4], [4, 9]]
    marked = np.flatnonzero(inside_lines(lines, 100, 10, 0.3))
    assert marked.tolist() == [*range(4, 17), *range(24, 37), *range(44, 87)]


def test_edges_are_where_the_speed_crosses_two() -> None:
    assert slow_edges(np.array([0, 10, 11, 13, 20])).tolist() == [10, 13]


def test_lines_travel_with_the_alignment(tmp_path: Path) -> None:
    cues = (Cue(Fraction(1), Fraction(5, 2), "so"), Cue(Fraction(4), Fraction(5), "then"))
    video = alignment().with_lines(Narration(cues))
    assert video.lines is not None
    assert video.lines.tolist() == [[1, 2.5], [4, 5]]
    video.save(tmp_path / "a.npz")
    kept = Alignment.load(tmp_path / "a.npz").lines
    assert kept is not None
    assert kept.tolist() == video.lines.tolist()
    assert alignment().with_lines(None).lines is None
    shown = Cue(Fraction(0), Fraction(9), "a slide", kind="shown")
    both = alignment().with_lines(Narration((shown, *cues))).lines
    assert both is not None
    assert both.tolist() == video.lines.tolist()  # slides are not spoken


def test_the_toll_follows_the_room_and_the_frame_rate() -> None:
    lines = np.array([[0.0, 2.0], [2.0, 4.0]])
    for room, rate, toll in ((5.0, 25, 2.0), (5.0, 50, 4.0), (30.0, 25, 8.0)):
        tolls = WholeLines(lines, room).tolls(4 * rate, rate)
        assert set(tolls) == {0, toll}
        inside = np.flatnonzero(tolls) / rate
        assert inside[0] > 0.25
        assert not ((inside > 1.75) & (inside <= 2.25)).any()
        assert inside[-1] < 3.75


def test_runs_of_whole_lines() -> None:
    starts = np.arange(12.0)
    lines = WholeLines(np.stack([starts, starts + 1], axis=1), 100.0)
    found = lines.within(5.0, 6.0)  # two seconds more on either side
    assert found == [(float(a), float(b)) for a in range(3, 8) for b in range(a + 1, 9)]
    assert max(b - a for a, b in lines.within(0, 12)) == 8  # lines that a moment may be made of
    long = np.stack([starts * 10, starts * 10 + 10], axis=1)
    assert {b - a for a, b in WholeLines(long, 100.0).within(0, 120)} == {10, 20, 30}
    assert {b - a for a, b in WholeLines(long, 2.0).within(0, 120)} == {10}  # five seconds for each second of room
    short = WholeLines(np.array([[0.0, 0.9], [5.0, 6.0]]), 100.0)
    assert short.within(0, 9) == [(0, 6), (5, 6)]


def test_times_inside_a_line() -> None:
    lines = WholeLines(np.array([[1.0, 2.0], [4.0, 5.0]]), 1.0)
    times = np.array([0.5, 1.25, 1.26, 1.74, 1.75, 3.0, 4.2, 4.5, 4.8, 9.0])
    assert lines.cut_off(times).tolist() == [0, 0, 1, 1, 0, 0, 0, 1, 0, 0]


def test_frames_inside_a_line_are_strictly_inside() -> None:
    marked = inside_lines(np.array([[0.0, 1.0], [0.95, 2.0]]), 30, 10, 0.1)
    assert np.flatnonzero(marked).tolist() == [*range(2, 9), *range(11, 19)]
    assert not inside_lines(np.array([[0.0, 0.2]]), 30, 10, 0.1).any()
    assert np.flatnonzero(inside_lines(np.array([[-1.0, 9.0]]), 5, 10, 0.0)).tolist() == [1, 2, 3, 4]


def test_what_an_edge_inside_a_line_costs_follows_the_room_for_each_sentence() -> None:
    video = spoken(3)
    assert video.duration == 300
    room = 300 / 10 / len(video.document)
    toll = Plan().toll(video, 10)
    assert toll is not None
    assert set(toll.tolist()) == {0.0, TOLL * room * float(video.rate) / 25}
    generous = Plan().toll(video, 1.5)
    assert generous is not None
    assert generous.max() == min(TOLL * 200 / len(video.document), HIGHEST_TOLL) * float(video.rate) / 25
    assert Plan(whole_lines=False).toll(video, 10) is None
    assert Plan().toll(replace(video, lines=None), 10) is None
