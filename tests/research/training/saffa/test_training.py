import json
import math
import os
import re
import subprocess
import sys
from dataclasses import asdict, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import typer
from typer.testing import CliRunner, Result

from saffa.cli.training.agent import train_agent as command
from saffa.core.alignment import Alignment
from saffa.core.errors import InputError, SaffaError
from saffa.methods.dynamics import ACCELERATE, DECELERATE
from saffa.methods.paper.agent import Agent
from saffa.methods.paper.embedding_track import Track
from saffa.methods.paper.loading import load_agent
from saffa.methods.paper.rollouts import rollout
from saffa.research.training.saffa import checkpoint
from saffa.research.training.saffa.presets import PRESETS, SFF_RL
from saffa.research.training.saffa.reward import Reward
from saffa.research.training.saffa.settings import AgentSettings
from saffa.research.training.saffa.training import PublishedTrainer, Trainer, published_trainer, train_agent
from saffa.research.training.saffa.training_log import EpochFacts
from tests.methods.videos import embeddings, track

FAST = AgentSettings(epochs=4, batch=3, snapshot=2, seed=11)


def videos(count: int = 7) -> list[Track]:
    return [track(60 + 17 * seed, 8, seed) for seed in range(count)]


def folder_of_alignments(folder: Path, count: int = 5) -> Path:
    folder.mkdir()
    for seed in range(count):
        pairs = embeddings(90 + seed, 8, seed)
        Alignment(
            times=(np.arange(len(pairs)) / 30).astype(np.float32),
            e_v=pairs[:, 8:],
            e_d=pairs[:, :8],
            relevance=(pairs[:, :8] * pairs[:, 8:]).sum(1),
            sentence_weights=np.ones((len(pairs), 1), np.float32),
            document=("stir",),
            frames=len(pairs),
            rate=Fraction(30),
            encoder="toy",
        ).save(folder / f"video-{seed}.npz")
    return folder


def same(one: Agent, other: Agent) -> bool:
    mine, theirs = one.tensors(), other.tensors()
    return all(np.array_equal(mine[k], theirs[k]) for k in mine)


def log(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) | {"seconds": 0} for line in (run / "log.jsonl").read_text().splitlines()]


def invoke(*options: str | Path) -> Result:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [str(option) for option in options])


@pytest.mark.parametrize("batch", [1, 3, None])
def test_resume_is_exact(tmp_path: Path, batch: int | None) -> None:
    settings = replace(FAST, batch=batch)
    whole = train_agent(videos(), tmp_path / "whole", settings)
    train_agent(videos(), tmp_path / "parts", replace(settings, epochs=2))
    resumed = train_agent(videos(), tmp_path / "parts", settings, resume=True)
    assert same(whole, resumed)
    assert log(tmp_path / "whole") == log(tmp_path / "parts")
    assert same(whole, load_agent(tmp_path / "parts"))
    assert load_agent(tmp_path / "parts").name == "parts"
    assert same(whole, load_agent(tmp_path / "parts" / "epoch-0004.pth"))
    assert not same(whole, load_agent(tmp_path / "parts" / "epoch-0002.pth"))


def test_epochs_after_the_checkpoint_are_done_again(tmp_path: Path) -> None:
    whole = train_agent(videos(), tmp_path / "run", FAST)
    before = log(tmp_path / "run")
    (tmp_path / "run" / "epoch-0002.pth").replace(tmp_path / "run" / "last.pth")  # as if it had been stopped there
    assert same(whole, train_agent(videos(), tmp_path / "run", FAST, resume=True))
    assert log(tmp_path / "run") == before


def test_a_log_that_was_broken_off_is_mended(tmp_path: Path) -> None:
    whole, run = train_agent(videos(), tmp_path / "run", FAST), tmp_path / "run"
    lines = (run / "log.jsonl").read_text().splitlines(keepends=True)
    for end in (lines[3][:40], "3", '{"epoch": "4"}\n', "\0\0\0", ""):
        (run / "log.jsonl").write_text("".join(lines[:3]) + end)
        assert same(whole, train_agent(videos(), run, FAST, resume=True))
        assert log(run) == [json.loads(line) | {"seconds": 0} for line in lines[:3]]
    (run / "log.jsonl").write_text("".join(lines).rstrip())
    train_agent(videos(), run, FAST, resume=True)
    assert (run / "log.jsonl").read_text() == "".join(lines)
    (run / "log.jsonl").write_text(lines[0][:40] + "\n" + lines[1])
    with pytest.raises(InputError, match="damaged in line 1"):
        train_agent(videos(), run, FAST, resume=True)


