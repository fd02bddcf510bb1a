"""Captions in the picture: where they should be, nowhere else, and never in the frame of the decoder."""

from fractions import Fraction

import av
import numpy as np
import pytest

from saffa.core.timeline import segments_between
from saffa.media.caption import captioned
from saffa.pipeline.finish import step_captions


def grey(pixels: str, size: tuple[int, int] = (320, 180)) -> av.VideoFrame:
    picture = np.full((size[1], size[0], 3), 120, np.uint8)
    return av.VideoFrame.from_ndarray(picture, "rgb24").reformat(format=pixels)


@pytest.mark.parametrize("pixels", ["yuv420p", "yuv444p", "yuvj420p", "yuv420p10le"])
def test_words_are_in_the_lower_left_corner_of_a_copy(pixels: str) -> None:
    frame = grey(pixels)
    before = frame.to_ndarray(format="gray")
    first, second = captioned(iter([frame, frame]), [(1, "3. Stir   2×")])
    assert second is frame
    assert (frame.to_ndarray(format="gray") == before).all()
    after = first.to_ndarray(format="gray").astype(int)
    changed = np.argwhere(np.abs(after - before) > 20)
    assert len(changed) > 100
    assert changed[:, 0].min() > 0.85 * frame.height
    assert changed[:, 1].max() < 0.5 * frame.width
    assert after.max() > 200  # white letters
    assert after[-5:, :60].min() < 80  # on a dark ground


def test_a_caption_tells_step_and_speed() -> None:
    edges = [Fraction(k, 5) for k in range(5)]
    found = step_captions(segments_between(edges, Fraction(10), [None, 0, 0, 1]), ("mix", "bake " * 30), Fraction(10))
    assert found[:2] == [(1, "2×"), (2, "1. mix   2×")]
    assert found[2][1].startswith("2. bake")
    assert len(found[2][1]) < 60
