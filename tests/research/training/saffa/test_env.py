import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from saffa.core.errors import InputError
from saffa.methods.paper.agent import RULES
from saffa.methods.paper.observation import Observation
from saffa.research.training.saffa.env import FastForwardEnv
from saffa.research.training.saffa.registration import ENV_ID, register
from saffa.research.training.saffa.reward import Reward
from tests.methods.videos import embeddings


@pytest.fixture(autouse=True)
def registered() -> None:
    register()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"embeddings": embeddings(80)},
        {"embeddings": [embeddings(80), embeddings(33, seed=1)], "target_speed": 3.7},
        {"embeddings": embeddings(80, 16), "observation": Observation(32, position=False, skip=False)},
        {"embeddings": embeddings(80), "target_speed": 60, "reward": Reward("F", 1.0)},
        {"rules": RULES["sff-rl"], "reward": Reward("0")},
    ],
)
def test_passes_the_checker(options: dict[str, Any]) -> None:
    check_env(gymnasium.make(ENV_ID, **options).unwrapped)


@pytest.mark.parametrize("room", ["saffa", "saffa.agent"])
def test_who_uses_gymnasium_only_imports_saffa(room: str) -> None:
    code = f"import gymnasium, {room}; gymnasium.make('{ENV_ID}').reset(seed=0)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_video_that_is_not_there() -> None:
    env = FastForwardEnv([embeddings(50, seed=s) for s in range(2)])
    for video in (-1, 2):
        with pytest.raises(ValueError, match="has 2, counted from 0"):
            env.reset(options={"video": video})


def test_importing_saffa_loads_no_gymnasium() -> None:
    script = "import saffa, saffa.agent, sys; assert 'gymnasium' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_gymnasium_finds_it_by_its_module() -> None:
    code = f"import gymnasium; gymnasium.make('saffa.research.training.saffa.env:{ENV_ID}').reset(seed=0)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_seed_fixes_the_speed_and_the_video() -> None:
    env = FastForwardEnv([embeddings(50, seed=s) for s in range(5)])
    seen = []
    for seed in (3, 3, 4):
        seen.append([env.reset(seed=seed)[1]] + [env.reset()[1] for _ in range(5)])
    assert seen[0] == seen[1] != seen[2]


def test_speeds_are_drawn_from_1_to_24() -> None:
    env = FastForwardEnv(embeddings(50))
    env.reset(seed=0)
    drawn = {env.reset()[1]["target_speed"] for _ in range(600)}
    assert drawn == set(range(1, 25))


def test_options_name_the_video_and_the_speed() -> None:
    env = FastForwardEnv([embeddings(50), embeddings(70)])
    _, info = env.reset(options={"video": 1, "target_speed": 30})
    assert (info["video"], info["velocity"]) == (1, 30)


def test_weight_zero_pays_for_the_last_frame_too() -> None:
    pairs = embeddings(10)
    env = FastForwardEnv(pairs, target_speed=12, reward=Reward("0"))
    env.reset()
    _, paid, over, _, _ = env.step(1)
    assert over
    assert paid == pytest.approx(float(pairs[9, :128] @ pairs[9, 128:]), abs=1e-6)


def test_no_step_after_the_end() -> None:
    env = FastForwardEnv(embeddings(10), target_speed=20)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(1)
    env.reset()
    env.step(1)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(1)


@pytest.mark.parametrize("action", [3, -1, 1.5])
def test_there_are_three_actions(action: Any) -> None:
    env = FastForwardEnv(embeddings(100), target_speed=20)
    env.reset()
    with pytest.raises(ValueError, match="no action"):
        env.step(action)
    env.step(np.int64(2))


@pytest.mark.parametrize("wrong", [np.zeros((5, 7), np.float32), np.zeros(5, np.float32), np.zeros((0, 8), np.float32)])
def test_refuses_other_shapes(wrong: Any) -> None:
    with pytest.raises(InputError, match="frames, 2d"):
        FastForwardEnv(wrong)


def test_refuses_a_view_of_another_width() -> None:
    with pytest.raises(ValueError, match="width"):
        FastForwardEnv(embeddings(10), observation=Observation(32))
