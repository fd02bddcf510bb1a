"""Runs of several benches as one."""

from __future__ import annotations

import pytest

from saffa.evaluation.metrics import Scores
from saffa.evaluation.runs import JoinedRun, Run


def run(speed: float, **speeds: float) -> Run:
    return Run("plan", None, speed, {video: Scores(50, 10, 20, own, 0.5) for video, own in speeds.items()}, speed)


def test_every_video_is_held_to_its_own_target() -> None:
    joined = JoinedRun.of([run(10, a=10, b=10.5), run(20, c=20)], 13.3)
    assert joined.row.n == 3
    assert joined.row.os == pytest.approx(40.5 / 3)
    assert joined.row.os_abs_error == pytest.approx(0.5 / 3)
    assert joined.sampling == 15
