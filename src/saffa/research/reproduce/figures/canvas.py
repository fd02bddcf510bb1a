"""What all figures share: colours of methods, and a file as PNG and SVG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from saffa.core.whole_file import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, PALE = "#1f2933", "#d9e2ec"
COLOURS = {
    "uniform": "#7b8794",
    "ffnet": "#111827",
    "sas": "#0f766e",
    "sasv2": "#0d9488",
    "bot": "#6d28d9",
    "non-rl": "#a855f7",
    "sff-rl": "#be185d",
    "saffa": "#1d4ed8",
    "saffa+": "#2563eb",
    "plan": "#c2410c",
    "plan-balanced": "#ea580c",
    "oracle": "#15803d",
}


def new_figure(width: float, height: float) -> Figure:
    """Inches; drawn without a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def colour(method: str) -> str:
    """Of a method, also with something said after a comma; ink for one that has none."""
    return COLOURS.get(method.partition(",")[0], INK)


def save(figure: Figure, stem: Path) -> tuple[Path, ...]:
    """`stem.png` and `stem.svg`, each whole or not at all; the same picture gives the same file."""
    from matplotlib import rc_context  # noqa: PLC0415

    paths = stem.with_name(f"{stem.name}.png"), stem.with_name(f"{stem.name}.svg")
    with rc_context({"svg.hashsalt": "saffa"}):
        for path, about in zip(paths, ({}, {"Date": None}), strict=True):
            with whole_file(path) as part:
                figure.savefig(part, dpi=130, metadata=about)
    return paths
