"""Letters are told from pictures by their edges."""

import numpy as np
import pytest
from av import VideoFrame

from saffa.screens.likeness import COLUMNS, ROWS, traits
from tests.screens.slides import slide, texture

LINES = ["Boil the water in a kettle", "Grind the coffee beans"]


def test_slides_have_letters_and_textures_have_none() -> None:
    assert traits(VideoFrame.from_ndarray(slide(LINES), "rgb24")).has_text
    assert traits(VideoFrame.from_ndarray(slide(LINES, (1280, 720)), "rgb24")).has_text
    assert not any(traits(VideoFrame.from_ndarray(texture(seed), "rgb24")).has_text for seed in range(10))
    assert not traits(VideoFrame.from_ndarray(slide([]), "rgb24")).has_text


def test_noise_and_stripes_are_no_letters() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (360, 640, 3), np.uint8)
    stripes = np.zeros((360, 640, 3), np.uint8)
    stripes[:, ::16] = 255
    for picture in (noise, stripes):
        assert not traits(VideoFrame.from_ndarray(picture, "rgb24")).has_text


def test_letters_are_where_the_lines_are() -> None:
    seen = traits(VideoFrame.from_ndarray(slide(["Only one line up here"]), "rgb24"))
    rows = np.flatnonzero(seen.lettered.any(1))
    assert seen.lettered.shape == (ROWS, COLUMNS)
    assert rows.min() >= 1
    assert rows.max() <= ROWS // 4


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_turned_picture_is_seen_upright(rotation: int) -> None:
    upright = slide(LINES)
    stored = np.ascontiguousarray(np.rot90(upright, rotation // 90))
    turned = traits(VideoFrame.from_ndarray(stored, "rgb24"), rotation)
    plain = traits(VideoFrame.from_ndarray(upright, "rgb24"))
    assert turned.has_text
    assert (turned.lettered == plain.lettered).mean() > 0.97


def test_changes_are_found_where_they_are() -> None:
    one = traits(VideoFrame.from_ndarray(slide(LINES), "rgb24"))
    more = traits(VideoFrame.from_ndarray(slide([*LINES, "Pour it"]), "rgb24"))
    rows = np.flatnonzero(more.changed(one).any(1))
    assert not one.changed(one).any()
    assert rows.min() > ROWS // 3