@pytest.mark.parametrize("left", [None, ""])
def test_a_finished_run_may_have_lost_its_log(tmp_path: Path, left: str | None) -> None:
    alignments, run = folder_of_alignments(tmp_path / "alignments"), tmp_path / "run"
    options = (alignments, "-o", run, "--epochs", "2", "--batch", "0")
    assert "2 epochs, |average skip" in invoke(*options).output
    (run / "log.jsonl").unlink() if left is None else (run / "log.jsonl").write_text(left)
    assert invoke(*options, "--resume").output.endswith("agent: 2 epochs\n")
    assert json.loads(invoke(*options, "--resume", "--json").stdout)["last_epoch"] is None


def test_the_manifest_has_the_epochs_that_were_done(tmp_path: Path) -> None:
    alignments, run = folder_of_alignments(tmp_path / "alignments"), tmp_path / "run"
    invoke(alignments, "-o", run, "--epochs", "3", "--batch", "0")
    done = json.loads(invoke(alignments, "-o", run, "--epochs", "2", "--batch", "0", "--resume", "--json").stdout)
    assert done["settings"]["epochs"] == done["last_epoch"]["epoch"] == 3
    assert json.loads((run / "agent" / "model.json").read_text())["training"]["settings"]["epochs"] == 3


def test_seeds_decide() -> None:
    def after_one_epoch(seed: int) -> Agent:
        trainer = published_trainer(videos(), replace(FAST, seed=seed))
        trainer.epoch(1)
        return trainer.agent

    assert same(after_one_epoch(1), after_one_epoch(1))
    assert not same(after_one_epoch(1), after_one_epoch(2))


def test_every_video_is_played_once_an_epoch_at_its_own_speed() -> None:
    trainer = published_trainer(videos(), FAST)
    facts = trainer.epoch(1)
    assert facts.episodes == 7
    assert facts.accelerate + facts.nothing + facts.decelerate == pytest.approx(1)
    speeds = {trainer.orders(epoch, 0)[0].speed for epoch in range(300)}
    assert speeds == set(range(1, 25))
    fixed = published_trainer(videos(), replace(FAST, speeds=(12.5, 12.5)))
    assert fixed.orders(1, 0)[0].speed == 12.5


@pytest.mark.parametrize(("fit", "action"), [(1, DECELERATE), (-1, ACCELERATE)])
def test_learns_to_linger_where_frames_pay_and_to_hurry_where_they_cost(fit: int, action: int) -> None:
    pairs = np.zeros((150, 8), np.float32)
    pairs[:, 0], pairs[:, 4] = 1, fit
    learning = replace(FAST.learning, lr=2e-4, critic_lr=1e-2)
    settings = replace(FAST, batch=8, speeds=(8, 8), learning=learning, reward=Reward("0"))
    trainer = published_trainer([Track.of_embeddings(pairs)] * 16, settings)
    for epoch in range(1, 41):
        trainer.epoch(epoch)
    assert (rollout(trainer.agent, pairs, 8).actions == action).mean() > 0.8


def test_sff_rl_presets() -> None:
    assert SFF_RL.traits(256).observation.width == 256
    assert SFF_RL.traits(256).rules.max_velocity == 20
    trainer = published_trainer(videos(), SFF_RL)
    assert {trainer.orders(e, 1)[0].speed for e in range(300)} == set(range(1, 20))
    assert trainer.epoch(1).episodes == 7
    assert PRESETS["saffa"] == AgentSettings()


