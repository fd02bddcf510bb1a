"""What pictures alone let one claim."""

from pathlib import Path

import numpy as np
import pytest

from saffa.core.alignment import DOUBTED
from saffa.core.document import Document
from saffa.encoders.registry import load_encoder
from saffa.encoders.visual.confidence import VOTES, BestMoments, Visited, moment_chance
from saffa.encoders.visual.encoder import VisualEncoder
from saffa.encoders.visual.evidence import VisualEvidence
from saffa.encoders.visual.model import VisualModel
from saffa.media.probe import probe
from saffa.storage.store import Store
from tests.encoders.colours import tiny_clip

CARS = ("Cars drive down a road, seen from above.", "A car passes on the street.", "Vehicles move along a wide road.")
LAW = ("The debtor bears the burden of proof.", "The court dismisses the appeal.", "The contract is void.")


def best(own: float, sentences: int = 3, cooking: float = 0.0) -> BestMoments:
    """Generic sentences have the mean 0 and the deviation 1."""
    return BestMoments(np.full(sentences, own, np.float32), np.array([-1, 1], np.float32), cooking, 1)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def model() -> VisualModel:
    return VisualModel.load_for_videos()


def test_fit_rises_with_what_is_seen_and_every_sentence_is_a_vote() -> None:
    all_known = np.ones(3, np.float32)
    low, middle, high = (best(height).fit(all_known) for height in (0.0, 0.8, 2.0))
    assert low < DOUBTED < middle < 0.7 < high
    assert 0.5 < best(2.0, 1).fit(all_known[:1]) < high
    most = [best(2.0, n).fit(np.ones(n, np.float32)) for n in (VOTES, VOTES + 5)]
    assert most[0] == pytest.approx(most[1])


def test_in_a_kitchen_a_high_standing_proves_less() -> None:
    known = np.ones(3, np.float32)
    assert best(2.5, cooking=1.0).fit(known) < best(2.5, cooking=0.5).fit(known) < best(2.5).fit(known)
    assert best(0.0, cooking=1.0).fit(known) < DOUBTED


def test_unknown_words_say_nothing_and_a_sentence_without_words_does_not_count() -> None:
    assert best(2.0).standing(np.array([1, 1, -1], np.float32)) == pytest.approx(2.0)
    assert best(2.0).standing(np.array([1, 0, -1], np.float32)) == pytest.approx(1.0)


def test_the_model_knows_which_words_it_has_read(model: VisualModel) -> None:
    known = model.known(["asdf qwer zxcv", "a car on the road", "...", "the car asdf"])
    assert known[0] == 0 and known[1] == 1 and known[2] == -1
    assert 0 < known[3] < 1


def test_cooking_is_read_from_the_embeddings(model: VisualModel) -> None:
    features = np.random.default_rng(0).random((20, 1280), np.float32)
    assert model.cooking_share(model.embed_images(features)) == pytest.approx(
        float(model.images.gate(features).mean()), abs=1e-3
    )


def test_parts_of_a_video_are_together_what_the_whole_is(model: VisualModel) -> None:
    images = model.embed_images(np.random.default_rng(1).random((5, 1280), np.float32))
    sight = VisualEvidence.of(model, Document(CARS))
    visited = Visited(sight)
    assert visited.certainty() == {}
    for image in images:
        visited.add(image)
    whole = BestMoments.of(sight, model, images).fit(model.known(CARS))
    assert visited.certainty() == {"fit": pytest.approx(whole, abs=1e-5), "by_pictures": True}


def test_a_moment_that_is_likely_for_three_seconds_is_likely_right() -> None:
    shown = np.zeros((20, 2), np.float32)
    shown[4:7, 0] = 0.81
    sure = moment_chance(shown, 1.0, [np.array([0]), np.array([1])])
    assert sure[1] == 0
    assert 0.81 < sure[0] <= 0.95


@pytest.mark.parametrize("name", ["visual", "vdan"])
def test_a_real_road_knows_its_text(shared_data: Path, store: Store, name: str) -> None:
    video, encoder = probe(shared_data / "videos" / "intel_car.mp4"), load_encoder(name, cache=store)
    own = encoder.encode(video, Document(CARS), None)
    assert own.by_pictures and own.fit is not None and own.fit > DOUBTED
    assert own.confidence is not None and own.found().any()
    for text in (("asdf qwer zxcv",), LAW):
        other = encoder.encode(video, Document(text), None)
        assert other.fit is not None and other.fit < DOUBTED


def test_a_model_that_was_not_measured_claims_nothing(tmp_path: Path) -> None:
    encoder = load_encoder(f"clip:{tiny_clip(tmp_path / 'tiny')}")
    assert isinstance(encoder, VisualEncoder)
    visited = Visited(VisualEvidence.of(encoder.model, Document(("green",))))
    visited.add(np.ones(3, np.float32))
    assert visited.certainty() == {}
