"""`tsne`: documents around one video, as its encoder sees them (the paper's t-SNE figure).

Every clip of MSVD's validation part gives a document D+ (its captions mixed with another clip's, as in training). All
are read with the *same* video in mind, projected to two dimensions and coloured by how well they fit it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from saffa.core.document import Document
from saffa.core.errors import SaffaError
from saffa.core.types import Doubles, Floats
from saffa.encoders.base import Encoder
from saffa.encoders.registry import load_encoder
from saffa.research.datasets.base import FeatureClips, FeatureVideo, load_clips
from saffa.research.evaluation.markdown import sheet
from saffa.research.evaluation.protocol import MSVD_LONG
from saffa.research.reproduce.context import Context
from saffa.research.reproduce.curves import compared
from saffa.research.reproduce.figures import Cloud, Sample, draw_cloud
from saffa.research.reproduce.section import ReportSection, not_run, nothing
from saffa.research.training.vdan.pairs import draw_pairs

TITLE = "Documents around a video"
ENCODER = "VDAN+ (clip)"
"""Name of the encoder in `saffa reproduce roc`: the paper's figure shows VDAN+."""
ROUNDS = 4
"""Documents per clip, each with another partner."""
PERPLEXITY = 30.0
NEIGHBOURS = 20
"""The sample from the region of the best fitting documents is drawn among so many."""


@dataclass(frozen=True, eq=False)
class Read:
    """A document read with the video in mind: e_d (d,), fit, attention (N,)."""

    sentences: tuple[str, ...]
    e_d: Floats = field(repr=False)
    fit: float
    attention: Floats
    about: tuple[bool, ...]
    """Which sentences are the video's own captions."""

    @property
    def own(self) -> bool:
        """Whether it describes the video."""
        return any(self.about)


def tsne(context: Context) -> ReportSection:
    """The figure, and what the two sample documents weigh; nothing where MSVD's clips or scikit-learn are not here."""
    if MSVD_LONG not in context.benches:
        return nothing("tsne", TITLE, [not_run("tsne", f"it needs the clips of {MSVD_LONG.name}")])
    msvd = context.data / "msvd"
    try:
        import_tsne()
        clips = load_clips(msvd / "msvd_features.npz", msvd / "msvd_captions.json", "val")
    except SaffaError as error:
        if context.named:
            raise
        why = str(error) if (msvd / "msvd_captions.json").is_file() else f"{CAPTIONED} {error}"
        context.note(not_run("tsne", why))
        return nothing("tsne", TITLE, [not_run("tsne", why)])
    encoder = load_encoder(compared(context.out / "encoders")[ENCODER])
    video = int(np.random.default_rng(0).integers(len(clips)))
    documents = read_documents(context, encoder, clips, video)
    ranked = sorted((d for d in documents if not d.own), key=lambda d: -d.fit)
    own = max((d for d in documents if d.own), key=lambda d: d.fit)
    near = ranked[int(np.random.default_rng(1).integers(NEIGHBOURS))]
    points = projected(np.stack([d.e_d for d in documents]))
    samples = (_sample("describes the video", own, documents), _sample("a neighbour", near, documents))
    cloud = Cloud(points, np.array([d.fit for d in documents]), samples, encoder.name)
    figures = draw_cloud(cloud, context.out / "tsne") + draw_cloud(cloud, context.out / "tsne-map", quote=False)
    rows = [
        [sample.title, f"{weight:.3f}", sentence]
        for sample in samples
        for weight, sentence in sorted(zip(sample.weights, sample.sentences, strict=True), reverse=True)
    ]
    made = sheet(["document", "attention", "sentence"], rows)
    text = INTRODUCTION.format(encoder=encoder.name, clip=clips.ids[video], documents=len(documents))
    own_fits, others = _fits(documents, True), _fits(documents, False)
    count = sum(document.own for document in documents)
    fits = f"Fit of the {count} documents that describe the video: {own_fits}; of others: {others}."
    told = f"Attention on the video's own captions in the document that describes it: {_share(own):.0%} of the whole."
    body = f"{text}\n\n{fits} {told} {QUOTED}\n\n![documents](tsne-map.png)"
    return ReportSection("tsne", TITLE, body, {"tsne": made}, figures)


def read_documents(context: Context, encoder: Encoder, clips: FeatureClips, video: int) -> list[Read]:
    """D+ of every clip, ROUNDS times, read with one video."""
    shown = clip_video(clips, video)
    documents = []
    counts = [len(captions) for captions in clips.captions]
    for turn in range(ROUNDS):
        pairs = [pair for pair in draw_pairs(counts, np.random.default_rng(turn)) if pair.label > 0]
        for pair in pairs:
            sentences = tuple(clips.captions[clip][caption] for clip, caption in pair.document)
            alignment = encoder.encode(shown, Document(sentences), None)
            e_d = alignment.e_d.mean(0)
            fit = float(np.einsum("td,td->t", alignment.e_d, alignment.e_v).mean())
            about = tuple(clip == video for clip, _ in pair.document)
            documents.append(Read(sentences, e_d, fit, alignment.sentence_weights.mean(0), about))
        context.progress("tsne", (turn + 1) / ROUNDS)
    return documents


def clip_video(clips: FeatureClips, clip: int) -> FeatureVideo:
    """A clip as a video of a second per feature."""
    features = clips.features[clip]
    rows = np.arange(len(features)).repeat(30)
    return FeatureVideo(
        clips.ids[clip], len(rows), Fraction(30), Document(("clip",)), None, ((0, len(rows)),), features, rows
    )


def projected(vectors: Floats) -> Doubles:
    """(n, d) → (n, 2)."""
    made = import_tsne()(perplexity=min(PERPLEXITY, (len(vectors) - 1) / 3), init="pca", random_state=0)
    points: Doubles = made.fit_transform(vectors.astype(np.float64))
    return points


def import_tsne() -> Any:
    """scikit-learn's class, if it is installed."""
    try:
        from sklearn.manifold import TSNE  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        raise SaffaError("The t-SNE figure needs scikit-learn: pip install 'saffa[report]'.") from None
    return TSNE


def _sample(title: str, document: Read, documents: list[Read]) -> Sample:
    place = next(i for i, one in enumerate(documents) if one is document)
    attention = tuple(map(float, document.attention))
    return Sample(title, place, document.sentences, attention, document.about, document.fit)


def _share(document: Read) -> float:
    return float(np.sum(document.attention[list(document.about)]))


def _fits(documents: list[Read], own: bool) -> str:
    fits = [document.fit for document in documents if document.own == own]
    return f"{np.mean(fits):.3f} ± {np.std(fits):.3f}"


CAPTIONED = (
    "It mixes documents from clips with many captions each, which MSVD has (the paper: VaTeX), but neither YouCook2 "
    "nor COIN."
)
QUOTED = (
    "The same figure with the sentences themselves is `tsne.png` in the report's folder (captions of MSVD: research)."
)
INTRODUCTION = (
    "Encoder {encoder}, clip {clip} of MSVD's validation part (drawn with seed 0), {documents} documents. The "
    "paper does this with VDAN+ and VaTeX's validation videos."
)
