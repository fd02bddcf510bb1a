"""The visual encoder on real files: the sample of the package, and made ones."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Video
from saffa.encoders.base import Query, StreamingEncoder
from saffa.encoders.narrated.grid import Grid
from saffa.encoders.registry import load_encoder
from saffa.encoders.visual.encoder import VisualEncoder, VisualReading, pooled
from saffa.encoders.visual.evidence import VisualEvidence
from saffa.encoders.visual.frame_features import SeenVideo, recall_or_see
from saffa.media.frame_stream import DecodedFrame, read_frames
from saffa.media.probe import probe
from saffa.research.evaluation.roc import frame_auc
from saffa.sample import RECIPE, VIDEO
from saffa.storage.models import shipped
from saffa.storage.store import Store
from tests.media.movies import Movie, make

THINGS = ("A cat looks at the camera.", "A woman in an orange space suit.", "A rocket stands on its launch pad.")


@pytest.fixture(scope="module")
def sample() -> Video:
    return probe(VIDEO)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> VisualEncoder:
    return VisualEncoder(cache=Store(tmp_path_factory.mktemp("cache"), 10**9))


def test_alignment_of_the_sample(sample: Video, encoder: VisualEncoder) -> None:
    document = Document.from_file(RECIPE)
    found = encoder.encode(sample, document, None)
    assert found.encoder == "visual"
    np.testing.assert_allclose(np.linalg.norm(found.e_v, axis=1), 1, atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(found.e_d, axis=1), 1, atol=1e-4)
    np.testing.assert_allclose(found.sentence_weights.sum(1), 1, atol=1e-4)
    assert found.relevance.min() >= 0
    assert found.relevance.max() <= 1.01
    assert np.all(np.diff(found.times) > 0)


def test_a_text_without_words_fails_before_the_long_look(sample: Video) -> None:
    looked: list[float] = []
    with pytest.raises(InputError, match="no words"):
        VisualEncoder(progress=looked.append).encode(sample, Document(("123 …",)), None)
    assert not looked


def test_a_video_without_a_file_is_refused(encoder: VisualEncoder) -> None:
    class Entry:
        frames = 100
        rate = Fraction(25)

    with pytest.raises(InputError, match="video file itself"):
        encoder.encode(Entry(), Document(("Boil water.",)), None)


def test_another_text_does_not_look_again(sample: Video, encoder: VisualEncoder) -> None:
    encoder.encode(sample, Document(("Boil water.",)), None)
    looked: list[float] = []
    again = VisualEncoder(cache=encoder.cache, progress=looked.append)
    first = again.encode(sample, Document(("Grind the beans.",)), None)
    assert not looked
    fresh = VisualEncoder().encode(sample, Document(("Grind the beans.",)), None)
    np.testing.assert_array_equal(first.relevance, fresh.relevance)


def test_a_damaged_entry_is_made_again(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "m.mp4", Movie(frames=50)))
    cache, backbone = Store(tmp_path / "cache", 10**9), VisualEncoder().backbone
    seen = recall_or_see(video, backbone, cache)
    (entry,) = (tmp_path / "cache").glob("*.npz")
    entry.write_bytes(entry.read_bytes()[:500])
    again = recall_or_see(video, backbone, cache)
    np.testing.assert_array_equal(seen.features, again.features)


def test_pooling_keeps_what_is_on_screen() -> None:
    seen = SeenVideo(np.array([0.0, 0.5, 7.0], np.float32), np.array([[0.0], [2.0], [5.0]], np.float32))
    cells = pooled(seen, Grid(8, 1.0))
    np.testing.assert_allclose(cells[:, 0], [1, 2, 2, 2, 2, 2, 5, 5])


def test_pooling_averages_about_a_second() -> None:
    times = np.arange(0, 10, 0.5, dtype=np.float32)
    features = np.arange(20, dtype=np.float32)[:, None]
    np.testing.assert_allclose(pooled(SeenVideo(times, features), Grid(10, 1.0))[1:-1, 0], 2.0 * np.arange(1, 9) + 1)


def test_generic_sentences_are_no_evidence(encoder: VisualEncoder, sample: Video) -> None:
    """They fit by 0 standard deviations on average, over a video and for a picture alone, which has a spread of 1."""
    generic = VisualEvidence.of(
        encoder.model, Document(tuple((shipped("visual") / "bank.txt").read_text("utf-8").splitlines()))
    )
    images = encoder.images(sample, Grid(40, 4.0))
    assert abs(float(generic.fit(images).mean())) < 0.05
    alone = generic.fit(images[:1])
    assert float(alone.mean()) == pytest.approx(0, abs=1e-3)
    assert float(alone.std()) == pytest.approx(1, abs=1e-3)
    assert VisualEvidence.of(encoder.model, Document(THINGS)).fit(images).shape == (40, 3)


def test_groups_take_the_likeliest_sentence(encoder: VisualEncoder, sample: Video) -> None:
    images = encoder.images(sample, Grid(40, 4.0))
    sight = VisualEvidence.of(encoder.model, Document(THINGS))
    apart = sight.evidence(images, [np.array([0]), np.array([1]), np.array([2])])
    together = sight.evidence(images, [np.array([0, 1]), np.array([2])])
    np.testing.assert_allclose(together[:, 0], apart[:, :2].max(1), atol=1e-6)


def test_reading_along_agrees_with_the_pictures(encoder: VisualEncoder, sample: Video) -> None:
    """One visited picture at a time finds the same scenes as the look at the whole video."""
    document = Document.from_file(RECIPE)
    assert isinstance(encoder, StreamingEncoder)
    reading = encoder.open(sample, document, None)
    assert isinstance(reading, VisualReading)
    wanted = range(0, sample.frames, 100)
    answers = [
        reading.answer(Query(i, i / 25, (DecodedFrame(i, frame, sample.rotation),)))
        for i, frame in read_frames(sample, wanted)
    ]
    assert all(0 <= a.relevance <= 1 for a in answers)
    assert all(a.sentence_weights.shape == (len(document),) for a in answers)
    whole = encoder.encode(sample, document, None)
    at = np.searchsorted(whole.times, [i / 25 for i in wanted]).clip(0, len(whole.times) - 1)
    same = np.array([a.e_v for a in answers]) * whole.e_v[at]
    assert same.sum(1).mean() > 0.85


def test_neighbouring_frames_are_not_looked_at_again(sample: Video) -> None:
    looked: list[int] = []

    class Counting:
        size = 224
        sha256 = "counting"

        def features(self, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
            looked.append(len(pictures))
            return np.random.default_rng(len(looked)).random((len(pictures), 1280), np.float32)

    reading = VisualEncoder(backbone=Counting()).open(sample, Document.from_file(RECIPE), None)
    answers = [
        reading.answer(Query(i, i / 25, (DecodedFrame(i, frame, sample.rotation),)))
        for i, frame in read_frames(sample, range(30))
    ]
    assert looked == [1, 1, 1]  # at 0, .4 and .8 s
    assert answers[0] is answers[9]
    assert answers[9] is not answers[10]


def test_scenes_of_a_real_clip_are_found(shared_data: Path, encoder: VisualEncoder) -> None:
    """The pancake clip fits a sentence about it better than the other clips do."""
    videos = [
        shared_data / "videos" / name for name in ("decord_flipping_a_pancake.mkv", "intel_car.mp4", "opencv_cup.mp4")
    ]
    text = Document(("A woman cooks with a frying pan in the kitchen.",))
    fits = [
        VisualEvidence.of(encoder.model, text).fit(encoder.images(probe(path), Grid(8, 1.0)))[:, 0] for path in videos
    ]
    truth = np.concatenate([np.full(len(fit), k == 0) for k, fit in enumerate(fits)])
    assert frame_auc(np.concatenate(fits), truth) > 0.95


def test_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_MODELS", "/nonexistent")
    assert [load_encoder(name).name for name in ("visual", "fused", "auto", "narrated")] == [
        "visual",
        "fused",
        "auto",
        "narrated",
    ]
