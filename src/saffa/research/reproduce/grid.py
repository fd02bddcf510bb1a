"""`grid`: the agent as published with other σ, γ and step sizes, each changed alone (the paper searched a grid)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from saffa.research.evaluation.markdown import sheet, spread
from saffa.research.evaluation.protocol import Bench
from saffa.research.reproduce.ablation import budget, own_budget
from saffa.research.reproduce.context import Context, Measured
from saffa.research.reproduce.section import Draft, ReportSection
from saffa.research.reproduce.tables import gain_of
from saffa.research.reproduce.this_copy import command
from saffa.research.reproduce.training import runs_of, train, trained

if TYPE_CHECKING:
    from saffa.research.training.saffa.settings import AgentSettings

METHOD = "saffa-published"
TITLE = "The grid of σ, γ and the step size"


@dataclass(frozen=True)
class Point:
    """One agent of the grid; the defaults are the published values."""

    sigma: float = 0.5
    gamma: float = 0.99
    lr: float = 5e-5

    @property
    def name(self) -> str:
        """The point's name in folders and files."""
        return f"sigma{self.sigma:g}-gamma{self.gamma:g}-lr{self.lr:g}"

    def changed(self, usual: AgentSettings) -> AgentSettings:
        """The settings of this point."""
        learning = replace(usual.learning, gamma=self.gamma, lr=self.lr)
        return replace(usual, reward=replace(usual.reward, sigma=self.sigma), learning=learning)


PUBLISHED = Point()
PAPERS = (
    *(Point(sigma=2.0), Point(gamma=0.8), Point(lr=1e-4)),
    *(Point(sigma=1.0), Point(gamma=0.9), Point(lr=1e-5)),
)
"""The values that the paper tried, the farthest first, so that a search that is broken off has seen the ends."""
POINTS = (*PAPERS, Point(lr=2e-4), Point(gamma=1.0), Point(sigma=0.25))
"""In the order in which they are trained; the last three lie outside of the paper's grid."""


def grid(context: Context) -> ReportSection:
    """A row per point and bench; agents are trained with `--epochs`, and used again."""
    draft = Draft("grid", TITLE, INTRODUCTION)
    for bench in draft.benches(context, context.benches):
        rows = [row for point in POINTS if (row := _row(context, bench, point))]
        if rows:
            published = _cells(PUBLISHED, own_budget(context, bench, METHOD), *_published(context, bench))
            draft.add_table(f"grid-{bench.key}", sheet(HEADING, [published, *rows]), f"## {bench.label}")
    if not draft.sheets:
        how = f"Not run: grid, because no agent is trained; `{command(context, 'grid')} --epochs N` trains them."
        draft.absent.append(how)
    return draft.section()


def _published(context: Context, bench: Bench) -> list[Measured]:
    """The method's own agents, with the own texts and with wrong ones."""
    return [context.measure(one, one.speed, (METHOD,))[0] for one in _with_wrong_texts(bench)]


def _row(context: Context, bench: Bench, point: Point) -> list[str] | None:
    """A point's cells; None if no agent is there."""
    folders = _folders(context, bench, point)
    for seed, folder in folders.items() if context.epochs else ():
        train(context, bench, METHOD, folder, seed, point.changed)
    there = trained(folders)
    if not there:
        return None
    runs = [runs_of(context, one, METHOD, there, f"grid-{point.name}") for one in _with_wrong_texts(bench)]
    both = [Measured(METHOD, tuple(found)) for found in runs]
    return _cells(point, budget(context, list(there.values())), *both)


def _folders(context: Context, bench: Bench, point: Point) -> dict[int, Path]:
    return {seed: context.agents / "grid" / bench.short / f"{point.name}-{seed}" for seed in range(context.seeds)}


def _with_wrong_texts(bench: Bench) -> tuple[Bench, Bench]:
    return bench, replace(bench, wrong_texts=True)


def _cells(point: Point, trained_for: str, own: Measured, wrong: Measured) -> list[str]:
    values = [f"{point.sigma:g}", f"{point.gamma:g}", f"{point.lr:g}", trained_for]
    if not own.runs or not wrong.runs:
        return [*values, *["–"] * (len(FIGURES) + 2)]
    rows = [run.row for run in own.runs]
    figures = [spread([getattr(row, name) for row in rows]) for name in FIGURES]
    return [*values, *figures, gain_of(own), gain_of(wrong)]


FIGURES = ("f1", "f1_even", "os", "os_abs_error")
HEADING = (
    *("σ", "γ", "lr", "seeds × epochs, videos", "F1", "F1, even frames", "OS", "|OS−S*|"),
    *("gain", "gain, wrong text"),
)
INTRODUCTION = (
    "SAFFA as published (first row: the agents of all other tables) and with one value changed at a time. Figures are "
    "mean ± deviation over seeds where there are several, gains F1 over as many even frames, ± standard error over "
    "videos. Options of one's own: `saffa train saffa --sigma --gamma --lr --critic-lr`; d is the encoder's, `saffa "
    "train vdan --embedding` (default 128, as published; `saffa reproduce h0` has its rows)."
)
