import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.encoders.base import AlignmentRow
from saffa.methods.paper.agent import RULES, Agent, Traits
from saffa.methods.paper.embedding_track import Track
from saffa.methods.paper.loading import save_agent
from saffa.methods.paper.observation import Observation
from saffa.methods.paper.online import PaperOnline
from saffa.methods.paper.policy import Mlp
from saffa.methods.paper.rollouts import rollout
from saffa.research.training.saffa.env import FastForwardEnv
from saffa.research.training.saffa.networks import PublishedNetworks
from tests.methods.videos import embeddings


def fresh(traits: Traits = Traits(), seed: int = 0) -> Agent:
    return PublishedNetworks.seeded(traits, seed).agent("fresh")


@pytest.mark.parametrize("speed", [1, 1.3, 2.5, 12, 25, 25.5, 40, 123.4, 5000])
def test_any_speed(speed: float) -> None:
    roll = rollout(fresh(), embeddings(700), target_speed=speed)
    assert roll.selected[-1] == 699
    assert (np.diff(roll.selected) > 0).all()
    assert roll.probabilities.shape == (len(roll.actions), 3)
    np.testing.assert_array_equal(roll.actions, roll.probabilities.argmax(1))
    np.testing.assert_array_equal(roll.selected, np.minimum(np.cumsum(roll.skips), 699))


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_tiny_videos(frames: int) -> None:
    assert rollout(fresh(), embeddings(frames), target_speed=2).selected[-1] == frames - 1


@pytest.mark.parametrize("speed", [0.5, float("nan"), float("inf"), -3])
def test_refuses_other_speeds(speed: float) -> None:
    with pytest.raises(InputError, match="speed"):
        rollout(fresh(), embeddings(20), target_speed=speed)


def test_refuses_another_width() -> None:
    with pytest.raises(InputError, match=r"width 128.*have 64"):
        rollout(fresh(), embeddings(20, 64), target_speed=2)


def test_refuses_embeddings_that_are_not_finite() -> None:
    pairs = embeddings(20)
    pairs[3, 3] = np.nan
    with pytest.raises(InputError, match="finite"):
        rollout(fresh(), pairs, target_speed=2)


def test_sff_rl_does_not_select_the_move_past_the_end() -> None:
    traits = Traits(Observation(position=False, skip=False), RULES["sff-rl"], "sff-rl")
    roll = rollout(fresh(traits), embeddings(300), target_speed=12)
    assert len(roll.selected) == len(roll.actions) - 1
    np.testing.assert_array_equal(roll.selected, np.cumsum(roll.skips)[:-1])
    assert np.cumsum(roll.skips)[-1] >= 300


def test_a_grid_is_read_at_the_nearest_time() -> None:
    pairs = embeddings(4, 8)
    grid = alignment_of(pairs, frames=35, rate=10, times=[0.0, 1.0, 2.0, 3.0])
    track = Track.of_alignment(grid)
    assert track.rows.tolist() == [0] * 6 + [1] * 10 + [2] * 10 + [3] * 9
    np.testing.assert_array_equal(track.at(12), pairs[1])
    assert track.encoder == "test"


def test_a_dense_grid_is_one_row_per_frame() -> None:
    times = (np.arange(5000) / 29.97).tolist()
    grid = alignment_of(embeddings(5000, 2), 5000, Fraction(2997, 100), times)
    np.testing.assert_array_equal(Track.of_alignment(grid).rows, np.arange(5000))


def test_equal_neighbours_are_one_row() -> None:
    pairs = embeddings(6, 8)[[0, 0, 1, 1, 1, 2, 0, 3, 3, 3]]
    pairs[4, 0] += 1  # e_D alone may change, too
    track = Track.of_alignment(alignment_of(pairs, 10, 10, [i / 10 for i in range(10)]))
    np.testing.assert_array_equal(track.at(np.arange(10)), pairs)
    assert track.rows.tolist() == [0, 0, 1, 1, 2, 3, 4, 5, 5, 5]


@pytest.mark.parametrize("parts", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("repeat", [1, 40])
def test_a_cell_seen_once_scores_like_every_state_seen_whole(parts: tuple[bool, bool], repeat: int) -> None:
    agent = fresh(Traits(Observation(16, *parts)))
    track = Track(embeddings(600 // repeat, 8), np.arange(600) // repeat)
    for speed in (1, 12):
        roll = rollout(agent, track, target_speed=speed)
        env = FastForwardEnv(track, target_speed=speed, observation=agent.observation)
        state, _ = env.reset()
        for action, chances in zip(roll.actions, roll.probabilities, strict=True):
            np.testing.assert_allclose(agent.probabilities(state), chances, atol=1e-6)
            state, *_ = env.step(action)


def test_layers_of_other_sizes() -> None:
    random = np.random.default_rng(3)
    sizes = (Observation(16).width, 8, 24, 3)
    weights = [random.normal(size=(b, a)).astype(np.float32) for a, b in pairwise(sizes)]
    biases = [random.normal(size=b).astype(np.float32) for b in sizes[1:]]
    network = Mlp((weights[0], weights[1], weights[2]), (biases[0], biases[1], biases[2]))
    agent, track = Agent(network, None, Traits(Observation(16))), Track.of_embeddings(embeddings(300, 8))
    roll = rollout(agent, track, target_speed=5)
    env = FastForwardEnv(track, target_speed=5, observation=agent.observation)
    state, _ = env.reset()
    for action, chances in zip(roll.actions, roll.probabilities, strict=True):
        np.testing.assert_allclose(agent.probabilities(state), chances, atol=1e-5)
        state, *_ = env.step(action)


@pytest.mark.parametrize("width", [8, 600])
def test_walks_of_one_agent_do_not_disturb_each_other(width: int) -> None:
    """Each walk has memory of its own to work in."""
    agent = fresh(Traits(Observation(2 * width)))
    pairs = [embeddings(200, width, seed) for seed in (0, 1)]
    answers = [[AlignmentRow(0.0, np.ones(1, np.float32), row[:width], row[width:]) for row in both] for both in pairs]
    walks, together = [PaperOnline(agent, 200, 4) for _ in pairs], [[0], [0]]
    for _ in range(7):
        for walk, said, frames in zip(walks, answers, together, strict=True):
            frames.append(walk.step(frames[-1], said[frames[-1]]) or 0)
    alone = [[0, *rollout(agent, both, target_speed=4).selected[:7].tolist()] for both in pairs]
    assert together == alone


def test_inference_needs_no_pytorch(tmp_path: Path) -> None:
    save_agent(fresh(), tmp_path / "agent")
    script = (
        "import sys, numpy as np\n"
        "from saffa.methods.paper.loading import load_agent\n"
        "from saffa.methods.paper.rollouts import rollout\n"
        f"rollout(load_agent({str(tmp_path / 'agent')!r}), np.ones((90, 256), np.float32), 12)\n"
        "assert not {'torch', 'gymnasium', 'numba', 'onnxruntime'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def alignment_of(pairs: np.ndarray, frames: int, rate: float | Fraction, times: list[float]) -> Alignment:
    half = pairs.shape[1] // 2
    return Alignment(
        times=np.array(times, np.float32),
        e_v=pairs[:, half:],
        e_d=pairs[:, :half],
        relevance=np.zeros(len(pairs), np.float32),
        sentence_weights=np.ones((len(pairs), 1), np.float32),
        document=("stir",),
        frames=frames,
        rate=Fraction(rate),
        encoder="test",
    )
