"""`asr`: the text is what speech recognition heard instead of the recipe (the paper's §4.4, last paragraph)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from saffa.data.base import BenchmarkVideo
from saffa.document import Document
from saffa.errors import SaffaError
from saffa.evaluation.bench import NARRATED
from saffa.evaluation.benchmark import Row, summarise
from saffa.evaluation.figures.selection_bars import draw_selections
from saffa.evaluation.markdown import sheet
from saffa.evaluation.metrics import Scores, score
from saffa.evaluation.reproduce.context import Context, Section, label
from saffa.evaluation.reproduce.selections import chosen
from saffa.evaluation.variants import variants
from saffa.samplers.base import watched

METHODS = ("saffa", "saffa+", "plan")
LINES_PER_SENTENCE = 3
"""Recognised lines have no full stops and are pieces of sentences; so many together make one."""

Frames = NDArray[np.int64]


@dataclass(frozen=True)
class Pair:
    """One method on all videos: with the recipe, with the narration, and the share of frames that both select."""

    recipe: Row
    narration: Row
    shared: float


def asr(context: Context) -> Section:
    """Scores and selections beside each other."""
    rows = []
    absent = []
    for method in METHODS:
        try:
            found = pair(context, method)
        except (SaffaError, IndexError) as error:
            absent.append(f"- {label(method)}: not run, {error or 'no trained agent'}.")
            continue
        for text, row in (("recipe", found.recipe), ("narration", found.narration)):
            figures = [f"{value:.2f}" for value in (row.precision, row.recall, row.f1, row.os, row.op)]
            rows.append([label(method), text, *figures, f"{found.shared:.1f} %"])
    made = sheet(["method", "text", "P", "R", "F1", "OS", "OP", "frames selected with both texts"], rows)
    stem = context.out / "asr"
    blocks = {}
    for video in chosen(context, NARRATED)[1:2]:
        with_both = {
            f"{method}, {text}": _selected(context, method, one)
            for method in METHODS
            for text, one in (("recipe", video), ("narration", narrated(video)))
            if variants(method, NARRATED, context.agents)
        }
        blocks[f"{video.id}, {len(video.steps)} steps"] = (video, with_both)
    figures_made = draw_selections(blocks, NARRATED.speed, stem)
    text = "\n\n".join([INTRODUCTION, made.markdown(), *absent, "![selections with recipe and narration](asr.png)"])
    return Section("asr", "Speech recognition instead of a recipe", text, {"asr": made}, figures_made)


def narrated(video: BenchmarkVideo) -> BenchmarkVideo:
    """The same video, its text being what is said in it."""
    lines = [cue.text for cue in video.narration.cues] if video.narration else []
    groups = (lines[i : i + LINES_PER_SENTENCE] for i in range(0, len(lines), LINES_PER_SENTENCE))
    return replace(video, document=Document(tuple(" ".join(group) for group in groups)))


def pair(context: Context, method: str) -> Pair:
    """Score a method with both texts."""
    with_recipe: list[Scores] = []
    with_narration: list[Scores] = []
    shares = []
    videos = context.material(NARRATED).videos
    for done, video in enumerate(videos):
        first, second = (_selected(context, method, one) for one in (video, narrated(video)))
        with_recipe.append(score(first, video.frames, video.steps, float(video.rate)))
        with_narration.append(score(second, video.frames, video.steps, float(video.rate)))
        shares.append(100 * len(np.intersect1d(first, second)) / min(len(first), len(second)))
        context.progress(f"asr {method}", (done + 1) / len(videos))
    speed = NARRATED.speed
    recipe, narration = (summarise(method, scores, speed, 0.0) for scores in (with_recipe, with_narration))
    return Pair(recipe, narration, float(np.mean(shares)))


def _selected(context: Context, method: str, video: BenchmarkVideo) -> Frames:
    sampler = variants(method, NARRATED, context.agents)[0].sampler
    alignment = context.material(NARRATED).encoder.encode(video, video.document, video.narration)
    return watched(sampler, video, video.narration).select(alignment, NARRATED.speed).frames


INTRODUCTION = (
    f"{NARRATED.label}: {NARRATED.about}. The text is once the recipe, once what was recognised in the video "
    f"itself, {LINES_PER_SENTENCE} lines to a sentence. The paper shows one video at 5× with VDAN+, which "
    "compares pictures with the text. The encoder here compares *speech* with the text, so with the narration it "
    "compares the narration with itself: every moment fits some sentence, and what is left to choose by is "
    "little. So this is a harder test than the paper's."
)
