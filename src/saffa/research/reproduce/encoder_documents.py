"""`attention`, `products`, `mrr`, `h0`: what VDAN and VDAN+ make of documents of several pictures or clips.

A document holds one caption of each of four pictures (or clips), and is read with these and with four others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.errors import InputError, SaffaError
from saffa.core.strict_json import read_json
from saffa.encoders.registry import load_encoder
from saffa.encoders.vdan.encoder import VdanPlusEncoder
from saffa.encoders.vdan.onnx_encoder import OnnxEncoder
from saffa.research.datasets import image_text
from saffa.research.datasets.base import FeatureClips, load_clips
from saffa.research.evaluation.image_text import whole_split
from saffa.research.evaluation.markdown import sheet, spread
from saffa.research.evaluation.paper import PRODUCTS
from saffa.research.evaluation.picture_documents import (
    RANKED,
    DocumentScores,
    Reader,
    VdanReader,
    reader_of,
    reciprocal_rank,
    score_documents,
)
from saffa.research.reproduce.context import Context
from saffa.research.reproduce.curves import compared
from saffa.research.reproduce.section import ReportSection, not_run, nothing

SENTENCES = 4
PICTURE_ENCODERS = ("vdan", "visual")
CLIP_ENCODERS = ("VDAN+ (clip)", "VDAN (still)")
FIRST_STATES = ("clip", "zeros", "learned")
WIDTHS = (128, 512, 1024)
"""d of the paper's grid."""
RESULT = "result.json"
TOLD = ("validation_loss", "mrr_own_clip", "mrr_query_clip")
"""Figures of a finished run."""


@dataclass(frozen=True)
class Subject:
    """An encoder on a set of n pictures or clips."""

    material: str
    encoder: str
    read: Callable[[], Reader]
    count: int

    def scores(self) -> DocumentScores:
        """Scores with documents of four sentences."""
        return score_documents(self.read(), self.count, SENTENCES)


def subjects(context: Context) -> tuple[list[Subject], list[str]]:
    """Encoders and sets that can be measured here, and lines about what cannot."""
    found: list[Subject] = []
    absent: list[str] = []
    for name in image_text.available(context.data) if (context.data / image_text.FOLDER).is_dir() else ():
        pictures = image_text.load(context.data, name)
        part = pictures.part(whole_split(pictures))
        for encoder in PICTURE_ENCODERS:
            told = f"{name}, {whole_split(pictures)}"
            found.append(Subject(told, encoder, partial(reader_of, encoder, part), len(part)))
    if not found:
        absent.append(not_run("pictures with captions", f"there is no {image_text.FOLDER} in the data"))
    try:
        clips = msvd_clips(context)
    except SaffaError as error:
        return found, [*absent, not_run("clips of msvd", str(error))]
    places = compared(context.out / "encoders")
    for label in CLIP_ENCODERS:
        try:
            found.append(_on_clips(label, places[label], clips))
        except SaffaError as error:
            absent.append(not_run(label, str(error)))
    return found, absent


def msvd_clips(context: Context, split: str = "val") -> FeatureClips:
    """Captioned clips that no encoder has learned from."""
    folder = context.data / "msvd"
    return load_clips(folder / "msvd_features.npz", folder / "msvd_captions.json", split)


def _on_clips(label: str, place: str, clips: FeatureClips) -> Subject:
    _model(place, clips)  # says why it cannot be used before anything is measured
    return Subject("msvd clips, val", label, partial(clip_reader, place, clips), len(clips))


def clip_reader(place: str | Path, clips: FeatureClips, seed: int = 5) -> Reader:
    """A model for features of clips, on one caption of each clip."""
    model, random = _model(place, clips), np.random.default_rng(seed)
    read = model.read([own[int(random.integers(len(own)))] for own in clips.captions])
    phi = np.stack([clips.view(number, None) for number in range(len(clips))])
    return VdanReader(model, read.vectors, phi)


def _model(place: str | Path, clips: FeatureClips) -> OnnxEncoder:
    encoder, width = load_encoder(str(place)), clips.features.shape[-1]
    if not isinstance(encoder, VdanPlusEncoder):
        raise SaffaError(f"{place} is no VDAN for features of clips.")
    if encoder.onnx.dimensions.visual != width:
        told = f"{place} reads features of {encoder.onnx.dimensions.visual} numbers"
        raise SaffaError(f"{told}; those of the clips have {width}.")
    return encoder.onnx


def attention(context: Context) -> ReportSection:
    """Where an encoder looks in a document."""

    def row(one: Subject) -> list[str]:
        scores = one.scores()
        areas = [f"{value:.3f}" for value in (scores.auc, scores.wrong_auc)]
        looks = [f"{scores.attention:.3f}", f"{1 / scores.sentences:.3f}", f"{scores.top:.3f}"]
        return [one.material, one.encoder, *looks, *areas]

    heading = ["set", "encoder", "attention on the own sentence", "chance", "highest there", "AUC", "AUC, other text"]
    return _section(context, "attention", "Does the picture guide the reading?", heading, row, ATTENTION)


