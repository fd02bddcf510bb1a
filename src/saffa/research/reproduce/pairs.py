"""`significance`: p-values of every pair as in the paper's supplement, bootstrap intervals beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saffa.research.evaluation.markdown import Sheet, sheet
from saffa.research.evaluation.protocol import Bench
from saffa.research.evaluation.significance import (
    ALPHA,
    CONFIDENCE,
    METRICS,
    Comparison,
    compare,
    paired_interval,
    paired_t_test,
)
from saffa.research.reproduce.context import Context, Measured, by_domain, label
from saffa.research.reproduce.section import Draft, ReportSection

TITLE = "Significance"
TITLES = {"precision": "Precision", "recall": "Recall", "f1": "F1", "os": "Output speed"}


def significance(context: Context) -> ReportSection:
    """A matrix per metric for each bench that runs here, COIN's domains as one; all pairs with intervals as CSV."""
    draft = Draft("significance", TITLE, INTRODUCTION)
    for bench in draft.benches(context, context.whole_benches):
        _add(draft, bench, context.measure(bench, bench.speed))
    domains = draft.benches(context, context.coin_files)
    if domains:
        joined = by_domain(context, domains, lambda bench: context.measure(bench, bench.speed))
        _add(draft, joined.whole, joined.joined, JOINED)
    return draft.section()


def _add(draft: Draft, bench: Bench, everyone: Sequence[Measured], about: str = "") -> None:
    measured = [one for one in everyone if one.runs]
    names = [one.method for one in measured]
    found = compare({one.method: one.per_video() for one in measured})
    stem = f"significance-{bench.name}"
    draft.sheets[stem] = pairs_sheet(found)
    draft.texts += [f"## {bench.label}", *([about] if about else [])]
    for metric in METRICS:
        chosen = [one for one in found if one.metric == metric]
        draft.texts.append(f"**{TITLES[metric]}**\n\n{matrix(bench, names, chosen).markdown()}")
    lines = f1_sheet(bench, found)
    if lines.rows:
        draft.texts.append(
            f"Mean difference in F1 to uniform with its {CONFIDENCE:.0%} interval:\n\n{lines.markdown()}"
        )
    draft.texts.append(f"{MATCHED}\n\n{matched_sheet(bench, measured).markdown()}")
    draft.texts.append(f"Every pair and metric with its interval: [{stem}.csv]({stem}.csv)")


def matrix(bench: Bench, names: Sequence[str], comparisons: Sequence[Comparison]) -> Sheet:
    """p-values; in bold those above α, as in the paper."""
    p = {(one.first, one.second): one.p for one in comparisons}
    p |= {(second, first): value for (first, second), value in p.items()}
    p |= {(name, name): 1.0 for name in names}
    rows = [[label(a, bench), *(p_text(p[a, b]) for b in names)] for a in names]
    return sheet(["", *names], rows)


def pairs_sheet(comparisons: Sequence[Comparison]) -> Sheet:
    """All pairs, for machines."""
    rows = [
        [c.metric, c.first, c.second, f"{c.p:.3e}", f"{c.difference:.4f}", f"{c.low:.4f}", f"{c.high:.4f}"]
        for c in comparisons
    ]
    return sheet(["metric", "first", "second", "p", "mean difference", "low", "high"], rows)


def p_text(p: float) -> str:
    """A p-value as the paper writes it, in bold above α."""
    if p != p:  # noqa: PLR0124 – nan
        return "–"
    return f"**{p:.2e}**" if p > ALPHA else f"{p:.2e}"


def f1_sheet(bench: Bench, found: Sequence[Comparison]) -> Sheet:
    """Every method against uniform; no rows if that was not run. Methods come in the registry's order, it first."""
    rows = []
    for c in found:
        if c.metric == "f1" and c.first == "uniform":
            change, interval = f"{-c.difference:+.2f}", f"{-c.high:+.2f} … {-c.low:+.2f}"
            rows.append([label(c.second, bench), change, interval, p_text(c.p)])
    return sheet(["method", "F1 − uniform's", "interval", "p (t-test)"], rows)


def matched_sheet(bench: Bench, measured: Sequence[Measured]) -> Sheet:
    """Gains over as many even frames of the same video, and p-values of each pair's difference, paired by video."""
    gains = {one.method: [scores.gain for scores in one.per_video().values()] for one in measured}
    rows = []
    for name, own in gains.items():
        low, high = paired_interval(own, np.zeros(len(own)))
        against = ("–" if other is own else p_text(paired_t_test(own, other)) for other in gains.values())
        rows.append([label(name, bench), f"{np.nanmean(own):+.2f}", f"{low:+.2f} … {high:+.2f}", *against])
    return sheet(["method", "gain", "interval", *gains], rows)


MATCHED = (
    "**Gain over as many even frames**, which a method cannot raise by its length: mean, paired bootstrap interval, "
    "and p-values of the paired t-test between methods"
)
JOINED = "The videos of all domains, each at its domain's target, as in the paper's supplement."
INTRODUCTION = (
    "Student's t-test on per-video values, unpaired, equal variances, two-sided, as the authors' code does it; α "
    f"= {ALPHA:g}. Bold: above α, the pair is not told apart. Trained methods: each video's mean over the seeds. "
    "Intervals are a paired bootstrap over videos (10,000 draws, seed 0); the linked files have them for every pair "
    "and metric."
)
