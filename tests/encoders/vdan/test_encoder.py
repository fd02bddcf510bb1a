"""The encoder on real (small) movies: grid, dense and lazy agree; any length works; files come from anywhere."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.core.video import Video
from saffa.encoders.base import Encoder, Query, StreamingEncoder
from saffa.encoders.registry import open_model
from saffa.encoders.vdan.encoder import VdanPlusEncoder
from saffa.encoders.vdan.onnx_encoder import OnnxEncoder
from saffa.media.frame_stream import DecodedFrame, read_frames, upright
from saffa.media.probe import probe
from saffa.methods.dynamics import ACTIONS, Dynamics
from saffa.storage.models import ModelFolder
from tests.encoders.small import container, small_encoder, small_folder
from tests.media.movies import Movie
from tests.media.movies import make as make_movie

TEXT = Document(("add the salt", "stir .", "boil water"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return small_folder(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Video:
    return probe(make_movie(tmp_path_factory.mktemp("movie") / "m.mp4", Movie(frames=150)))


def encoder(folder: ModelFolder, stride: int = 32) -> VdanPlusEncoder:
    return VdanPlusEncoder(OnnxEncoder(folder, threads=1), stride)


def test_alignment(folder: ModelFolder, video: Video) -> None:
    made: Encoder = encoder(folder)
    alignment = made.encode(video, TEXT, None)
    assert alignment.times.tolist() == pytest.approx([0, 32 / 25, 64 / 25, 96 / 25, 128 / 25])
    assert alignment.frames == 150 and alignment.rate == 25 and alignment.encoder == "small"
    np.testing.assert_allclose(np.linalg.norm(alignment.e_v, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(alignment.e_d, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(alignment.relevance, (alignment.e_d * alignment.e_v).sum(1), atol=1e-6)
    np.testing.assert_allclose(alignment.sentence_weights.sum(1), 1, atol=1e-5)
    assert np.ptp(alignment.relevance) > 0
    assert made.streaming and made.name == "small"


def test_grid_is_dense_at_its_frames(folder: ModelFolder, video: Video) -> None:
    dense, grid = (encoder(folder, stride).encode(video, TEXT, None) for stride in (1, 7))
    assert len(dense.times) == 150 and dense.encoder == "small@1"
    np.testing.assert_array_equal(grid.e_v, dense.e_v[::7])
    np.testing.assert_allclose(grid.e_d, dense.e_d[::7], atol=1e-6)


def policy(seen: Floats, velocity: int) -> int:
    """Some rule that reads both embeddings and the skip."""
    score = np.random.default_rng(5).normal(size=(3, 9)) @ [*(3 * seen), velocity / 5 - 1]
    return ACTIONS[int(score.argmax())]


def test_lazy_selects_what_dense_selects(folder: ModelFolder, video: Video) -> None:
    whole = encoder(folder, 1).encode(video, TEXT, None)
    dense = np.concatenate([whole.e_d, whole.e_v], axis=1)
    made: StreamingEncoder = encoder(folder, 1)
    reading = encoder(folder, 1).open(video, TEXT, None)
    assert isinstance(made, StreamingEncoder) and reading.window == 32
    stills = [DecodedFrame(i, frame, video.rotation) for i, frame in read_frames(video)]
    runs: list[list[int]] = []
    for lazy in (False, True):
        f, velocity, acceleration, visited = 0, 4, 1, [0]
        while f < video.frames - 1:
            seen = dense[f]
            if lazy:
                answer = reading.answer(Query(f, f / 25, stills[f : f + reading.window]))
                assert answer.relevance == pytest.approx(float(answer.e_d @ answer.e_v), abs=1e-6)
                seen = np.concatenate([answer.e_d, answer.e_v])
            velocity, acceleration = Dynamics().step(velocity, acceleration, policy(seen, velocity))
            f = min(f + velocity, video.frames - 1)
            visited.append(f)
        runs.append(visited)
    assert runs[0] == runs[1]
    assert len(set(np.diff(runs[0]).tolist())) > 1, "a policy that never acts would prove nothing"
    assert reading.clips == len(runs[1]) - 1


def test_an_answer_holds_for_the_stride(folder: ModelFolder, video: Video) -> None:
    reading = encoder(folder, 32).open(video, TEXT, None)
    stills = [DecodedFrame(i, frame) for i, frame in read_frames(video)]
    answers = [reading.answer(Query(f, f / 25, stills[f : f + 32])) for f in (3, 20, 34, 35, 60, 140)]
    assert reading.clips == 3
    assert answers[0] is answers[1] is answers[2] and answers[3] is answers[4]


@pytest.mark.parametrize("frames", [1, 2, 31, 33])
def test_any_length(folder: ModelFolder, tmp_path: Path, frames: int) -> None:
    video = probe(make_movie(tmp_path / "m.mp4", Movie(frames=frames)))
    alignment = encoder(folder).encode(video, Document(("salt",)), None)
    assert len(alignment.times) == 1 + (frames - 1) // 32
    assert alignment.sentence_weights.tolist() == [[1.0]] * len(alignment.times)


def test_pictures_are_upright(folder: ModelFolder, tmp_path: Path) -> None:
    turned = probe(make_movie(tmp_path / "m.mp4", Movie(frames=3, rotation=90)))
    for _, frame in read_frames(turned):
        flat = frame.to_ndarray(format="rgb24")
        shown = upright(frame, turned.rotation)
        assert shown.shape[:2] == turned.size[::-1] == flat.shape[1::-1]
        np.testing.assert_array_equal(upright(frame, 0), flat)
        np.testing.assert_array_equal(upright(frame, 90)[0], flat[::-1, 0])  # the left edge is now on top
    assert len(encoder(folder).encode(turned, TEXT, None).times) == 1


def test_needs_a_file_and_words(folder: ModelFolder, video: Video) -> None:
    class Entry:
        frames = 10
        rate = Fraction(25)

    with pytest.raises(InputError, match="video file"):
        encoder(folder).encode(Entry(), TEXT, None)
    with pytest.raises(InputError, match="no words"):
        encoder(folder).encode(video, Document(("",)), None)


def test_open_by_folder_name_and_file(folder: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_MODELS", str(tmp_path))
    (tmp_path / "mine").symlink_to(folder.path)
    assert open_model(folder.path).name == "small"
    assert open_model("mine", stride=4).name == "mine@4"
    torch.save(container(small_encoder()), tmp_path / "published.pth")
    first = open_model(tmp_path / "published.pth")
    assert isinstance(first, VdanPlusEncoder)
    assert first.name.startswith("published-")
    stamp = (first.onnx.folder.path / "model.json").stat().st_mtime_ns
    again = open_model("published.pth")
    assert isinstance(again, VdanPlusEncoder)
    assert (again.onnx.folder.path / "model.json").stat().st_mtime_ns == stamp, "imported once"
    with pytest.raises(InputError, match="no model"):
        open_model("nothing")
