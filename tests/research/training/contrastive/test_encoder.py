from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.encoders.registry import open_model
from saffa.encoders.visual.sentences import SentenceMeans
from saffa.research.datasets import msvd_long
from saffa.research.datasets.base import BenchmarkVideo, FeatureVideo
from saffa.research.datasets.msvd_long import load
from saffa.research.datasets.registry import WantedVideos
from saffa.research.evaluation.benchmarks import run_benchmark
from saffa.research.evaluation.metrics import truth_of
from saffa.research.evaluation.roc import frame_auc
from saffa.research.training.contrastive.encoder import (
    ContrastiveEncoder,
    ShotOrder,
    shot_means,
    shot_of_row,
    shot_starts,
)
from saffa.research.training.contrastive.training import MODEL, ContrastiveSettings, train_contrastive
from tests.research.training.training_data import clips_of, write_files


def video(features: np.ndarray, sentences: tuple[str, ...]) -> FeatureVideo:
    rows = np.arange(len(features)).repeat(3)
    document = Document(sentences)
    return FeatureVideo("v", len(rows), Fraction(30), document, None, ((0, 3),), features.astype(np.float32), rows)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contrastive")
    *_, words = write_files(folder)
    facts = train_contrastive(
        *clips_of(folder, "mean"), words, folder / "run", networks=2, settings=ContrastiveSettings(8, 40, 18, rate=0.02)
    )
    assert facts["mrr_clips"] == 6
    assert 0 < facts["mrr"] <= 1
    return folder


def test_finds_the_sentence_that_is_shown(run: Path) -> None:
    clips = clips_of(run, "mean")[0]
    encoder = open_model(run / "run" / MODEL)
    assert isinstance(encoder, ContrastiveEncoder)
    movie = video(clips.features[:4, 0], (clips.captions[1][0], clips.captions[3][0]))
    seen = encoder.encode(movie, movie.document, None)
    assert seen.relevance.shape == (12,)
    np.testing.assert_allclose(seen.sentence_weights.sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(seen.e_v, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(seen.e_d, axis=1), 1, atol=1e-5)
    assert seen.sentence_weights[3].argmax() == 0
    assert seen.sentence_weights[9].argmax() == 1


@pytest.mark.parametrize("reading", ["", "@frames"])
def test_ways_to_read(run: Path, reading: str) -> None:
    encoder = open_model(f"{run / 'run' / MODEL}{reading}")
    movie = video(np.eye(6)[:2], ("boil the water",))
    assert encoder.encode(movie, movie.document, None).relevance.shape == (6,)


def test_refuses_what_it_cannot_do(run: Path) -> None:
    with pytest.raises(InputError, match="as it is or as @frames"):
        open_model(f"{run / 'run' / MODEL}@guess")
    plain = BenchmarkVideo("v", 9, Fraction(30), Document(("x",)), None, ())
    with pytest.raises(InputError, match="MSVD-Long only"):
        open_model(run / "run" / MODEL).encode(plain, plain.document, None)


def test_means_weigh_rare_words_more() -> None:
    means = SentenceMeans.of_text(["the cat", "the dog", "the cow"], {"cat": 0, "the": 1}, np.eye(2, dtype=np.float32))
    (row,) = means(["the cat"])
    assert row.shape == (258,)
    assert row[256] > row[257] > 0
    assert not means(["?!"]).any()


def test_shipped_model_reads_the_document(shared_data: Path) -> None:
    """A dozen videos are enough to tell .9 from .5; docs/method/vdan.md has the whole table."""
    encoder = open_model("msvd-plus")
    assert encoder.name == "msvd-plus"
    means = []
    for shuffled in (False, True):
        videos = load(shared_data, "val", shuffled_documents=shuffled)[:12]
        seen = [encoder.encode(v, v.document, None).relevance_per_frame() for v in videos]
        means.append(np.mean([frame_auc(r, truth_of(v.steps, v.frames)) for r, v in zip(seen, videos, strict=True)]))
    assert means[0] > 0.8
    assert 0.35 < means[1] < 0.65


def test_benchmark_reports_the_area(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = load(shared_data, "val")[:2]
    monkeypatch.setattr(msvd_long, "load", lambda *_, **__: some)
    report = run_benchmark("msvd-long", WantedVideos(shared_data, "val"), 12, ["uniform", "plan"], auc=True).to_json()
    assert report["rows"][0]["auc"] == 0.5
    assert report["rows"][1]["auc"] > 0.6
    plain = run_benchmark("msvd-long", WantedVideos(shared_data, "val"), 12, ["uniform"]).to_json()
    assert "auc" not in plain["rows"][0]


def test_control_is_for_msvd_long_only(shared_data: Path) -> None:
    with pytest.raises(InputError, match="msvd-long, assembled only"):
        run_benchmark("youcook2-narrated", WantedVideos(shared_data, "val", shuffled_documents=True), 12, ["uniform"])


def by_hand(order: ShotOrder, similarity: np.ndarray) -> np.ndarray:
    """All ways to give each shot a sentence or none, in order; weights as the class describes them."""
    shots, sentences = similarity.shape
    total, shown = 0.0, np.zeros(similarity.shape)
    for way in product(range(-1, sentences), repeat=shots):
        told = [k for k in way if k >= 0]
        if told != sorted(told):
            continue
        runs = [k for m, k in enumerate(way) if k >= 0 and (m == 0 or way[m - 1] != k)]
        if len(runs) != len(set(runs)):  # a sentence that comes back after a pause
            continue
        log = sum(order.sharpness * (similarity[m, k] - order.threshold) for m, k in enumerate(way) if k >= 0)
        log += order.go_on * (len(told) - len(runs)) + order.leave_out * (sentences - len(runs))
        total += np.exp(log)
        for m, k in enumerate(way):
            if k >= 0:
                shown[m, k] += np.exp(log)
    return shown / total


@pytest.mark.parametrize(("shots", "sentences"), [(1, 1), (4, 2), (5, 3), (2, 3)])
def test_posterior_is_the_sum_over_all_ways(shots: int, sentences: int) -> None:
    similarity = np.random.default_rng(shots).uniform(-0.3, 0.6, (shots, sentences))
    np.testing.assert_allclose(ShotOrder().posterior(similarity), by_hand(ShotOrder(), similarity), atol=1e-12)


def test_order_helps_where_similarity_is_unsure() -> None:
    similarity = np.zeros((4, 2))
    similarity[1, 0], similarity[2, 1], similarity[0, 1] = 0.6, 0.5, 0.5  # sentence 2 fits shots 0 and 2
    posterior = ShotOrder().posterior(similarity)
    assert posterior[2, 1] > 3 * posterior[0, 1]


def test_no_evidence_prefers_no_place() -> None:
    shown = ShotOrder().posterior(np.full((12, 5), 0.1)).sum(1)
    assert shown.max() - shown.min() < 0.2
    np.testing.assert_allclose(shown, shown[::-1])


def test_shots() -> None:
    rows = np.repeat(np.eye(3), [2, 3, 1], axis=0)
    starts = shot_starts(rows)
    assert starts.tolist() == [0, 2, 5]
    shots = shot_of_row(starts, 6)
    assert shots.tolist() == [0, 0, 1, 1, 1, 2]
    means = shot_means(np.arange(6.0)[:, None], shots, np.array([1.0, 3, 1, 1, 1, 1]))
    assert means[:, 0].tolist() == [0.75, 3, 5]
    assert shot_starts(rows[:1]).tolist() == [0]
