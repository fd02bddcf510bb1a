"""VDAN of pictures as an encoder: from a video file to an Alignment, without PyTorch."""

import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Extent
from saffa.encoders.base import Query
from saffa.encoders.registry import load_encoder
from saffa.encoders.vdan.dimensions import Dimensions
from saffa.encoders.vdan.onnx_encoder import Pairs
from saffa.encoders.vdan.picture_encoder import PictureVdanEncoder, fit
from saffa.encoders.vdan.picture_space import Domain, PictureSpace
from saffa.encoders.vdan.picture_vdan import PictureVdan, arrays_of, space_of
from saffa.encoders.visual.frame_features import FEATURES
from saffa.media.frame_stream import DecodedFrame, read_frames
from saffa.research.training.vdan.networks import Vdan
from saffa.research.training.vdan.picture_run import write_picture_model
from saffa.storage.models import ModelFolder
from tests.encoders.colours import colour_video

TEXT = Document(("the red one", "...", "then green"))


def space() -> PictureSpace:
    random = np.random.default_rng(2)
    arrays = {
        "gate_weight": random.normal(size=FEATURES) / 40,
        "gate_bias": np.zeros(1),
        "centre": random.normal(size=FEATURES) / 4,
        "image_mean": np.zeros(FEATURES),
        "image_scale": np.ones(FEATURES),
        "image_map": random.normal(size=(FEATURES, 5)) / 10,
        "word_map": random.normal(size=(256 + 3, 5)),
        "word_vectors": random.normal(size=(2, 3)),
    }
    floats = {name: array.astype(np.float32) for name, array in arrays.items()}
    mean, scale = np.full(FEATURES, 0.3, np.float32), np.full(FEATURES, 0.5, np.float32)
    return PictureSpace(mean, scale, Domain(floats, {"red": 0, "pan": 1}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    torch.manual_seed(4)
    own = space()
    dims = Dimensions(
        vocabulary=3,
        word=256 + 5,
        word_hidden=6,
        word_attention=7,
        sentence_hidden=5,
        sentence_attention=8,
        visual=own.width,
        projection=9,
        embedding=8,
        h0="mapped",
    )
    target = tmp_path_factory.mktemp("models") / "tiny"
    return write_picture_model(Vdan(dims, backbone=False), own, target, {"data": "none"})


@pytest.fixture
def encoder(folder: ModelFolder) -> Iterator[PictureVdanEncoder]:
    made = load_encoder(str(folder.path))
    assert isinstance(made, PictureVdanEncoder)
    yield made


def test_prepared_pictures_are_centred_as_far_as_they_belong_to_the_domain() -> None:
    own = space()
    assert own.domain is not None
    features = np.random.default_rng(1).random((4, FEATURES), np.float32)
    phi = own(features)
    surely = phi[:, -1:]
    standard = (features - own.mean) / own.scale
    np.testing.assert_allclose(phi[:, :FEATURES], standard - surely * own.domain.arrays["centre"], atol=1e-5)
    np.testing.assert_allclose(phi[:, FEATURES:-1], surely * own.domain.picture(features), atol=1e-5)
    plain = PictureSpace(own.mean, own.scale)
    np.testing.assert_allclose(plain(features), standard, atol=1e-6)


def test_a_word_of_the_domain_differs_by_its_own_vector_alone() -> None:
    own = space()
    assert own.domain is not None
    general = np.zeros((2, 256), np.float32)
    red, blue = own.domain.word(["red", "blue"], general)
    np.testing.assert_allclose(
        red - blue, own.domain.arrays["word_vectors"][0] @ own.domain.arrays["word_map"][256:], atol=1e-5
    )


def test_the_space_survives_its_file_form() -> None:
    own = space()
    arrays, words = arrays_of(own)
    again = space_of({name: array.astype(np.float32) for name, array in arrays.items()}, words)
    features = np.random.default_rng(1).random((3, FEATURES), np.float32)
    np.testing.assert_allclose(again(features), own(features), atol=0.02)
    assert words == ["red", "pan"]


def test_features_of_another_width_are_named() -> None:
    with pytest.raises(InputError, match=r"must have the shape \(n, 1280\), not \(2, 512\)"):
        space()(np.zeros((2, 512), np.float32))


def test_aligns_a_video(encoder: PictureVdanEncoder, tmp_path: Path) -> None:
    video = colour_video(tmp_path / "colours.mp4")
    found = encoder.encode(video, TEXT, None)
    assert (found.frames, found.encoder) == (300, "tiny")
    assert found.relevance.shape == found.times.shape
    assert (found.relevance >= 0).all() and (found.relevance <= 1).all()
    np.testing.assert_allclose(found.sentence_weights.sum(1), 1, atol=1e-4)
    assert (found.sentence_weights[:, 1] == 0).all()
    middles = [found.e_v[(found.times > t) & (found.times < t + 8)] for t in (1, 11, 21)]
    assert all(np.ptp(part, axis=0).max() < 0.1 for part in middles)  # one colour looks the same all the time


def test_reading_along_agrees_with_the_whole(encoder: PictureVdanEncoder, tmp_path: Path) -> None:
    video = colour_video(tmp_path / "colours.mp4")
    whole = encoder.encode(video, TEXT, None)
    reading = encoder.open(video, TEXT, None)
    frames = dict(read_frames(video))
    for frame in (50, 150, 250):
        answer = reading.answer(Query(frame, frame / 10, (DecodedFrame(0, frames[frame]),)))
        near = int(np.abs(whole.times - frame / 10).argmin())
        np.testing.assert_allclose(answer.e_v, whole.e_v[near], atol=0.05)
        np.testing.assert_allclose(answer.e_d, whole.e_d[near], atol=0.05)
        assert 0 <= answer.relevance <= 1


def test_a_picture_speaks_for_the_sentence_it_looks_at() -> None:
    unit = np.array([[1.0, 0], [0, 1.0]], np.float32)
    said = fit(Pairs(unit, unit[:1].repeat(2, 0), np.array([[0.9, 0.1], [0.5, 0.5]], np.float32)))
    assert said[0, 0] > said[0, 1] > said[1, 0]
    assert said[1, 0] == said[1, 1]


def test_a_text_without_words_and_a_video_without_pictures_are_refused(encoder: PictureVdanEncoder) -> None:
    with pytest.raises(InputError, match="The text has no words"):
        encoder.encode(Extent(10, Fraction(10)), Document(("...",)), None)
    with pytest.raises(InputError, match="needs the video file itself"):
        encoder.encode(Extent(10, Fraction(10)), TEXT, None)


def test_damaged_models_are_named(folder: ModelFolder, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in folder.path.iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    (broken / "weights.safetensors").write_bytes(b"not weights")
    with pytest.raises(InputError, match="not readable"):
        _ = PictureVdan(ModelFolder.open(broken)).space


def test_runs_without_pytorch(folder: ModelFolder) -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from saffa.encoders.vdan.picture_vdan import PictureVdan\n"
        "from saffa.storage.models import ModelFolder\n"
        "from pathlib import Path\n"
        f"model = PictureVdan(ModelFolder.open(Path({str(folder.path)!r})))\n"
        "print(model.read(['a red thing']).vectors.shape)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "(1, 12)", done.stderr
