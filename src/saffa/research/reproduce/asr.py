"""`asr`: the text is what speech recognition heard instead of the recipe (the paper's §4.4, last paragraph)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.errors import SaffaError
from saffa.core.types import Ints
from saffa.methods.base import watched
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.store import axis_of
from saffa.research.evaluation.markdown import sheet, spread
from saffa.research.evaluation.metrics import Scores, score
from saffa.research.evaluation.protocol import NARRATED, Bench
from saffa.research.evaluation.score import METHODS, Row, oracle_alignment, summarise
from saffa.research.evaluation.variants import Variant, seeds, variants
from saffa.research.reproduce.context import Context, Measured, absences, label, untrained
from saffa.research.reproduce.figures import draw_selections
from saffa.research.reproduce.section import Draft, ReportSection, not_run, nothing
from saffa.research.reproduce.selections import chosen

TITLE = "Speech recognition instead of a recipe"
USUAL = ("saffa-published", "saffa", "plan")
"""Where nobody asks for others: the paper's method, ours, and the ceiling of both."""
LINES_PER_SENTENCE = 3
"""Recognised lines have no full stops and are pieces of sentences; so many together make one."""
HEADING = ("method", "seeds", "text", "P", "R", "F1", "OS", "OP", "frames selected with both texts")
FIGURES = ("precision", "recall", "f1", "os", "op")


@dataclass(frozen=True, eq=False)
class TwoReadings:
    """A video and its alignment with either text."""

    video: BenchmarkVideo
    recipe: Alignment
    narration: Alignment


@dataclass(frozen=True)
class Pair:
    """One method of one seed on all videos: with the recipe, with the narration, and the share selected with both."""

    recipe: Row
    narration: Row
    shared: float


def asr(context: Context) -> ReportSection:
    """A table and a figure per bench whose videos have a narration."""
    if NARRATED not in context.benches:
        return nothing("asr", TITLE, [not_run("asr", f"it needs the narration of {NARRATED.name}")])
    draft = Draft("asr", TITLE, INTRODUCTION)
    for bench in draft.benches(context, (NARRATED, *context.youcook2_files)):
        videos = [video for video in context.material(bench).videos if video.narration]
        if videos:
            _add(draft, context, bench, videos)
        else:
            draft.absent.append(not_run(bench.label, UNHEARD))
            context.note(draft.absent[-1])
    return draft.section()


def _add(draft: Draft, context: Context, bench: Bench, videos: Sequence[BenchmarkVideo]) -> None:
    """Scores and selections beside each other."""
    readings = [read(context, bench, video) for video in videos]
    rows: list[list[str]] = []
    missing: list[Measured] = []
    drawn: dict[str, Variant] = {}
    for method in asked(context.methods):
        try:
            found = variants(method, bench, context.agents)
            if not found:
                missing.append(Measured(method, absent=untrained(method, bench)))
                continue
            rows += _rows(found, bench, [pair(context, bench, one, readings) for one in found])
            drawn[method] = found[0]
        except (SaffaError, ImportError) as error:
            missing.append(Measured(method, absent=str(error)))
    stem = "asr" if bench == NARRATED else f"asr-{bench.short}"
    about = (
        ABOUT if bench == NARRATED else f"{len(videos)} of {len(context.material(bench).videos)} videos have subtitles."
    )
    before = f"## {bench.label}", f"{bench.about[0].upper()}{bench.about[1:]}. {about}"
    draft.add_table(stem, sheet(HEADING, rows), *before)
    draft.texts += [*filter(None, [absences(missing)]), f"![selections with recipe and narration]({stem}.png)"]
    draft.figures += _draw(context, bench, readings, drawn, context.out / stem)


