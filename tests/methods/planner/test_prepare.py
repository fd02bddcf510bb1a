"""What is compiled while a video is read is what its plan runs: nothing is left to compile then."""

from fractions import Fraction

import numpy as np

from saffa.core.alignment import Alignment
from saffa.methods.planner import bridge, kernels
from saffa.methods.planner.plan import Plan, prepare


def test_a_plan_compiles_nothing_more() -> None:
    prepare()
    loops = (kernels._walk_best, bridge._fill_counts)
    compiled = [len(loop.signatures) for loop in loops]
    random = np.random.default_rng(0)
    times = np.arange(40, dtype=np.float32)
    row = np.zeros((40, 1), np.float32)
    relevance = random.random(40).astype(np.float32)
    made = Alignment(times, row, row, relevance, row + 1, ("boil",), 1200, Fraction(30000, 1001), "made")
    assert len(Plan().select(made, 6.5).frames) == 185
    assert [len(loop.signatures) for loop in loops] == compiled
    assert min(compiled) >= 1
