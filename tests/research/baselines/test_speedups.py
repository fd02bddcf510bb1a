import numpy as np
import pytest

from saffa.research.baselines.ranges import LevelSplit, ScoreRange, length_fair, level_speeds


@pytest.mark.parametrize(
    ("share", "pair", "achieved"),
    [
        (0.05, (3, 14), 11.83),
        (0.10, (4, 15), 11.76),
        (0.25, (7, 15), 11.67),
        (0.50, (9, 16), 11.52),
        (0.75, (10, 21), 11.51),
        (0.90, (11, 20), 11.52),
        (0.95, (12, 12), 12.00),
    ],
)
def test_the_reference_pairs(share: float, pair: tuple[int, int], achieved: float) -> None:
    """method_bot.md §5, one level at 12×."""
    level = LevelSplit(round(10_000 * share), 10_000 - round(10_000 * share), 12.0)
    assert length_fair(level) == pair
    assert level.achieved(*map(np.array, pair)) == pytest.approx(achieved, abs=0.005)


def test_fitness_by_hand() -> None:
    level = LevelSplit(250, 750, 12.0)  # p = 1/4: 2 |4 - 3| + 3/4 |14 - 4|
    assert float(level.fitness(np.array(4.0), np.array(14.0))) == pytest.approx(9.5)


def test_levels_play_ever_slower_and_meet_the_target() -> None:
    ranges = [ScoreRange(0, 4000, 0), ScoreRange(4000, 5000, 1), ScoreRange(5000, 5500, 2), ScoreRange(5500, 8000, 0)]
    speeds = level_speeds(ranges, 12.0)
    assert len(speeds) == 3
    assert speeds[0] > speeds[1] > speeds[2]
    assert 8000 / sum(r.frames / speeds[r.level] for r in ranges) == pytest.approx(12, abs=0.8)


def test_without_levels_the_target_is_kept_as_it_is() -> None:
    assert level_speeds([ScoreRange(0, 100, 0)], 7.3) == [7.3]
    assert level_speeds([ScoreRange(0, 100, 1)], 7.3) == [7.3, 7.3]


@pytest.mark.parametrize("speed", [1.0, 1.5, 40.0, 300.0])
def test_any_target_has_speeds(speed: float) -> None:
    low, high = level_speeds([ScoreRange(0, 500, 1), ScoreRange(500, 1000, 0)], speed)[::-1]
    assert 1 <= low <= high
