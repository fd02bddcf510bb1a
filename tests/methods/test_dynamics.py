import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.methods.dynamics import ACCELERATE, ACTIONS, DECELERATE, NOTHING, Dynamics, Variant

variants = st.sampled_from(["code", "paper"])


def run(variant: Variant, velocity: int, actions: list[int]) -> list[tuple[int, int]]:
    dynamics, state, seen = Dynamics(variant), (velocity, 1), []
    for action in actions:
        state = dynamics.step(*state, action)
        seen.append(state)
    return seen


def test_released_code_changes_acceleration_first() -> None:
    assert run("code", 12, [ACCELERATE, ACCELERATE, NOTHING, DECELERATE, DECELERATE, DECELERATE]) == [
        (14, 2),
        (17, 3),
        (17, 3),
        (15, 2),
        (14, 1),
        (13, 1),
    ]


def test_paper_changes_velocity_first() -> None:
    assert run("paper", 12, [ACCELERATE, ACCELERATE, NOTHING, DECELERATE, DECELERATE, DECELERATE]) == [
        (13, 2),
        (15, 3),
        (15, 3),
        (12, 2),
        (10, 1),
        (9, 1),
    ]


def test_bounds_are_the_papers() -> None:
    assert run("code", 20, [ACCELERATE] * 6)[-1] == (25, 5)
    assert run("code", 3, [DECELERATE] * 6)[-1] == (1, 1)


@given(variants, st.integers(1, 25), st.integers(1, 5), st.sampled_from(ACTIONS))
def test_steps_stay_inside_and_agree_with_the_table(variant: Variant, v: int, w: int, action: int) -> None:
    dynamics = Dynamics(variant)
    after = dynamics.step(v, w, action)
    assert 1 <= after[0] <= 25
    assert 1 <= after[1] <= 5
    assert dynamics.successors()[dynamics.state(v, w), action] == dynamics.state(*after)
    assert dynamics.velocities()[dynamics.state(v, w)] == v


@pytest.mark.parametrize(("speed", "ceiling"), [(1, 25), (12, 25), (25, 25), (25.5, 51), (40, 80), (100, 200)])
def test_ceiling_rises_above_25(speed: float, ceiling: int) -> None:
    assert Dynamics.for_speed(speed).max_velocity == ceiling


def test_refuses_empty_ranges() -> None:
    with pytest.raises(ValueError, match="not a range"):
        Dynamics(min_velocity=5, max_velocity=4)
    with pytest.raises(ValueError, match="unknown dynamics"):
        Dynamics(variant="other")  # type: ignore[arg-type]


def test_states_count_from_the_slowest() -> None:
    dynamics = Dynamics("code", 3, 5, 2)
    assert dynamics.states == 6
    assert dynamics.velocities().tolist() == dynamics.paces().tolist() == [3, 3, 4, 4, 5, 5]
    assert [dynamics.state(v, w) for v in (3, 4, 5) for w in (1, 2)] == list(range(6))
    assert dynamics.successors().tolist() == [[5, 0, 0], [5, 1, 0], [5, 2, 0], [5, 3, 0], [5, 4, 2], [5, 5, 2]]
    assert dynamics.raised(9) == Dynamics("code", 3, 9, 2)
    assert Dynamics(min_velocity=5, max_velocity=5).states == 5
    with pytest.raises(ValueError, match="not a range"):
        Dynamics(min_velocity=0)