def test_refuses_to_mix_runs(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with pytest.raises(InputError, match="nothing to resume"):
        train_agent(videos(), run, FAST, resume=True)
    train_agent(videos(), run, replace(FAST, epochs=1))
    with pytest.raises(InputError, match="--resume"):
        train_agent(videos(), run, FAST)
    with pytest.raises(InputError, match=r"other settings \(seed\)"):
        train_agent(videos(), run, replace(FAST, seed=5), resume=True)
    with pytest.raises(InputError, match="other videos"):
        train_agent(videos(6), run, FAST, resume=True)
    (run / "last.pth").write_bytes(b"half")
    with pytest.raises(InputError, match="damaged"):
        train_agent(videos(), run, FAST, resume=True)
    train_agent(videos(), run, replace(FAST, epochs=1), overwrite=True)


def test_killed_between_two_files_no_snapshot_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = replace(FAST, epochs=3, snapshot=1)
    save, saved = checkpoint.save, []

    def killed(path: Path, *rest: Any) -> None:
        save(path, *rest)
        saved.append(path.name)
        if len(saved) == 3:  # the first file of the second epoch
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(checkpoint, "save", killed)
        train_agent(videos(), tmp_path / "run", settings)
    train_agent(videos(), tmp_path / "run", settings, resume=True)
    train_agent(videos(), tmp_path / "whole", settings)
    names = {path.name for path in (tmp_path / "whole").glob("*.pth")}
    assert {path.name for path in (tmp_path / "run").glob("*.pth")} == names
    assert "epoch-0002.pth" in names


def test_overwriting_takes_the_old_run_away_and_nothing_else(tmp_path: Path) -> None:
    run = tmp_path / "run"
    train_agent(videos(), run, FAST, tensorboard=True)
    foreign = ("notes.txt", "epoch-best.pth", "best.pth", "events.out.tfevents.txt")
    for name in foreign:
        (run / name).write_text("mine")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    other = replace(FAST, seed=9)
    with pytest.raises(KeyboardInterrupt):
        train_agent(videos(), run, other, overwrite=True, progress=stop)
    assert {path.name for path in run.iterdir()} == {"last.pth", "log.jsonl", *foreign}
    assert [facts["epoch"] for facts in log(run)] == [1]
    unfinished = load_agent(run)
    assert same(unfinished, load_agent(run / "last.pth"))
    assert unfinished.name == "run"
    resumed = train_agent(videos(), run, other, resume=True)
    assert same(resumed, train_agent(videos(), tmp_path / "whole", other))


def test_nothing_is_taken_away_before_the_new_run_can_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    train_agent(videos(), run, FAST)
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    with pytest.raises(InputError, match="no folder"):
        train_agent(tmp_path / "nowhere", run, FAST, overwrite=True)
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(InputError, match="needs TensorBoard"):
        train_agent(videos(), run, FAST, overwrite=True, tensorboard=True)
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == before


def test_refuses_the_place_of_something_else(tmp_path: Path) -> None:
    agent = tmp_path / "run" / "agent"
    agent.mkdir(parents=True)
    with pytest.raises(InputError, match="not an imported model"):
        train_agent(videos(), tmp_path / "run", FAST, overwrite=True)
    (agent / "model.json").write_text('{"kind": "ffnet"}')
    with pytest.raises(InputError, match="is a ffnet"):
        train_agent(videos(), tmp_path / "run", FAST, overwrite=True)
    (agent / "model.json").write_text('{"kind": "agent"}')
    with pytest.raises(InputError, match="holds a run"):
        train_agent(videos(), tmp_path / "run", FAST)
    assert agent.exists()
    (agent / "model.json").write_text("half")
    train_agent(videos(), tmp_path / "run", replace(FAST, epochs=1), overwrite=True)
    assert load_agent(tmp_path / "run").name == "run"


def test_refuses_bad_sets(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no videos"):
        published_trainer([], FAST)
    with pytest.raises(InputError, match="different encoders"):
        published_trainer([track(50, 8), track(50, 16)], FAST)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no alignment"):
        train_agent(tmp_path / "empty", tmp_path / "run", FAST)
    with pytest.raises(InputError, match="no folder"):
        train_agent(tmp_path / "nowhere", tmp_path / "run", FAST)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"batch": -1}, {"seed": -1}, {"speeds": (0, 3)}, {"speeds": (9, 3)}])
def test_refuses_bad_settings(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        AgentSettings(**wrong)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--speed", "inf"], "speed must be a number of 1 or more, not inf"),
        (["--speed", "nan"], "speed must be a number of 1 or more, not nan"),
        (["--speed", "0"], "speed must be a number of 1 or more, not 0"),
        (["--speed", "-3"], "speed must be a number of 1 or more, not -3"),
        (["--speed", "1e30"], r"beyond the longest video, 94 frames"),
        (["--method", "sff-rl", "--position"], "sff-rl sees embeddings alone"),
        (["--method", "sff-rl", "--skip"], "sff-rl sees embeddings alone"),
    ],
)
def test_what_the_command_refuses_leaves_nothing(tmp_path: Path, options: list[str], reason: str) -> None:
    wrong = invoke(folder_of_alignments(tmp_path / "alignments"), "-o", tmp_path / "run", "--epochs", "1", *options)
    assert isinstance(wrong.exception, InputError)
    assert re.search(reason, str(wrong.exception))
    assert not (tmp_path / "run").exists()


