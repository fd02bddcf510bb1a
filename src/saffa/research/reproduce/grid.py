"""`grid`: the agent as published with other σ, γ and step sizes, each changed alone (the paper searched a grid)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from saffa.research.evaluation.kept_runs import Run
from saffa.research.evaluation.markdown import sheet, spread
from saffa.research.evaluation.protocol import Bench
from saffa.research.reproduce.context import Context
from saffa.research.reproduce.section import Draft, ReportSection
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


POINTS = (
    Point(),
    *(Point(lr=lr) for lr in (2e-4, 1e-5)),
    *(Point(gamma=gamma) for gamma in (0.9, 1.0)),
    *(Point(sigma=sigma) for sigma in (2.0, 0.25, 1.0)),
)


def grid(context: Context) -> ReportSection:
    """A row per point and bench; agents are trained with `--epochs`, and used again."""
    draft = Draft("grid", TITLE, INTRODUCTION)
    for bench in draft.benches(context, context.benches):
        rows = [_row(point, runs) for point in POINTS if (runs := _runs(context, bench, point))]
        if rows:
            draft.add_table(f"grid-{bench.key}", sheet(HEADING, rows), f"## {bench.label}")
    if not draft.sheets:
        how = f"Not run: grid, because no agent is trained; `{command(context, 'grid')} --epochs N` trains them."
        draft.absent.append(how)
    return draft.section()


def _runs(context: Context, bench: Bench, point: Point) -> list[Run]:
    folders = {seed: context.agents / "grid" / bench.short / f"{point.name}-{seed}" for seed in range(context.seeds)}
    if context.epochs:
        for seed, folder in folders.items():
            train(context, bench, METHOD, folder, seed, point.changed)
    return runs_of(context, bench, METHOD, trained(folders), f"grid-{point.name}")


def _row(point: Point, runs: list[Run]) -> list[str]:
    rows = [run.row for run in runs]
    gains = spread([row.f1 - row.f1_even for row in rows])
    figures = [spread([getattr(row, name) for row in rows]) for name in ("f1", "f1_even", "os", "os_abs_error")]
    return [f"{point.sigma:g}", f"{point.gamma:g}", f"{point.lr:g}", str(len(rows)), *figures, gains]


HEADING = ("σ", "γ", "lr", "seeds", "F1", "F1, even frames", "OS", "|OS−S*|", "gain")
INTRODUCTION = (
    "SAFFA as published (σ .5, γ .99, lr 5e-5) with one value changed at a time, trained for the same number of "
    "epochs on the same videos. Options of one's own: `saffa train saffa --sigma --gamma --lr --critic-lr`; d is the "
    "encoder's, `saffa train vdan --embedding` (default 128, as published; `saffa reproduce h0` has its rows)."
)
