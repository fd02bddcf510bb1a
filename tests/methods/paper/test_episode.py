import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.core.errors import InputError
from saffa.methods.dynamics import ACCELERATE, DECELERATE, NOTHING
from saffa.methods.paper.agent import RULES
from saffa.methods.paper.episode import Episode, Rules
from saffa.research.training.saffa.reward import Reward


def test_doing_nothing_is_even_spacing_at_the_target() -> None:
    episode, frames = Episode(100, 16, Rules()), []
    while not episode.done:
        episode.move(NOTHING)
        frames.append(episode.frame)
    assert frames == [16, 32, 48, 64, 80, 96, 99]
    assert episode.average_skip == 16
    assert episode.skip_index == 25


def test_average_counts_the_start_and_the_last_move_in_full() -> None:
    episode = Episode(10, 5, Rules())
    episode.move(ACCELERATE)
    episode.move(ACCELERATE)
    assert episode.done
    assert episode.frame == 9
    assert episode.average_skip == (5 + 7 + 10) / 3


@pytest.mark.parametrize(("speed", "first"), [(1, 1), (1.4, 1), (12.5, 12), (12.6, 13), (40, 40), (99.7, 100)])
def test_starts_at_the_rounded_target(speed: float, first: int) -> None:
    assert Episode(1000, speed, Rules()).velocity == first
    assert Episode(1000, speed, Rules(), "one").velocity == 1


def test_targets_above_25_raise_the_ceiling() -> None:
    episode = Episode(10_000, 40, Rules())
    for _ in range(20):
        episode.move(ACCELERATE)
    assert episode.velocity == 80


def test_sff_rl_keeps_to_20_and_stops_before_the_end() -> None:
    rules = RULES["sff-rl"]
    assert rules.dynamics(40).max_velocity == 20
    episode = Episode(41, 40, rules)
    assert episode.velocity == 20
    episode.move(NOTHING)
    episode.move(NOTHING)
    assert (episode.frame, episode.done) == (40, False)  # on the last frame: selected, and not over
    episode.move(DECELERATE)
    assert episode.done


@given(st.integers(1, 300), st.floats(1, 60), st.lists(st.integers(0, 2), min_size=300, max_size=300))
def test_every_walk_ends_on_the_last_frame(frames: int, speed: float, actions: list[int]) -> None:
    for rules in RULES.values():
        episode, before = Episode(frames, speed, rules), -1
        for action in [*actions, ACCELERATE]:
            if episode.done:
                break
            assert before < episode.frame < frames
            before = episode.frame
            episode.move(action)
            assert 0 <= episode.skip_index < 50
        assert episode.done
        assert episode.frame == frames - 1


@pytest.mark.parametrize(("weight", "factor"), [("F*", 8), ("F", 100)])
def test_speed_reward(weight: str, factor: int) -> None:
    reward = Reward(weight, 0.5)  # type: ignore[arg-type]
    assert reward.terminal(100, 12, 12) == factor
    assert reward.terminal(100, 12, 12.5) == pytest.approx(factor * 0.6065306597)


def test_no_speed_reward_where_its_weight_is_zero() -> None:
    assert Reward("0").terminal(100, 12, 12) is None
    assert Reward("F*").terminal(10, 12, 12) is None  # ⌊10/12⌋ = 0


@pytest.mark.parametrize("settings", [{"weight": "F**"}, {"sigma": 0}])
def test_refuses_other_rewards(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"weight|sigma"):
        Reward(**settings)  # type: ignore[arg-type]


def test_an_unknown_start_is_refused() -> None:
    with pytest.raises(InputError, match="'target' or 'one'"):
        Rules().first_velocity(12, "two")  # type: ignore[arg-type]
