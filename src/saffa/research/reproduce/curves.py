"""`roc`: how well encoders tell frames of steps from others, whatever the threshold (the paper: VDAN+ against VDAN)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from saffa.core.errors import SaffaError
from saffa.core.types import Doubles
from saffa.encoders.base import Encoder
from saffa.encoders.registry import load_encoder
from saffa.research.datasets.registry import WantedVideos, load_videos
from saffa.research.datasets.store import axis_of, stored
from saffa.research.evaluation.markdown import number, sheet
from saffa.research.evaluation.metrics import truth_of
from saffa.research.evaluation.paper import AUC
from saffa.research.evaluation.protocol import MSVD_LONG, Bench
from saffa.research.evaluation.roc import frame_auc, mean_area, roc_curve
from saffa.research.reproduce.context import Context
from saffa.research.reproduce.figures import draw_roc
from saffa.research.reproduce.section import ReportSection, nothing
from saffa.storage.models import BACKBONE, MANIFEST, ModelFolder
from saffa.storage.published_models import models_folder
from saffa.storage.store import user_cache

TITLE = "VDAN+ against VDAN, and the others"
SHIPPED = {
    "VDAN+ (clip)": "vdan-plus-msvd",
    "VDAN (still)": "vdan-msvd",
    "contrastive, frame by frame": "msvd-plus@frames",
    "contrastive, in order": "msvd-plus",
}
TRAINED = {"vdan+": "VDAN+ (clip)", "vdan": "VDAN (still)"}
"""Folders in `OUT/encoders` that `saffa train vdan` filled; they take the place of the shipped ones."""


@dataclass(frozen=True)
class Curve:
    """ROC of an encoder: a curve per video, and the mean area."""

    rows: list[Doubles]
    area: float


@dataclass(frozen=True)
class EncoderCurve:
    """An encoder on a bench; `control` has the documents of other videos."""

    bench: Bench
    encoder: str
    curve: Curve
    control: Curve | None = None


def roc(context: Context) -> ReportSection:
    """Areas on msvd-long (own and shuffled documents), youcook2-narrated and YouCook2's files, and the figure."""
    learned = [replace(bench, split=bench.training, about="") for bench in context.youcook2_files]
    benches, absent = context.here((*context.benches, *learned))
    found: list[EncoderCurve] = []
    for bench in sorted(benches, key=lambda one: one != MSVD_LONG):
        found += [
            line for name, encoder in asked(context, bench).items() if (line := _line(context, bench, name, encoder))
        ]
    if not found:
        return nothing("roc", TITLE, absent)
    made = sheet(
        ["videos", "encoder", "AUC", "AUC, shuffled documents", "paper: AUC (YouCook2)"], [_row(one) for one in found]
    )
    curves = {_title(one): one.curve for one in found}
    rows, areas = {name: one.rows for name, one in curves.items()}, {name: one.area for name, one in curves.items()}
    figures = draw_roc(rows, areas, context.out / "roc")
    commands = [COMMANDS] * (MSVD_LONG in benches) + [FROM_FILES] * any(bench.from_files for bench in benches)
    text = "\n\n".join([INTRODUCTION, made.markdown(), *absent, *commands, "![ROC curves](roc.png)"])
    return ReportSection("roc", TITLE, text, {"roc": made}, figures)


def asked(context: Context, bench: Bench) -> dict[str, str]:
    """What each encoder for a bench is called, and its name or place."""
    if bench.from_files:
        return seeing(context.encoder, context.out / "encoders")
    return compared(context.out / "encoders") if bench == MSVD_LONG else {bench.encoder: bench.encoder}


def seeing(chosen: str, folder: Path) -> dict[str, str]:
    """Encoders for pictures: the chosen, and the paper's two where models of them that look at pictures are here."""
    found = {TRAINED.get(chosen, chosen): chosen}
    for name, label in TRAINED.items():
        for place in (folder / name / "model", models_folder() / name):
            if _is_here(place, sees=True):
                found.setdefault(label, str(place))
    return found


