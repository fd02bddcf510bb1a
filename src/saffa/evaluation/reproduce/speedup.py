"""`speedup-error`: how far the output speed is from the target, for targets from 2 to 20."""

from __future__ import annotations

import numpy as np

from saffa.evaluation.bench import Bench
from saffa.evaluation.figures.speed_error import draw_speed_errors
from saffa.evaluation.markdown import sheet
from saffa.evaluation.paper import LARGEST_SPEED_ERROR
from saffa.evaluation.reproduce.context import SLOW, Context, Section, label

Errors = dict[str, dict[float, float]]


def speedup_error(context: Context) -> Section:
    """A table per bench (mean OS − S*, and mean |OS − S*|), and the figure."""
    texts, sheets, drawn = [INTRODUCTION], {}, {}
    for bench in context.benches:
        signed, absolute = errors(context, bench)
        drawn[bench.name] = (signed, absolute)
        heading = ["method", "measure", *(f"{speed}×" for speed in context.speeds)]
        rows = []
        for method in signed:
            for measure, values in (("OS − S*", signed[method]), ("\\|OS − S*\\|", absolute[method])):
                cells = [f"{values[s]:.2f}" if s in values else "–" for s in context.speeds]
                rows.append([label(method), measure.replace("\\", ""), *cells])
        sheets[f"speedup-error-{bench.name}"] = sheet(heading, rows)
        texts.append(f"## {bench.name}, {bench.split}\n\n{sheets[f'speedup-error-{bench.name}'].markdown()}")
    figures = draw_speed_errors(drawn, context.out / "speedup-error")
    texts.append("![errors of the output speed](speedup-error.png)")
    return Section("speedup-error", "Output speed against the target", "\n\n".join(texts), sheets, figures)


def errors(context: Context, bench: Bench) -> tuple[Errors, Errors]:
    """Mean over videos and seeds of OS − S* and of |OS − S*|, by method and speed."""
    signed: Errors = {}
    absolute: Errors = {}
    for method in context.methods:
        for speed in context.speeds_of(method):
            (one,) = context.measure(bench, speed, (method,))
            if not one.runs:
                break
            gaps = np.array([[scores.os - speed for scores in run.per_video.values()] for run in one.runs])
            signed.setdefault(method, {})[speed] = float(gaps.mean())
            absolute.setdefault(method, {})[speed] = float(np.abs(gaps).mean())
    return signed, absolute


INTRODUCTION = (
    "The paper's figure shows the mean of OS − S* for SAFFA and states that no error is above "
    f"{LARGEST_SPEED_ERROR:g} (YouCook2, all validation videos). {', '.join(SLOW)} take long and are "
    "measured at fewer speeds. Errors of a few hundredths are the rounding to whole frames."
)
