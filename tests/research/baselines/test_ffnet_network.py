"""FFNet: its reward by hand, its walk, its learning on made-up videos, the sampler and the command."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from saffa.cli.main import run
from saffa.core.errors import InputError
from saffa.research.baselines.ffnet import LONGEST, SHIPPED, Ffnet, QNetwork, jump_rewards, load_ffnet, nearness
from tests.methods.made import alignment


def always(jump: int, width: int = 4, encoder: str = "") -> QNetwork:
    """A network that likes one jump best, whatever it sees."""
    sizes = (width, 400, 200, 100, LONGEST)
    weights = tuple(np.zeros((b, a), np.float32) for a, b in pairwise(sizes))
    biases = tuple(np.zeros(size, np.float32) for size in sizes[1:])
    biases[-1][jump - 1] = 1.0
    return QNetwork(weights, biases, encoder)


def test_rewards_by_hand() -> None:
    """method.md E: (0.8 n0 - n1) / 25 over what lies between, and a Gaussian of what is landed near."""
    labels = np.zeros(40, bool)
    labels[10:13] = True
    before = np.cumsum([0, *labels])
    got = jump_rewards(before, np.array([5, 5, 11]), np.array([6, 15, 20]))
    np.testing.assert_allclose(got, [0, (0.8 * 6 - 3) / 25, (0.8 * 7 - 1) / 25])
    near = nearness(labels)
    assert near.shape == (40,)
    assert near[11] == pytest.approx(0.3989 + 2 * 0.2420)
    assert near[14] == pytest.approx(0.0540 + 0.0044 + 0.0001)
    assert near[17] == 0


def test_it_jumps_until_the_end() -> None:
    rows = np.zeros((2, 4), np.float32)
    assert always(7).walk(rows, np.repeat([0, 1], 11)).tolist() == [0, 7, 14, 21]
    assert always(25).walk(rows, np.zeros(25, np.int64)).tolist() == [0]


def test_it_sees_only_where_it_stands() -> None:
    network = always(5)
    network.weights[-1][:] = 0
    network.weights[0][0, 0], network.weights[1][0, 0], network.weights[2][0, 0] = 1, 1, 1
    network.weights[-1][19, 0] = 1  # a bright row makes 20 the best jump
    rows = np.array([[0, 0, 0, 0], [9, 0, 0, 0]], np.float32)
    place = np.repeat([0, 1], [12, 28])
    assert network.walk(rows, place).tolist() == [0, 5, 10, 15, 35]


def test_models_are_saved_and_found(tmp_path: Path) -> None:
    always(3, encoder="made").save(tmp_path / "run" / "agent", {"seed": 1})
    loaded = load_ffnet(tmp_path / "run")
    assert (loaded.inputs, loaded.encoder) == (4, "made")
    assert loaded.walk(np.zeros((1, 4), np.float32), np.zeros(7, np.int64)).tolist() == [0, 3, 6]
    with pytest.raises(InputError, match="no FFNet model 'nowhere'"):
        load_ffnet("nowhere")
    with pytest.raises(InputError, match="not an FFNet model but a agent"):
        load_ffnet("saffa-narrated")


def test_the_sampler_and_its_errors(tmp_path: Path) -> None:
    video = alignment(100, width=4)
    with pytest.raises(InputError, match="no trained model for the encoder made"):
        Ffnet().select(video, 12)
    always(10, encoder="made").save(tmp_path / "mine", {})
    chosen = Ffnet(str(tmp_path / "mine")).select(video, 3.0)
    assert chosen.frames.tolist() == list(range(0, 100, 10))
    assert (chosen.method, chosen.target_speed) == ("ffnet", 3.0)
    always(10, encoder="other").save(tmp_path / "other", {})
    with pytest.raises(InputError, match="Use the encoder that it was trained with"):
        Ffnet(str(tmp_path / "other")).select(video, 3.0)


@pytest.mark.parametrize("encoder", SHIPPED)
def test_shipped_models_are_whole(encoder: str) -> None:
    network = load_ffnet(SHIPPED[encoder])
    assert network.encoder == encoder
    assert all(np.isfinite(weight).all() for weight in network.weights)


def test_the_command_explains_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    wrong = ["train", "ffnet", "nothing", "--data", str(tmp_path), "-o", str(tmp_path / "run")]
    assert run(wrong) == 2
    assert "Unknown benchmark 'nothing'" in capsys.readouterr().err


def test_the_command_trains_on_real_labels(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    command = ["train", "ffnet", "youcook2-narrated", "--data", str(shared_data), "--split", "validation"]
    command += ["--batches", "3", "-o", str(tmp_path / "run"), "--json"]
    assert run(command) == 0
    assert json.loads(capsys.readouterr().out)["videos"] == 40
    assert load_ffnet(tmp_path / "run").encoder == "narrated"
    assert run(command) == 2
    assert "--resume" in capsys.readouterr().err
