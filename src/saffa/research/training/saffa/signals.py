"""What the shipped compact agent has learned from: the signals of several encoders, as a folder of small alignments.

Narrated cooking videos (training split), read as a whole and while they play, each with its whole text and with half
of it; long videos assembled from MSVD clips, each judged by an encoder that has not seen it; videos made of validation
pictures, read as a whole and one by one. Some are told to have fewer frames a second. No step boundaries are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.types import Floats, Progress
from saffa.core.video import Axis, Extent
from saffa.encoders.narrated.grid import Grid
from saffa.encoders.registry import load_encoder
from saffa.encoders.visual.encoder import VisualEncoder, VisualReading
from saffa.encoders.visual.evidence import VisualEvidence
from saffa.research.datasets import msvd_long, narrated
from saffa.research.datasets.base import FeatureClips, FeatureVideo, load_clips
from saffa.research.datasets.image_text import NAMES, load
from saffa.research.datasets.picture_rows import picture_row
from saffa.research.training.contrastive.encoder import ContrastiveEncoder, open_contrastive
from saffa.research.training.contrastive.training import ContrastiveSettings, train_contrastive
from saffa.storage.models import ModelFolder

FOLDS = 6
SPLIT = "train"
ASSEMBLED = 60
"""Long videos assembled from the clips of each fold."""
PICTURED = 100
"""Videos made of each set of pictures."""
RATE = Fraction(30)
THINNED = (1, 1, 2, 3)
"""One frame is left of so many, drawn for each video: at 10 frames a second a scene is over in a few jumps."""
DONE = "complete"
"""A file of this name says that a folder has all signals."""


def collect(data: Path, folder: Path, progress: Progress) -> None:
    """Write the alignments into a folder, unless they are all there; `data` holds the benchmarks' folders."""
    if (folder / DONE).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(7)
    for number, alignment in enumerate(signals(data, folder / "encoders")):
        thin = int(random.choice(THINNED))
        thinned(small(alignment), thin).save(folder / f"{alignment.encoder}-{number:04d}.npz")
        progress("Collecting signals", min(number / 1800, 1.0))
    (folder / DONE).touch()


def signals(data: Path, encoders: Path) -> Iterator[Alignment]:
    """All alignments; encoders that are fitted for it are kept in a folder."""
    for name in ("narrated", "narrated-live"):
        encoder = load_encoder(name)
        for place, video in enumerate(narrated.load(data, "training")):
            for text in (video.document, half(video.document, place % 2)):
                yield replace(encoder.encode(video, text, video.narration), encoder=name)
    for fitted, videos in crossed(data, encoders, ASSEMBLED, seed=5):
        for clips in videos:
            yield replace(fitted.encode(clips, clips.document, clips.narration), encoder="msvd-plus")
    yield from pictured(data, PICTURED)


def small(alignment: Alignment) -> Alignment:
    """Relevance and e_D·e_v as they are; embeddings of width 1 with the same product, and one sentence."""
    products = np.einsum("td,td->t", alignment.e_d, alignment.e_v)[:, None].astype(np.float32)
    ones = np.ones_like(products)
    return replace(
        alignment, e_d=ones, e_v=products, sentence_weights=ones, document=("the text",), confidence=None, fit=None
    )


def half(document: Document, first: int) -> Document:
    """Every other sentence: a text that names a part of what is done. A single sentence stays."""
    return Document(document.sentences[first::2] or document.sentences)


def thinned(alignment: Alignment, every: int) -> Alignment:
    """The alignment of a video of which one frame in so many is left."""
    return replace(alignment, frames=-(-alignment.frames // every), rate=alignment.rate / every)


@dataclass(frozen=True, eq=False)
class _Shown(VisualEncoder):
    """The visual encoder with given embeddings, (T, d), instead of a file."""

    seen: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32), repr=False)

    def images(self, video: Axis, grid: Grid) -> Floats:  # noqa: ARG002
        return self.seen


def pictured(data: Path, videos: int) -> Iterator[Alignment]:
    """Videos of each set's validation pictures, which the visual model has not learned from, in two readings."""
    encoder = VisualEncoder()
    for number, name in enumerate(NAMES):
        pictures, random = load(data, name).part("val"), np.random.default_rng(100 + number)
        for _ in range(videos):
            row = picture_row(pictures, random)
            images = encoder.model.embed_images(row.features)
            extent = Extent(int(len(images) * RATE), RATE)
            whole = _Shown(encoder.model, encoder.backbone, seen=images).encode(extent, row.document, None)
            yield replace(whole, encoder="visual")
            reading = VisualReading(VisualEvidence.of(encoder.model, row.document), encoder.backbone)
            answers = [reading.look(image) for image in images]
            yield Alignment(
                times=np.arange(len(images), dtype=np.float32),
                e_v=np.stack([answer.e_v for answer in answers]),
                e_d=np.stack([answer.e_d for answer in answers]),
                relevance=np.array([answer.relevance for answer in answers], np.float32),
                sentence_weights=np.stack([answer.sentence_weights for answer in answers]),
                document=row.document.sentences,
                frames=extent.frames,
                rate=RATE,
                encoder="visual-live",
            )


def dealt(clips: Sequence[str], folds: int, seed: int) -> list[int]:
    """The fold of each clip; clips of one YouTube video share it."""
    sources = sorted(set(map(msvd_long.source_of, clips)))
    order = np.random.default_rng(seed).permutation(len(sources))
    fold_of = {sources[i]: place % folds for place, i in enumerate(order)}
    return [fold_of[msvd_long.source_of(clip)] for clip in clips]


def crossed(
    data: Path, kept: Path, videos: int, seed: int, folds: int = FOLDS, settings: ContrastiveSettings | None = None
) -> Iterator[tuple[ContrastiveEncoder, list[FeatureVideo]]]:
    """Training clips of msvd judged by encoders that have not seen them: each fold's encoder and long videos.

    On clips that it was fitted to, an encoder's relevance is nearly binary, and an agent that learned from it would
    trust relevance too much. So the clips are dealt into folds by their YouTube video; an encoder, kept in a folder, is
    fitted to all folds but one, and `videos` are assembled from the clips of the one left out, whose boundaries are not
    used.
    """
    clips = load_clips(data / "msvd" / "msvd_features.npz", data / "msvd" / "msvd_captions.json", SPLIT)
    fold_of = dealt(clips.ids, folds, seed)
    for fold in range(folds):
        inside = [i for i, own in enumerate(fold_of) if own == fold]
        outside = [i for i, own in enumerate(fold_of) if own != fold]
        trained = train_contrastive(
            _chosen(clips, outside),
            _chosen(clips, inside),
            data / "glove" / "glove_100d_subset.npz",
            kept / f"fold-{fold}",
            settings=settings,
        )
        encoder = open_contrastive(ModelFolder.open(Path(trained["model"])))
        own = {clips.ids[i] for i in inside}
        yield encoder, msvd_long.assemble(data, SPLIT, videos, seed + fold, among=own)


def _chosen(clips: FeatureClips, rows: Sequence[int]) -> FeatureClips:
    return replace(
        clips,
        ids=tuple(clips.ids[i] for i in rows),
        features=clips.features[rows],
        captions=[clips.captions[i] for i in rows],
    )
