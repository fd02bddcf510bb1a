"""`roc`: how well encoders tell frames of steps from others, whatever the threshold (the paper: VDAN+ against VDAN)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saffa.data.store import axis_of
from saffa.encoders import load_encoder
from saffa.encoders.base import Encoder
from saffa.encoders.model_folder import MANIFEST
from saffa.errors import SaffaError
from saffa.evaluation.bench import MSVD_LONG, NARRATED, Bench
from saffa.evaluation.markdown import number, sheet
from saffa.evaluation.metrics import truth_of
from saffa.evaluation.paper import AUC
from saffa.evaluation.reproduce.context import Context, Section, nothing
from saffa.evaluation.roc import frame_auc, mean_area, plot_roc, roc_curve
from saffa.evaluation.run import load_videos

TITLE = "VDAN+ against VDAN, and the others"
SHIPPED = {
    "VDAN+ (clip)": "vdan-plus-msvd",
    "VDAN (still)": "vdan-msvd",
    "contrastive, frame by frame": "msvd-plus@frames",
    "contrastive, by shots": "msvd-plus@shots",
    "contrastive, in order": "msvd-plus",
}
TRAINED = {"vdan+": "VDAN+ (clip)", "vdan": "VDAN (still)"}
"""Folders in `OUT/encoders` that `saffa train encoder` filled; they take the place of the shipped ones."""


@dataclass(frozen=True)
class Curve:
    """ROC of an encoder: a curve per video, and the mean area."""

    rows: list[NDArray[np.float64]]
    area: float


def roc(context: Context) -> Section:
    """Areas with own and shuffled documents on msvd-long, the narrated encoder on youcook2-narrated, and the figure."""
    benches, absent = context.here(context.benches)
    if not benches:
        return nothing("roc", TITLE, absent)
    curves: dict[str, Curve] = {}
    rows = []
    for name, encoder in compared(context.out / "encoders").items() if MSVD_LONG in benches else ():
        try:
            loaded = load_encoder(encoder)
        except SaffaError as error:
            context.note(f"roc: {name} is left out: {error}")
            continue
        curves[name] = measure(context, MSVD_LONG, loaded, name)
        control = measure(context, MSVD_LONG, loaded, f"{name}, shuffled", shuffled=True)
        published = AUC.get(name.split(" ")[0])
        paper = "–" if published is None else number(published)
        rows.append([MSVD_LONG.name, name, number(curves[name].area, 3), number(control.area, 3), paper])
    if NARRATED in benches:
        narrated = measure(context, NARRATED, context.material(NARRATED).encoder, "narrated")
        curves["narrated (youcook2-narrated)"] = narrated
        rows.append([NARRATED.name, "narrated", number(narrated.area, 3), "–", "–"])
    made = sheet(["videos", "encoder", "AUC", "AUC, shuffled documents", "paper: AUC (YouCook2)"], rows)
    stem = context.out / "roc"
    figures = tuple(stem.with_suffix(suffix) for suffix in (".png", ".svg"))
    for path in figures:
        plot_roc({n: c.rows for n, c in curves.items()}, {n: c.area for n, c in curves.items()}, path)
    text = "\n\n".join([INTRODUCTION, made.markdown(), *absent, COMMANDS, "![ROC curves](roc.png)"])
    return Section("roc", TITLE, text, {"roc": made}, figures)


def compared(folder: Path) -> dict[str, str]:
    """What each encoder is called and where it is: trained by the user for this comparison, else as shipped."""
    places = {label: folder / name / "model" for name, label in TRAINED.items()}
    return SHIPPED | {label: str(place) for label, place in places.items() if (place / MANIFEST).is_file()}


def measure(context: Context, bench: Bench, encoder: Encoder, name: str, *, shuffled: bool = False) -> Curve:
    """Per video, then averaged."""
    videos = (
        load_videos(bench.name, context.data, bench.split, shuffled_documents=True).videos
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
    "Mean over test videos of the area under the ROC curve of relevance against true steps. The paper's areas "
    "are over all frames of YouCook2's training videos, from pixels; here VDAN+ and VDAN are trained on 899 MSVD "
    "clips given by features of stills, so clip means averaging, not motion. With shuffled documents an "
    "encoder that reads the text must fall to .5."
)
COMMANDS = (
    "VDAN+ and VDAN are the shipped `vdan-plus-msvd` and `vdan-msvd` (docs/encoder.md). Others "
    "take their place when trained by `saffa train encoder OUT/encoders/vdan+ --features DATA/msvd/msvd_features.npz "
    "--captions DATA/msvd/msvd_captions.json --words DATA/glove/glove_100d_subset.npz --hidden 128 --lr 1e-4 "
    "--epochs N` and the same with `OUT/encoders/vdan --views one`."
)