def _draw(
    context: Context, bench: Bench, readings: Sequence[TwoReadings], drawn: Mapping[str, Variant], stem: Path
) -> tuple[Path, ...]:
    """The first seed of each method on the video in the middle of the ranking, of those that were read."""
    by_id = {one.video.id: one for one in readings}
    _, video, _ = chosen(context, bench, by_id)
    reading = by_id[video.id]
    with_both = {
        f"{method}, {text}": selected(one, bench, video, alignment)
        for method, one in drawn.items()
        for text, alignment in (("recipe", reading.recipe), ("narration", reading.narration))
    }
    return draw_selections({f"{video.id}, {len(video.steps)} steps": (video, with_both)}, bench.speed, stem)


def asked(methods: Sequence[str]) -> tuple[str, ...]:
    """The methods that the user chose, else the usual ones."""
    return USUAL if tuple(methods) == METHODS else tuple(methods)


def read(context: Context, bench: Bench, video: BenchmarkVideo) -> TwoReadings:
    """Encode with both texts."""
    encoder = context.material(bench).encoder
    first, second = (encoder.encode(axis_of(one), one.document, one.narration) for one in (video, narrated(video)))
    return TwoReadings(video, first, second)


def narrated(video: BenchmarkVideo) -> BenchmarkVideo:
    """The video with another text: what is said in it."""
    lines = [cue.text for cue in video.narration.cues] if video.narration else []
    groups = (lines[i : i + LINES_PER_SENTENCE] for i in range(0, len(lines), LINES_PER_SENTENCE))
    return replace(video, document=Document(tuple(" ".join(group) for group in groups)))


def pair(context: Context, bench: Bench, variant: Variant, readings: Sequence[TwoReadings]) -> Pair:
    """Score a method with both texts."""
    with_recipe: list[Scores] = []
    with_narration: list[Scores] = []
    shares = []
    for done, one in enumerate(readings):
        video = one.video
        first, second = (selected(variant, bench, video, alignment) for alignment in (one.recipe, one.narration))
        with_recipe.append(score(first, video))
        with_narration.append(score(second, video))
        shares.append(100 * len(np.intersect1d(first, second)) / min(len(first), len(second)))
        context.progress(f"asr {variant.name}", (done + 1) / len(readings))
    both = (with_recipe, with_narration)
    recipe, narration = (summarise(variant.method, scores, bench.speed, 0.0) for scores in both)
    return Pair(recipe, narration, float(np.mean(shares)))


def selected(variant: Variant, bench: Bench, video: BenchmarkVideo, alignment: Alignment) -> Ints:
    """The oracle reads no text: it selects the same with both."""
    seen = oracle_alignment(video) if variant.method == "oracle" else alignment
    return watched(variant.sampler, axis_of(video), video.narration).select(seen, bench.speed).frames


def _rows(found: Sequence[Variant], bench: Bench, pairs: Sequence[Pair]) -> list[list[str]]:
    """Two rows; mean ± deviation over the seeds, as in the tables."""
    shared = spread([one.shared for one in pairs], 1)
    rows = []
    for text, scored in (("recipe", [one.recipe for one in pairs]), ("narration", [one.narration for one in pairs])):
        figures = [spread([getattr(row, figure) for row in scored]) for figure in FIGURES]
        rows.append([label(found[0].method, bench), seeds(found), text, *figures, f"{shared} %"])
    return rows


UNHEARD = "none of its videos comes with what is said in it: put subtitles beside them (ID.srt beside ID.mp4)."
ABOUT = (
    "The encoder here compares *speech* with the text, so with the narration it compares the narration with itself: "
    "every moment fits some sentence, and what is left to choose by is little. So this is a harder test than the "
    "paper's."
)
INTRODUCTION = (
    "The text is once the recipe, once what was recognised in the video itself, "
    f"{LINES_PER_SENTENCE} lines to a sentence. The paper shows one video at 5× with VDAN+, which compares pictures "
    "with the text. Trained methods: mean ± deviation over the seeds as in the tables; the figure shows the first seed "
    "on the video in the middle of the ranking by the planner's F1."
)