def products(context: Context) -> ReportSection:
    """How e_D·e_v are spread."""

    def row(one: Subject) -> list[str]:
        scores = one.scores()
        paper = PRODUCTS.get(one.encoder.split(" ")[0].upper())
        cells = [f"{mean:.3f} ± {deviation:.3f}" for mean, deviation in (scores.own, scores.other)]
        return [one.material, one.encoder, *cells, "–" if paper is None else f"{paper[0]:.3f} ± {paper[1]:.3f}"]

    heading = ["set", "encoder", "own documents", "other documents", "paper: all frames of YouCook2"]
    return _section(context, "products", "The spread of e_D·e_v", heading, row, PRODUCTS_TEXT)


def mrr(context: Context) -> ReportSection:
    """How far up a picture finds its own document."""

    def row(one: Subject) -> list[str]:
        count = min(RANKED, one.count // 2)
        chance = float((1 / np.arange(1, count + 1)).mean())
        rank = reciprocal_rank(one.read(), one.count, SENTENCES)
        return [one.material, one.encoder, str(count), f"{rank:.3f}", f"{chance:.3f}"]

    heading = ["set", "encoder", "documents", "MRR, read with the picture that asks", "chance"]
    return _section(context, "mrr", "Mean reciprocal rank", heading, row, MRR)


def _section(
    context: Context, name: str, title: str, heading: Sequence[str], row: Callable[[Subject], list[str]], about: str
) -> ReportSection:
    found, absent = subjects(context)
    if not found:
        return nothing(name, title, absent)
    rows = []
    for done, one in enumerate(found):
        rows.append(row(one))
        context.progress(name, (done + 1) / len(found))
    made = sheet(heading, rows)
    return ReportSection(name, title, "\n\n".join([about, made.markdown(), *absent]), {name: made})


def h0(context: Context) -> ReportSection:
    """VDAN+ with φ(v), zeros and a learned vector as first state, and with other widths d, over the seeds."""
    title = "The first state of the text (h0) and the width d"
    try:
        clips = msvd_clips(context)
    except SaffaError as error:
        return nothing("h0", title, [not_run("h0", str(error))])
    rows = []
    for group, name in [("h0", kind) for kind in FIRST_STATES] + [("d", str(width)) for width in WIDTHS]:
        runs = list(_runs(context, group, name))
        scored = [score_documents(clip_reader(run / "model", clips), len(clips), SENTENCES) for run, _ in runs]
        if runs:
            rows.append([f"{group} = {name}", *_run_cells([facts for _, facts in runs], scored)])
    if not rows:
        return nothing("h0", title, [not_run("h0", f"no run is in {context.out / 'encoders'}. {HOW_TO_TRAIN}")])
    made = sheet(H0_HEADING, rows)
    return ReportSection("h0", title, "\n\n".join([H0, made.markdown(), HOW_TO_TRAIN]), {"h0": made})


def _run_cells(facts: Sequence[dict[str, Any]], scored: Sequence[DocumentScores]) -> list[str]:
    told = [spread([float(one[key]) for one in facts], 3) for key in TOLD]
    looks = spread([one.attention for one in scored], 3), f"{1 / SENTENCES:.3f}", spread([one.auc for one in scored], 3)
    return [str(len(facts)), "/".join(str(one["epoch"]) for one in facts), *looks, *told]


def _runs(context: Context, group: str, name: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Finished runs of all seeds, with what they told."""
    for seed in range(context.seeds):
        run = context.out / "encoders" / group / f"{name}-{seed}"
        if (run / RESULT).is_file():
            yield run, _told(run / RESULT)


def _told(path: Path) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = read_json(path)
        return {key: facts[key] for key in ("epoch", *TOLD)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} is not what a finished run tells ({error}). Train it again or move it away."
        ) from None


H0_HEADING = (
    *("run", "seeds", "epochs", "attention on the own sentence", "chance", "AUC"),
    *("validation loss", "MRR, own clip (paper's way)", "MRR, clip that asks"),
)
ATTENTION = (
    "Documents of four captions of four pictures (clips); attention on the caption of the picture that is shown. At "
    "chance the picture guides nothing. AUC: e_D·e_v of the document's pictures against others; with another document "
    "it must be .5."
)
PRODUCTS_TEXT = "Mean ± deviation of e_D·e_v over pictures of a document and over others. The paper explains λ by it."
MRR = "Each document holds a caption of its picture among three others'; all are read with the picture that asks."
H0 = "VDAN+ on MSVD's training clips with the published network, loss and pairs; validation clips, mean ± deviation."
HOW_TO_TRAIN = (
    "Runs: `saffa train vdan OUT/encoders/h0/KIND-SEED --features DATA/msvd/msvd_features.npz --captions "
    "DATA/msvd/msvd_captions.json --words DATA/glove/glove_100d_subset.npz --hidden 128 --lr 1e-3 "
    "--captions-per-clip 3 --h0 KIND --seed SEED --epochs N`, and `OUT/encoders/d/D-SEED` with `--embedding D`."
)
