"""`speedup-error`: how far the output speed is from the target, for targets from 2 to 20."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from saffa.research.evaluation.markdown import Sheet, sheet
from saffa.research.evaluation.paper import LARGEST_SPEED_ERROR
from saffa.research.evaluation.protocol import Bench
from saffa.research.reproduce.context import SLOW, Context, Measured, absences, label
from saffa.research.reproduce.figures import FLOOR, draw_speed_errors
from saffa.research.reproduce.section import Draft, ReportSection

TITLE = "Output speed against the target"
BySpeed = dict[float, list[float]]
"""Target speed → error of each seed."""


@dataclass(frozen=True)
class SpeedErrors:
    """Errors on a bench: means over videos of OS − S* and of |OS − S*| for each seed, by method; and who has none."""

    signed: dict[str, BySpeed] = field(default_factory=dict)
    absolute: dict[str, BySpeed] = field(default_factory=dict)
    absent: list[Measured] = field(default_factory=list)


def speedup_error(context: Context) -> ReportSection:
    """Two tables per bench (errors by speed, and the largest), and the figure."""
    draft, drawn = Draft("speedup-error", TITLE, introduction(context)), {}
    benches = draft.benches(context, context.whole_benches)
    for bench in benches:
        found = errors(context, bench)
        draft.texts.append(f"## {bench.name}, {bench.split}")
        if found.signed:
            drawn[bench.name] = (found.signed, found.absolute)
            draft.add_table(f"speedup-error-{bench.name}", error_sheet(bench, found))
            draft.add_table(f"speedup-error-largest-{bench.name}", largest_sheet(bench, found), LARGEST)
        if found.absent:
            draft.texts.append(absences(found.absent))
    if drawn:
        draft.figures += draw_speed_errors(drawn, context.out / "speedup-error")
        draft.texts += ["![errors of the output speed](speedup-error.png)", CAPTION]
    return draft.section(ran=bool(benches))


def errors(context: Context, bench: Bench) -> SpeedErrors:
    """Every method at its speeds; one that cannot run is asked once."""
    found = SpeedErrors()
    for method in context.methods_of(bench):
        for speed in context.speeds_of(method):
            (one,) = context.measure(bench, speed, (method,))
            if not one.runs:
                found.absent.append(one)
                break
            gaps = [np.array([scores.os - speed for scores in run.per_video.values()]) for run in one.runs]
            found.signed.setdefault(method, {})[speed] = [float(seed.mean()) for seed in gaps]
            found.absolute.setdefault(method, {})[speed] = [float(np.abs(seed).mean()) for seed in gaps]
    return found


def error_sheet(bench: Bench, found: SpeedErrors) -> Sheet:
    """Means over the seeds, a column per speed."""
    speeds = sorted({speed for values in found.signed.values() for speed in values})
    rows = []
    for method in found.signed:
        for measure, values in (("OS − S*", found.signed[method]), ("|OS − S*|", found.absolute[method])):
            cells = [f"{np.mean(values[s]):.2f}" if s in values else "–" for s in speeds]
            rows.append([label(method, bench), measure, *cells])
    return sheet(["method", "measure", *(f"{speed:g}×" for speed in speeds)], rows)


def largest_sheet(bench: Bench, found: SpeedErrors) -> Sheet:
    """The largest errors over the speeds: of the mean over the seeds, and of any single seed."""
    rows = []
    for method, by_speed in found.signed.items():
        measures = (by_speed, found.absolute[method])
        seeds = max(len(values) for values in by_speed.values())
        cells = [_largest(values, of_seeds) for values in measures for of_seeds in (False, True)]
        rows.append([label(method, bench), str(seeds), *cells])
    heading = [f"{measure}, {whose}" for measure in ("|mean OS − S*|", "mean |OS − S*|") for whose in WHOSE]
    return sheet(["method", "runs", *heading], rows)


def _largest(errors_by_speed: Mapping[float, list[float]], of_seeds: bool) -> str:
    values = {
        speed: max(map(abs, seeds)) if of_seeds else abs(float(np.mean(seeds)))
        for speed, seeds in errors_by_speed.items()
    }
    speed = max(values, key=lambda one: values[one])
    return f"{values[speed]:.2f} (at {speed:g}×)"


def introduction(context: Context) -> str:
    """What is shown, and at which speeds slow baselines were really measured."""
    slow = [method for method in SLOW if method in context.methods]
    fewer = ""
    if slow and set(context.few_speeds) != set(context.speeds):
        speeds = ", ".join(f"{speed}×" for speed in context.few_speeds)
        fewer = f" {', '.join(map(label_alone, slow))} take long and are measured at {speeds}."
    return (
        "The paper's figure shows the mean of OS − S* for SAFFA and states that no error is above "
        f"{LARGEST_SPEED_ERROR:g} (YouCook2, all validation videos).{fewer} Errors of a few hundredths are the "
        "rounding to whole frames."
    )


def label_alone(method: str) -> str:
    """A method's name without what stands in for what."""
    return label(method, ran=False)


WHOSE = ("mean of seeds", "worst seed")
LARGEST = "The largest error over these target speeds:"
CAPTION = (
    "Lines are means over the seeds, bands the range over the seeds. Right: errors below "
    f"{FLOOR:g} have no place on the logarithmic axis and are not drawn, nor is the band of a method with such a seed."
)
