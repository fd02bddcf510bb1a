"""A table of finished trainings of VDAN on pictures: mean ± deviation over the runs of a label.

    python -m benchmarks.picture_runs "φ(v)=RUN,RUN,RUN" zeros=RUN,RUN,RUN

Each RUN is a folder of `saffa train vdan RUN --data DATA`; the figures are those that it left about its best weights
on the validation pictures, with documents of four sentences. e_D·e_v: mean ± deviation over pictures of a document and
over others, averaged over the runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.strict_json import read_json
from saffa.research.evaluation.markdown import number, sheet, spread
from saffa.research.training.vdan.picture_run import RESULT

FIGURES = ("attention", "auc", "wrong_auc", "mrr")
PRODUCTS = ("own", "other")
HEADING = (
    *("run", "set", "seeds", "best step", "attention", "AUC", "other text", "MRR, honest"),
    *("e_D·e_v own", "e_D·e_v others", "hours, all seeds"),
)


def rows(label: str, runs: Sequence[Path]) -> list[list[str]]:
    """A row for each set of pictures."""
    found: list[dict[str, Any]] = [read_json(run / RESULT) for run in runs]
    steps = "/".join(str(one["step"]) for one in found)
    hours = number(sum(float(one["hours"]) for one in found))
    made = []
    for name in found[0]["validation"]:
        of_set = [one["validation"][name] for one in found]
        figures = [spread([float(one[figure]) for one in of_set], 3) for figure in FIGURES]
        products = [np.mean([one[whose] for one in of_set], axis=0) for whose in PRODUCTS]
        spreads = [f"{mean:.2f} ± {deviation:.2f}" for mean, deviation in products]
        made.append([label, name, str(len(found)), steps, *figures, *spreads, hours])
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="+", metavar="LABEL=RUN,RUN")
    options = parser.parse_args(arguments)
    table = []
    for group in options.groups:
        label, _, runs = group.rpartition("=")
        table += rows(label, [Path(run) for run in runs.split(",")])
    print(sheet(HEADING, table).markdown())


if __name__ == "__main__":
    main()