def test_command(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    alignments, run = folder_of_alignments(tmp_path / "alignments"), tmp_path / "run"
    options = [str(alignments), "-o", str(run), "--batch", "2", "--no-position", "--sigma", "1", "--json"]
    options += ["--gamma", "1", "--centre", "--normalise"]
    done = CliRunner().invoke(app, [*options, "--epochs", "2", "--tensorboard"], catch_exceptions=False)
    facts = json.loads(done.stdout)
    assert facts["last_epoch"]["epoch"] == 2
    assert facts["settings"]["reward"] == asdict(Reward("F*", 1.0, centre=True))
    assert facts["settings"]["learning"]["gamma"] == 1
    assert facts["settings"]["learning"]["normalise"]
    assert list(run.glob("events.out.tfevents*"))
    agent = load_agent(facts["agent"])
    assert (agent.observation.position, agent.traits.encoder) == (False, "toy")
    done = CliRunner().invoke(app, [*options, "--epochs", "3", "--resume"], catch_exceptions=False)
    assert json.loads(done.stdout)["last_epoch"]["epoch"] == 3
    for mistake in (["--sigma", "0"], ["--gamma", "1.5"]):
        wrong = CliRunner().invoke(app, [*options, *mistake, "--overwrite"])
        assert isinstance(wrong.exception, InputError)


def test_stops_when_it_diverges(tmp_path: Path) -> None:
    def strict(text: str) -> Any:
        return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))

    run, wild = tmp_path / "run", replace(FAST, learning=replace(FAST.learning, lr=1e30))
    with pytest.raises(SaffaError, match=r"diverged in epoch 1: .* no agent was written") as stopped:
        train_agent(videos(), run, wild)
    assert stopped.value.exit_code == 1
    assert not (run / "last.pth").exists() and not (run / "agent").exists()
    [line] = map(strict, (run / "log.jsonl").read_text().splitlines())
    assert line["policy_loss"] is None


@pytest.mark.parametrize("spoilt", ["weights", "losses"])
def test_the_last_sound_epoch_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: str) -> None:
    epoch, run = Trainer.epoch, tmp_path / "run"

    def third_is_spoilt(trainer: PublishedTrainer, number: int) -> EpochFacts:
        facts = epoch(trainer, number)
        if number < 3:
            return facts
        if spoilt == "losses":
            return replace(facts, critic_loss=math.inf)
        with torch.no_grad():
            trainer.learner.networks.policy.fc3.bias[0] = math.nan
        return facts

    monkeypatch.setattr(Trainer, "epoch", third_is_spoilt)
    with pytest.raises(SaffaError, match=r"diverged in epoch 3: .*last\.pth is as it was after epoch 2"):
        train_agent(videos(), run, FAST)
    assert same(load_agent(run / "last.pth"), load_agent(run / "epoch-0002.pth"))
    monkeypatch.undo()
    assert same(train_agent(videos(), run, FAST, resume=True), train_agent(videos(), tmp_path / "whole", FAST))


def test_says_what_needs_pytorch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # any import of it fails
    failed = invoke(folder_of_alignments(tmp_path / "alignments"), "-o", tmp_path / "run")
    assert str(failed.exception) == "Training an agent needs PyTorch: pip install 'saffa[train]'."


SCRIPT = """
import sys, torch
from pathlib import Path
from saffa.research.training.saffa.training import train_agent
from tests.research.training.saffa.test_training import FAST
torch.set_num_threads(1)
train_agent(Path(sys.argv[1]), Path(sys.argv[2]), FAST)
"""


def test_two_processes_equal_one(tmp_path: Path) -> None:
    alignments = folder_of_alignments(tmp_path / "alignments")
    (tmp_path / "script.py").write_text(SCRIPT)
    root = str(Path(__file__).resolve().parents[4])
    subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"),
            *(str(tmp_path / "script.py"), str(alignments), str(tmp_path / "two")),
        ],
        check=True,
        capture_output=True,
        cwd=root,
        env=os.environ | {"PYTHONPATH": root, "OMP_NUM_THREADS": "1"},
        timeout=120,
    )
    one = train_agent(alignments, tmp_path / "one", FAST)
    two = load_agent(tmp_path / "two")
    for key, array in one.tensors().items():
        np.testing.assert_allclose(array, two.tensors()[key], atol=5e-6, err_msg=key)
    for mine, theirs in zip(log(tmp_path / "one"), log(tmp_path / "two"), strict=True):
        assert mine == pytest.approx(theirs, rel=1e-4, abs=1e-4)
