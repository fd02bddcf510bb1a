"""Sound joined across cuts: what is cut is gone but for the cross-fade, nothing clicks, the length is exact."""

from fractions import Fraction

import numpy as np
import pytest

from saffa.core.timeline import Splice
from saffa.media.sound.track import CROSS_FADE, _joints, spliced

RATE = 8000


def joined(sound: np.ndarray, cuts: list[tuple[float, float]], block: int = 1000) -> np.ndarray:
    splice = Splice(tuple((Fraction(a), Fraction(b)) for a, b in cuts))
    blocks = [sound[i : i + block].astype(np.float32) for i in range(0, len(sound), block)]
    return np.concatenate(list(spliced(blocks, RATE, splice)))


@pytest.mark.parametrize("block", [37, 1000, 10**6])
def test_what_is_cut_is_gone_and_the_rest_is_untouched(block: int) -> None:
    sound = np.arange(4 * RATE)[:, None] * np.ones((1, 2)) / RATE
    out = joined(sound, [(1.0, 2.0), (3.0, 3.5)], block)
    wanted = np.concatenate([sound[:RATE], sound[2 * RATE : 3 * RATE], sound[int(3.5 * RATE) :]])
    assert out.shape == wanted.shape
    near = int(CROSS_FADE * RATE / 2)
    untouched = np.ones(len(out), bool)
    for joint in (RATE, 2 * RATE):
        untouched[joint - near : joint + near] = False
    np.testing.assert_allclose(out[untouched], wanted[untouched], atol=1e-6)


def test_a_joint_does_not_click() -> None:
    sound = np.where(np.arange(2 * RATE) < RATE, 1.0, -1.0)[:, None]
    out = joined(sound, [(0.5, 1.5)])
    assert np.abs(np.diff(out[:, 0])).max() < 0.1


def test_cuts_at_the_edges_and_close_together() -> None:
    sound = np.ones((RATE, 1))
    assert len(joined(sound, [(0.0, 0.25)])) == 0.75 * RATE
    assert len(joined(sound, [(0.1, 0.2), (0.201, 0.3)])) == RATE - round(0.199 * RATE)
    assert len(joined(sound, [(0.5, 0.501)])) == RATE - 8
    assert len(joined(sound[: RATE // 2], [(0.6, 0.7)])) == RATE // 2  # the sound ends before the cut


@pytest.mark.parametrize("channels", [1, 2])
def test_sound_that_ends_inside_a_cut_fades_out(channels: int) -> None:
    sound = np.ones((round(0.65 * RATE), channels))
    out = joined(sound, [(0.6, 0.7)])
    half = int(CROSS_FADE * RATE / 2)
    assert out.shape == (round(0.6 * RATE) + half, channels)
    assert (out[: -2 * half] == 1).all()
    assert (np.diff(out[-2 * half :], axis=0) < 0).all()
    assert out[-1].max() < 0.01


def test_a_cut_one_sample_after_the_start_leaves_that_sample() -> None:
    sound = np.array([0.5, *[0.0] * (RATE - 1)])[:, None]
    assert joined(sound, [(1 / RATE, 0.5)])[:, 0].tolist() == [0.5, *[0.0] * (RATE // 2)]


@pytest.mark.parametrize(
    ("cuts", "joints"),
    [
        ([(1, 2)], [(8000, 16000, 80)]),
        ([(0, 1)], [(0, 8000, 0)]),
        ([(1, 2), (2.01, 3)], [(8000, 16000, 40), (16080, 24000, 40)]),
        ([(1, 1.002)], [(8000, 8016, 8)]),
        ([(0.004, 2)], [(32, 16000, 16)]),
    ],
)
def test_a_cross_fade_fits_between_cuts(cuts: list[tuple[float, float]], joints: list[tuple[int, int, int]]) -> None:
    """A hundredth of a second on either side, and no more than half of what lies before, between and after."""
    splice = Splice(tuple((Fraction(str(a)), Fraction(str(b))) for a, b in cuts))
    assert _joints(splice, RATE) == joints


def test_a_cross_fade_is_half_of_each_in_its_middle() -> None:
    sound = np.where(np.arange(2 * RATE) < RATE, 1.0, 3.0)[:, None]
    out = joined(sound, [(0.5, 1.5)])[:, 0]
    half = RATE // 2
    assert out[half - 81] == 1
    assert out[half + 80] == 3
    np.testing.assert_allclose(out[half - 80 : half + 80] + out[half - 80 : half + 80][::-1], 4, atol=1e-5)
    np.testing.assert_allclose(out[half - 40], 1 + 2 * np.sin(np.pi / 2 * 40.5 / 160) ** 2, atol=1e-6)
