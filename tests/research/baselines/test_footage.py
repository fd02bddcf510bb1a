"""Real pictures: a photograph-like texture that is moved by known amounts, and real files."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.encoders.visual.frame_features import SeenVideo
from saffa.media.probe import probe
from saffa.methods.base import watched
from saffa.research.baselines.bot import Bot, NonRl
from saffa.research.baselines.footage import Footage, colour_moments, watch, without_gaps
from saffa.research.baselines.sas import PictureDescriptor, Sas, histograms, turn_weights
from saffa.research.baselines.sasv2 import SasV2
from tests.methods.made import alignment

pytest.importorskip("cv2", reason="OpenCV is not installed (saffa[baselines])")


def texture(width: int, height: int) -> NDArray[np.uint8]:
    random = np.random.default_rng(0)
    coarse = random.integers(0, 255, (height // 8, width // 8, 3)).astype(np.float64)
    fine = np.kron(coarse, np.ones((8, 8, 1)))
    for axis in (0, 1):
        for _ in range(3):
            fine = (np.roll(fine, 1, axis) + fine + np.roll(fine, -1, axis)) / 3
    return fine.astype(np.uint8)


@pytest.fixture(scope="module")
def panned(tmp_path_factory: pytest.TempPathFactory) -> Footage:
    """A picture of 640 × 360 that moves 4 pixels to the left each frame: 2 of the halved picture."""
    wide = texture(960, 360)
    pictures = [wide[:, 4 * i : 4 * i + 640] for i in range(40)]
    return watch(probe(write(tmp_path_factory.mktemp("footage") / "pan.mp4", pictures)))


def write(path: Path, pictures: list[NDArray[np.uint8]], rotation: int = 0) -> Path:
    """A file whose pictures are stored as given and shown turned clockwise by `rotation`."""
    with av.open(path, "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(25), options={"crf": "12"})
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        stream.set_display_rotation(-rotation)
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")))
        container.mux(stream.encode())
    return path


def test_a_pan_is_measured(panned: Footage) -> None:
    assert (panned.width, panned.height) == (320, 180)
    steps = panned.flow.steps[:-1]
    assert steps.shape == (39, 50, 2)
    assert float(np.median(steps[..., 0])) == pytest.approx(-2, abs=0.1)
    assert float(np.median(steps[..., 1])) == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_turned_file_is_measured_as_it_is_shown(tmp_path: Path, rotation: int) -> None:
    """A portrait of a telephone: 160 × 320, the camera turns to the right while it rises."""
    wall = texture(240, 400)
    shown = [wall[60 - 2 * i : 380 - 2 * i, 4 * i : 4 * i + 160] for i in range(12)]
    stored = [np.rot90(picture, rotation // 90) for picture in shown]
    straight = watch(probe(write(tmp_path / "upright.mp4", shown)))
    turned = watch(probe(write(tmp_path / "turned.mp4", stored, rotation)))
    assert (turned.width, turned.height) == (straight.width, straight.height) == (80, 160)
    for footage in (straight, turned):
        steps = footage.flow.steps[:-1]
        assert float(np.median(steps[..., 0])) == pytest.approx(-2, abs=0.1)
        assert float(np.median(steps[..., 1])) == pytest.approx(1, abs=0.1)
    close = np.abs(turned.flow.steps - straight.flow.steps).max(2) < 0.25
    assert close.mean() > 0.9
    np.testing.assert_allclose(turned.colours.rows, straight.colours.rows, atol=0.05)
    mean, straight_mean = turned.moments[:, :48], straight.moments[:, :48]  # by square: the place counts
    np.testing.assert_allclose(mean, straight_mean, atol=0.05)


def test_colours_change_with_the_distance(panned: Footage) -> None:
    rows = panned.colours.rows
    assert rows.shape == (40, 384)
    np.testing.assert_allclose(rows[:, [127, 255, 383]], 1, rtol=1e-5)  # cumulative shares end at 1
    assert panned.colours.cost(0, 39) > panned.colours.cost(0, 1) > 0


def test_lost_blocks_are_interpolated() -> None:
    steps = np.zeros((5, 2, 2), np.float32)
    steps[:, 0, 0] = [1, np.nan, np.nan, 4, 5]
    steps[:, 1] = np.nan
    filled = without_gaps(steps)
    assert filled[:, 0, 0].tolist() == [1, 2, 3, 4, 5]
    assert not filled[:, 1].any()


def test_moments_by_hand() -> None:
    hsv = np.zeros((8, 8, 3), np.uint8)
    hsv[0, 0, 0] = 255  # one of four pixels of the first square: mean 1/4, variance 3/16, skewness 2/√3
    moments = colour_moments(hsv)
    assert moments.shape == (144,)
    np.testing.assert_allclose(moments[[0, 48, 96]], [0.25, np.sqrt(3) / 4, 2 / np.sqrt(3)], rtol=1e-5)
    assert moments[1] == 0


def test_histograms_count_shares() -> None:
    counted = histograms(np.array([[0, 0, 10], [10, 5, 5]], np.float32), 2)
    np.testing.assert_allclose(counted, np.array([[2 / 3, 1 / 3], [0, 1]]))


def test_turns_count_less() -> None:
    sideways = np.zeros((100, 25), np.float32)
    sideways[50] = 0.05
    sideways[80, :20] = 0.05  # too few blocks
    weights = turn_weights(sideways)
    assert weights[50] == pytest.approx(0.1)
    assert int((weights < 1).sum()) == 30
    assert weights[80] == 1


def test_every_method_works_on_pictures(panned: Footage) -> None:
    video = alignment(40, grid=1)
    random = np.random.default_rng(0)
    seen = SeenVideo(np.array([0.0, 0.5, 1.0], np.float32), random.random((3, 20)).astype(np.float32))
    pictures = PictureDescriptor.joined(panned, seen, np.arange(40) / 25)
    assert pictures.row_of_frame[[0, 12, 13, 39]].tolist() == [0, 0, 1, 2]
    for sampler, told in (
        (Bot(footage=panned), "F+V+A+M"),
        (NonRl(footage=panned), "F+V+A+M"),
        (Sas(pictures=pictures), "classifier for YOLO"),
        (SasV2(pictures=pictures), "classifier for YOLO"),
    ):
        chosen = sampler.select(video, 4.0)
        assert chosen.frames[0] == 0
        assert told in chosen.method


def test_a_real_file_is_watched(shared_data: Path) -> None:
    video = probe(shared_data / "videos" / "opencv_cup.mp4")
    shares: list[float] = []
    sampler = watched(Sas(), video, None, shares.append)
    assert isinstance(sampler, Sas)
    assert sampler.pictures is not None
    assert shares == sorted(shares)
    assert shares[-1] > 0.95
    assert len(sampler.pictures.footage.moments) == video.frames
    assert np.isfinite(sampler.pictures.footage.flow.steps).all()