def _line(context: Context, bench: Bench, name: str, encoder: str) -> EncoderCurve | None:
    """Measure an encoder; None, and a note, for an encoder that cannot be used."""
    try:
        loaded = load_encoder(encoder, cache=user_cache())
        if context.store is not None:
            loaded = stored(loaded, context.store)
        curve = measure(context, bench, loaded, name)
        control = measure(context, bench, loaded, f"{name}, shuffled", shuffled=True) if bench == MSVD_LONG else None
    except SaffaError as error:
        context.note(f"roc: {name} is left out for {bench.name}: {error}")
        return None
    return EncoderCurve(bench, name, curve, control)


def _row(one: EncoderCurve) -> list[str]:
    published = AUC.get(one.encoder.split(" ")[0])
    shuffled = "–" if one.control is None else number(one.control.area, 3)
    paper = "–" if published is None else number(published)
    return [f"{one.bench.name}, {one.bench.split}", one.encoder, number(one.curve.area, 3), shuffled, paper]


def _title(one: EncoderCurve) -> str:
    """A curve's name in the figure, whose curves are msvd-long's where nothing else is said."""
    return one.encoder if one.bench == MSVD_LONG else f"{one.encoder} ({one.bench.name})"


def compared(folder: Path) -> dict[str, str]:
    """What each encoder is called and where it is: trained by the user for this comparison, else as shipped."""
    places = {label: folder / name / "model" for name, label in TRAINED.items()}
    return SHIPPED | {label: str(place) for label, place in places.items() if _is_here(place, sees=False)}


def _is_here(place: Path, *, sees: bool) -> bool:
    """A model for pictures, which has a backbone, or one for given features, which has none."""
    return (place / MANIFEST).is_file() and ModelFolder.open(place).has(BACKBONE) == sees


def measure(context: Context, bench: Bench, encoder: Encoder, name: str, *, shuffled: bool = False) -> Curve:
    """Curve and area of an encoder on a bench: of each video, then averaged."""
    videos = (
        load_videos(bench.name, WantedVideos(context.data, bench.split, shuffled_documents=True)).videos
        if shuffled
        else context.material(bench).videos
    )
    rows, areas = [], []
    for done, video in enumerate(videos):
        relevance = encoder.encode(axis_of(video), video.document, video.narration).relevance_per_frame()
        truth = truth_of(video.steps, video.frames)
        rows.append(roc_curve(relevance, truth))
        areas.append(frame_auc(relevance, truth))
        context.progress(f"roc {name}", (done + 1) / len(videos))
    return Curve(rows, mean_area(areas))


INTRODUCTION = (
    "Mean over videos of the area under the ROC curve of relevance against true steps. The paper's areas are over "
    "all frames of YouCook2's training videos, from pixels; those videos are measured where their files are here. On "
    "msvd-long VDAN+ and VDAN are trained on 899 MSVD clips given by features of stills, so clip means averaging, not "
    "motion. With shuffled documents an encoder that reads the text must fall to .5."
)
FROM_FILES = (
    "On YouCook2's files the encoder is that of `--encoder`, and beside it VDAN+ and VDAN where models of them that "
    "look at pictures are here: imported under the names `vdan+` and `vdan` (`saffa models import`), or trained into "
    "`OUT/encoders/vdan+` and `OUT/encoders/vdan` (`saffa train vdan`, docs/method/vdan.md)."
)
COMMANDS = (
    "VDAN+ and VDAN are the shipped `vdan-plus-msvd` and `vdan-msvd` (docs/method/vdan.md). Others "
    "take their place when trained by `saffa train vdan OUT/encoders/vdan+ --features DATA/msvd/msvd_features.npz "
    "--captions DATA/msvd/msvd_captions.json --words DATA/glove/glove_100d_subset.npz --hidden 128 --lr 1e-4 "
    "--epochs N` and the same with `OUT/encoders/vdan --views one`."
)
