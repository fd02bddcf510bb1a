"""`times`: milliseconds per frame of each stage on this machine, beside the paper's."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from saffa.research.evaluation.kept_runs import Run, encoding_time
from saffa.research.evaluation.markdown import number, sheet, spread
from saffa.research.evaluation.paper import MILLISECONDS, STAGES
from saffa.research.reproduce.context import Context, label
from saffa.research.reproduce.section import Draft, ReportSection

TITLE = "Running times"


def times(context: Context) -> ReportSection:
    """Encoding is shared by all methods of a bench; watching and sampling are each method's own."""
    draft = Draft("times", TITLE, INTRODUCTION.format(machine=machine()))
    for bench in draft.benches(context, context.whole_benches):
        material = context.material(bench)
        encoding = 1000 * encoding_time(material)
        rows = []
        for one in context.measure(bench, bench.speed):
            if one.runs:
                published = number(MILLISECONDS[one.method]) if one.method in MILLISECONDS else "–"
                ours = [f"{encoding:.4f}", *stages(one.runs)]
                rows.append([label(one.method, bench), *ours, published, STAGES.get(one.method, "–")])
        heading = [
            "method",
            f"encoding ({material.encoder.name})",
            "watching",
            "sampling",
            "paper: whole method",
            "paper: stages",
        ]
        title = f"## {bench.label}\n\nms per frame of the source"
        draft.add_table(f"times-{bench.name}", sheet(heading, rows), title)
    return draft.section()


def stages(runs: Sequence[Run]) -> list[str]:
    """Watching and sampling, milliseconds per frame; a dash where there was no file to look at."""
    looked = [1000 * run.watching for run in runs if run.watching is not None]
    return [spread(looked, 4), spread([1000 * run.sampling for run in runs], 4)]


def machine() -> str:
    """The processor's name, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123 – no file of ours
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        return f"{names[0]}, {len(names)} cores"
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


INTRODUCTION = (
    "Measured on {machine}, one thread, with other programs at work; the paper's on an i7-3770K with a Titan "
    "RTX, from pixels. On youcook2-narrated and msvd-long encoding starts from given words or features, not from "
    "pixels: it is no counterpart of the paper's 75 ms. Watching is what a baseline measures in the pictures of video "
    "files before it samples (optical flow, histograms, classifier); a dash where there are no files. Decoding is in "
    "encoding and in watching where videos are read from files, and in no other figure."
)
