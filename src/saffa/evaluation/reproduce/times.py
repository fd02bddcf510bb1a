"""`times`: milliseconds per frame of each stage on this machine, beside the paper's."""

from __future__ import annotations

import platform

from saffa.evaluation.markdown import number, sheet, spread
from saffa.evaluation.paper import MILLISECONDS, STAGES
from saffa.evaluation.reproduce.context import Context, Section, nothing
from saffa.evaluation.reproduce.labels import label
from saffa.evaluation.runs import encoding_time

TITLE = "Running times"


def times(context: Context) -> Section:
    """Encoding is shared by all methods of a bench; sampling is each method's own."""
    benches, absent = context.here(context.benches)
    if not benches:
        return nothing("times", TITLE, absent)
    texts, sheets = [INTRODUCTION.format(machine=machine())], {}
    for bench in benches:
        material = context.material(bench)
        encoding = 1000 * encoding_time(material)
        rows = []
        for one in context.measure(bench, bench.speed):
            if one.runs:
                ours = [spread([1000 * run.sampling for run in one.runs], 4)]
                published = number(MILLISECONDS[one.method]) if one.method in MILLISECONDS else "–"
                rows.append([label(one.method), f"{encoding:.4f}", *ours, published, STAGES.get(one.method, "–")])
        heading = [
            "method",
            f"encoding ({material.encoder.name})",
            "sampling",
            "paper: whole method",
            "paper: stages",
        ]
        sheets[f"times-{bench.name}"] = sheet(heading, rows)
        texts.append(f"## {bench.label}\n\nms per frame of the source\n\n{sheets[f'times-{bench.name}'].markdown()}")
    return Section("times", TITLE, "\n\n".join([*texts, *absent]), sheets)


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
    "RTX, from pixels. Encoding here starts from given words or features, not from pixels: it is no counterpart "
    "of the paper's 75 ms. Decoding is in none of the figures."
)
