"""Which frames a clip holds, and what the network gets to see of them."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from saffa.core.types import Rgb
from saffa.encoders.vdan.clips import CLIP, PICTURE, ClipShape, clips_of, resized
from tests.encoders.rule import golden

TINY = ClipShape(32, 2, CLIP.mean, CLIP.deviation)


class Numbered:
    """Frames whose value is their index plus one, so that 0 is black; counts what was taken and converted."""

    def __init__(self, frames: int) -> None:
        self.frames, self.taken, self.converted = frames, 0, 0

    def __iter__(self) -> Iterator[int]:
        for i in range(self.frames):
            self.taken += 1
            yield i

    def to_rgb(self, i: int) -> Rgb:
        self.converted += 1
        return np.full((3, 5, 3), i + 1, np.uint8)

    def clips(self, stride: int) -> Iterator[tuple[int, Rgb]]:
        return clips_of(self, self.to_rgb, TINY, stride)


def indices(clip: Rgb) -> list[int]:
    """Frame index at each place of a clip; -1 is black."""
    return [int(value) - 1 for value in clip[:, 0, 0, 0]]


@pytest.mark.parametrize("frames", [1, 2, 31, 32, 33, 75])
@pytest.mark.parametrize("stride", [1, 7, 32, 50])
def test_clip_of_frame_f(frames: int, stride: int) -> None:
    found = list(Numbered(frames).clips(stride))
    assert [f for f, _ in found] == list(range(0, frames, stride))
    for f, clip in found:
        assert indices(clip) == [i if i < frames else -1 for i in range(f, f + 32)]


@pytest.mark.parametrize(("frames", "batch"), [(75, 16), (96, 16), (80, 32), (48, 16), (64, 16)])
def test_index_map_of_the_reference(shared_data: Path, frames: int, batch: int) -> None:
    z = golden(shared_data, "clip_index_map.npz")
    clips = [indices(clip) for _, clip in Numbered(frames).clips(1)]
    assert len(clips) == frames
    whole = frames // batch * batch  # the reference misplaces the clips of a last, partial batch
    for at, place in (("first", 0), ("last", -1)):
        wanted = z[f"N{frames}_B{batch}_{at}"]
        assert [c[place] if c[place] >= 0 else -10 for c in clips[:whole]] == wanted[:whole].tolist()


@pytest.mark.parametrize(("stride", "converted"), [(1, 200), (32, 200), (50, 32 * 4), (190, 32 + 10)])
def test_one_pass_converts_no_frame_twice_or_in_vain(stride: int, converted: int) -> None:
    video = Numbered(200)
    assert len(list(video.clips(stride))) == len(range(0, 200, stride))
    assert (video.taken, video.converted) == (200, converted)


def test_takes_no_more_than_the_clip_needs() -> None:
    video = Numbered(1000)
    clips = video.clips(3)
    assert [next(clips)[0], next(clips)[0]] == [0, 3]
    assert video.taken == 35


def test_no_frames_at_all() -> None:
    assert list(Numbered(0).clips(1)) == []
    with pytest.raises(ValueError, match="stride"):
        next(Numbered(1).clips(0))


def test_preprocessing_of_the_reference(shared_data: Path) -> None:
    z = golden(shared_data, "preprocess.npz")
    frames = z["frames_rgb_uint8"]
    shape = ClipShape(len(frames), 112, CLIP.mean, CLIP.deviation)
    _, clip = next(clips_of(frames, lambda frame: frame, shape, 1))
    np.testing.assert_allclose(shape.normalised(clip), z["inference_tensor"], atol=1e-6, rtol=0)
    larger = np.stack([resized(frame, 128, 171)[8:120, 30:142] for frame in frames])  # centre crop; 29.5 rounds to even
    np.testing.assert_allclose(shape.normalised(larger), z["validation_tensor"], atol=1e-6, rtol=0)


def test_normalisation() -> None:
    clip = CLIP.normalised(np.zeros((32, 112, 112, 3), np.uint8))
    assert clip.shape == (3, 32, 112, 112) and clip.flags.c_contiguous and clip.dtype == np.float32
    assert clip[:, 0, 0, 0] == pytest.approx([-m / d for m, d in zip(CLIP.mean, CLIP.deviation, strict=True)])
    assert PICTURE.normalised(np.zeros((1, 224, 224, 3), np.uint8)).shape == (3, 224, 224)


def test_any_iterator_will_do() -> None:
    frames = (np.full((4, 4, 3), 9, np.uint8) for _ in islice(range(100), 3))
    *_, (f, clip) = clips_of(frames, lambda frame: frame, TINY, 1)
    assert f == 2 and indices(clip) == [8] + [-1] * 31
