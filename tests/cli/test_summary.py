"""A run in numbers, and the table of its sentences."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from saffa.cli.report import Summary, print_plan
from saffa.core.document import Document
from saffa.core.result import Result
from saffa.core.selection import Selection
from saffa.core.timeline import Source, Timeline, segments_of, timemap_of
from saffa.encoders.replay import NoEncoder
from saffa.media.probe import probe
from tests.media.movies import Movie, make


@pytest.mark.parametrize(
    ("rate", "slow", "told", "watchable"),
    [
        (30, 29, "0.9 s", 0),  # .967 s are no second
        (30, 30, "1.0 s", 1),
        (49, 49, "1.0 s", 1),  # 49 × (1/49) is less than 1 in floats
        (30, 21, "0.7 s", 0),  # 21/30 s is .7 s, though 10 × .7 is less than 7 in some sums
    ],
)
def test_table_and_count_agree(tmp_path: Path, rate: int, slow: int, told: str, watchable: int) -> None:
    video = probe(make(tmp_path / "m.mp4", Movie(frames=150, rate=Fraction(rate))))
    frames = np.array([*range(slow + 1), *range(slow + 6, 150, 10)])
    selection = Selection(frames, 150, 150 / len(frames), "plan")
    alignment = NoEncoder().encode(video, Document(("Boil.",)), None)
    segments = segments_of(video, selection, [0] * len(frames))
    speed = selection.target_speed
    picked = tuple(map(int, frames))
    timeline = Timeline(Source.of(video), ("Boil.",), "plan", "none", speed, speed, picked, segments)
    result = Result(timeline, selection, alignment, timemap_of(video, picked), None)
    assert Summary.of(result).watchable == watchable
    written = io.StringIO()
    print_plan(Console(file=written, width=100), result)
    (row,) = [line for line in written.getvalue().splitlines() if line.startswith("Boil.")]
    assert row.endswith(f" {told}")
