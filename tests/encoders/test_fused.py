"""Narration and vision together, and what `auto` chooses."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.core.video import Axis, Cue, Narration, Video
from saffa.encoders.fused import SILENT, SPEAKING, AutoEncoder, FusedEncoder, joined, level, trust
from saffa.encoders.narrated.encoder import Heard, NarratedEncoder
from saffa.encoders.narrated.grid import Grid
from saffa.encoders.replay import Replay
from saffa.encoders.stored import StoredEncoder
from saffa.encoders.visual.clip import ClipModel, ClipVision
from saffa.encoders.visual.encoder import VisualEncoder, VisualReading
from saffa.media.probe import probe
from saffa.media.subtitles.lines import find_narration
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.evaluation.roc import frame_auc
from saffa.sample import RECIPE, VIDEO
from saffa.storage.store import Store
from tests.encoders.colours import colour_video, tiny_clip


@pytest.fixture(scope="module")
def sample() -> Video:
    return probe(VIDEO)


@pytest.fixture(scope="module")
def visual(tmp_path_factory: pytest.TempPathFactory) -> VisualEncoder:
    return VisualEncoder(cache=Store(tmp_path_factory.mktemp("cache"), 10**9))


def truth(video: Video) -> np.ndarray:
    """Chapters of the sample that start with a number are the steps."""
    times = video.times()
    steps = [c for c in video.chapters if c.title[0].isdigit()]
    inside = [(times >= float(c.start)) & (times < float(c.end)) for c in steps]
    return np.asarray(np.any(inside, axis=0))


def test_fused_on_the_sample_is_at_least_near_the_narration(sample: Video, visual: VisualEncoder) -> None:
    document, narration = Document.from_file(RECIPE), find_narration(sample)
    areas = {
        encoder.name: frame_auc(encoder.encode(sample, document, narration).relevance_per_frame(), truth(sample))
        for encoder in (NarratedEncoder(), FusedEncoder(visual))
    }
    assert areas["fused"] > 0.8
    assert areas["fused"] > areas["narrated"] - 0.05


def test_where_nobody_speaks_the_pictures_decide(tmp_path: Path) -> None:
    video, folder = colour_video(tmp_path / "colours.mp4"), tiny_clip(tmp_path / "tiny")
    fused = FusedEncoder(VisualEncoder(ClipModel(folder), ClipVision(folder)))
    silent = Narration((Cue(Fraction(0), Fraction(1), "hm"),))
    seen, deaf = (e.encode(video, Document(("green",)), silent).relevance for e in (fused, NarratedEncoder()))
    assert seen[21:29].mean() > seen[1:9].mean() + 0.2
    assert deaf[21:29].mean() < deaf[1:9].mean() + 0.1


def test_pictures_are_trusted_less_where_people_speak() -> None:
    words = tuple(
        Cue(Fraction(t), Fraction(t + 2), f"so {'x' * (1 + t % 7)} and {'y' * (1 + t % 11)} on")
        for t in range(0, 200, 2)
    )
    video = BenchmarkVideo("x", 10000, Fraction(25), Document(("Boil water.",)), None, ())
    trusted = trust(Heard.of(video, video.document, Narration(words)))[:, 0]
    assert trusted[100] == pytest.approx(SPEAKING, abs=1e-3)
    assert trusted[350] == pytest.approx(SILENT, abs=1e-3)


def test_pictures_that_hardly_differ_say_nothing_about_when() -> None:
    still = np.tile(np.array([[-1.5, 0.5]], np.float32), (1000, 1))
    assert np.allclose(level(still), 0, atol=1e-5)
    lively = np.random.default_rng(0).normal(-0.8, 1.5, (1000, 2)).astype(np.float32)
    assert np.allclose(level(lively), lively)


class Still(VisualEncoder):
    """Sees one and the same grey picture all the time."""

    def images(self, video: Axis, grid: Grid) -> Floats:  # noqa: ARG002
        return self.model.embed_images(np.full((1, 1280), 0.4, np.float32)).repeat(grid.cells, 0)


def test_a_still_picture_leaves_the_narration_its_word() -> None:
    """A long talk before one picture: every step was once pressed into the first second."""
    said = [(60, "chop the onions"), (600, "boil the water in the pot"), (1100, "bake the bread")]
    talk = [Cue(Fraction(at), Fraction(at + 8), "so how are you all today my friends") for at in range(0, 1200, 20)]
    steps = [Cue(Fraction(at + 8), Fraction(at + 18), text) for at, text in said]
    lines = Narration(tuple(sorted([*talk, *steps], key=lambda cue: cue.start)))
    document = Document(tuple(text for _, text in said))
    video = BenchmarkVideo("still", 30_000, Fraction(25), document, lines, ())
    fused, heard = (e.encode(video, document, lines) for e in (FusedEncoder(Still()), NarratedEncoder()))
    assert np.corrcoef(fused.relevance, heard.relevance)[0, 1] > 0.9


def test_halves_of_an_embedding_count_the_same() -> None:
    first, second = np.eye(3, dtype=np.float32)[[0, 1]], np.eye(2, dtype=np.float32)[[0, 1]]
    both = joined(first, second)
    np.testing.assert_allclose(np.linalg.norm(both, axis=1), 1, atol=1e-6)
    assert both.shape == (2, 5)
    assert joined(first, second[::-1])[0] @ both[0] == pytest.approx(0.5)


def test_auto_uses_what_there_is(sample: Video, visual: VisualEncoder) -> None:
    document, narration = Document.from_file(RECIPE), find_narration(sample)
    auto = AutoEncoder(visual)
    assert auto.encode(sample, document, narration).encoder == "fused"
    assert auto.encode(sample, document, None).encoder == "visual"
    assert auto.encode(sample, document, Narration(())).encoder == "visual"
    words_only = BenchmarkVideo("x", sample.frames, sample.rate, document, narration, ())
    assert auto.encode(words_only, document, narration).encoder == "narrated"
    assert isinstance(auto.open(sample, document, None), VisualReading)
    assert isinstance(auto.open(sample, document, narration), Replay)


@pytest.mark.parametrize("encoder", [FusedEncoder(), NarratedEncoder()])
def test_forcing_a_narration_that_is_not_there(sample: Video, encoder: FusedEncoder | NarratedEncoder) -> None:
    with pytest.raises(InputError, match="no subtitles"):
        encoder.encode(sample, Document(("Boil water.",)), None)


def test_cached_alignment_is_the_same_and_depends_on_everything(
    sample: Video, visual: VisualEncoder, tmp_path: Path
) -> None:
    cached = StoredEncoder(AutoEncoder(visual), Store(tmp_path, 10**9))
    narration = find_narration(sample)
    first = cached.encode(sample, Document(("Boil water.",)), narration)
    assert len(list(tmp_path.glob("*.npz"))) == 1
    again = cached.encode(sample, Document(("Boil water.",)), narration)
    np.testing.assert_array_equal(first.relevance, again.relevance)
    np.testing.assert_array_equal(first.e_d, again.e_d)
    assert (again.encoder, again.document, again.rate) == (first.encoder, first.document, first.rate)
    assert len(list(tmp_path.glob("*.npz"))) == 1
    cached.encode(sample, Document(("Boil milk.",)), narration)
    cached.encode(sample, Document(("Boil water.",)), None)
    StoredEncoder(visual, Store(tmp_path, 10**9)).encode(sample, Document(("Boil water.",)), None)
    assert len(list(tmp_path.glob("*.npz"))) == 4
    for entry in tmp_path.glob("*.npz"):
        entry.write_bytes(b"broken")
    np.testing.assert_array_equal(cached.encode(sample, first_document(), narration).relevance, first.relevance)


def first_document() -> Document:
    return Document(("Boil water.",))
