"""`selections`: the paper's qualitative figure, for videos that no one picked by hand."""

from __future__ import annotations

from collections.abc import Collection

from saffa.core.errors import SaffaError
from saffa.core.types import Ints
from saffa.methods.base import watched
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.store import axis_of
from saffa.research.evaluation.protocol import Bench
from saffa.research.evaluation.score import oracle_alignment
from saffa.research.evaluation.variants import variants
from saffa.research.reproduce.context import Context
from saffa.research.reproduce.figures import draw_selections
from saffa.research.reproduce.section import Draft, ReportSection

TITLE = "Selected frames"
PLACES = (0.25, 0.5, 0.75)
"""Quantiles of the planner's F1 at which the videos are taken: a weak, a middling and a good one."""


def selections(context: Context) -> ReportSection:
    """A figure per bench."""
    draft = Draft("selections", TITLE, INTRODUCTION)
    for bench in draft.benches(context, context.whole_benches):
        videos = [(video, _rows(context, bench, video)) for video in chosen(context, bench)]
        titled = {f"{video.id}, {len(video.steps)} steps": (video, rows) for video, rows in videos}
        stem = context.out / f"selections-{bench.short}"
        draft.figures += draw_selections(titled, bench.speed, stem)
        draft.texts.append(f"## {bench.label}\n\n![selected frames]({stem.name}.png)")
    return draft.section()


def chosen(context: Context, bench: Bench, among: Collection[str] | None = None) -> list[BenchmarkVideo]:
    """Videos by rank of the planner's F1, of all videos or of those with these ids."""
    (plan,) = context.measure(bench, bench.speed, ("plan",))
    if not plan.runs:
        raise SaffaError(f"The planner, which ranks the videos of {bench.name}, did not run: {plan.absent}")
    scores = plan.runs[0].per_video
    ranked = sorted((one.f1, video) for video, one in scores.items() if among is None or video in among)
    wanted = [ranked[round(place * (len(ranked) - 1))][1] for place in PLACES]
    by_id = {video.id: video for video in context.material(bench).videos}
    return [by_id[name] for name in wanted]


def _rows(context: Context, bench: Bench, video: BenchmarkVideo) -> dict[str, Ints]:
    alignment = context.material(bench).encoder.encode(axis_of(video), video.document, video.narration)
    rows: dict[str, Ints] = {}
    for method in context.methods:
        try:
            first = variants(method, bench, context.agents)[:1]
            for one in first:
                seen = oracle_alignment(video) if method == "oracle" else alignment
                ready = watched(one.sampler, axis_of(video), video.narration)
                rows[method] = ready.select(seen, bench.speed).frames
        except (SaffaError, ImportError) as error:
            context.note(f"selections: {method} is not drawn for {bench.name}: {error}")
    return rows


INTRODUCTION = (
    f"The videos at {', '.join(f'{place:.0%}' for place in PLACES)} of the ranking by the planner's F1, so "
    "neither the best nor hand-picked. Black: true steps; bars: selected frames; right: output speed. Trained "
    "methods: the first seed."
)
