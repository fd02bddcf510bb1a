import json
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from saffa.cli.models import app as models
from saffa.core.errors import InputError
from saffa.methods.paper.agent import RULES, Agent, Traits
from saffa.methods.paper.loading import load_agent, save_agent
from saffa.methods.paper.observation import Observation
from saffa.research.training.saffa.networks import PublishedNetworks
from saffa.research.training.vdan.importing import import_checkpoint


def networks(width: int = 256, position: bool = True, skip: bool = True) -> PublishedNetworks:
    return PublishedNetworks.seeded(Traits(Observation(width, position, skip)), 3)


def container(path: Path, found: PublishedNetworks) -> Path:
    torch.save({"policy_state_dict": found.policy.state_dict(), "critic_state_dict": found.critic.state_dict()}, path)
    return path


def same(one: Agent, other: Agent) -> bool:
    mine, theirs = one.tensors(), other.tensors()
    return mine.keys() == theirs.keys() and all(np.array_equal(mine[k], theirs[k]) for k in mine)


def test_a_folder_brings_everything_back(tmp_path: Path) -> None:
    traits = Traits(Observation(64, skip=False), RULES["sff-rl"], "sff-rl", encoder="some encoder")
    agent = PublishedNetworks.seeded(traits, 0).agent()
    save_agent(agent, tmp_path / "mine")
    found = load_agent(tmp_path / "mine")
    assert same(agent, found)
    assert (found.traits, found.name) == (traits, "mine")
    save_agent(agent, tmp_path / "mine.2")
    assert load_agent(tmp_path / "mine.2").name == "mine.2"


def test_names_are_looked_up_in_the_models_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_MODELS", str(tmp_path))
    save_agent(networks().agent(), tmp_path / "mine")
    assert load_agent("mine").name == "mine"
    container(tmp_path / "youcookii_saffa_model.pth", networks())
    assert load_agent("saffa-youcook2").observation.width == 356
    with pytest.raises(InputError, match="no agent 'yours'"):
        load_agent("yours")


@pytest.mark.parametrize(("position", "skip"), [(True, True), (False, False)])
def test_the_authors_container(tmp_path: Path, position: bool, skip: bool) -> None:
    made = networks(position=position, skip=skip)
    found = load_agent(container(tmp_path / "agent.pth", made))
    assert same(made.agent(), found)
    assert found.observation == Observation(256, position, skip)
    assert found.traits.method == "saffa"


def test_half_a_state_must_be_named(tmp_path: Path) -> None:
    path = container(tmp_path / "agent.pth", networks(skip=False))
    with pytest.raises(InputError, match="either the position or the skip"):
        load_agent(path)
    assert load_agent(path, observation=Observation(skip=False)).observation.width == 306


def test_a_bare_policy_of_embeddings_is_sff_rl(tmp_path: Path) -> None:
    torch.save(networks(position=False, skip=False).policy.state_dict(), tmp_path / "bare.pth")
    found = load_agent(tmp_path / "bare.pth")
    assert (found.traits.method, found.critic) == ("sff-rl", None)
    assert found.rules == RULES["sff-rl"]
    with pytest.raises(InputError, match="without its critic"):
        found.values(np.zeros((1, 256), np.float32))


def of_training(path: Path, made: PublishedNetworks) -> Path:
    """As `saffa train saffa` leaves it: the authors' container, with the traits."""
    container(path, made)
    torch.save(torch.load(path) | {"saffa": json.dumps(made.traits.to_json())}, path)
    return path


OWN = Traits(Observation(16, skip=False), RULES["sff-rl"], "sff-rl", encoder="toy")


@pytest.mark.parametrize(("traits", "told"), [(Traits(), False), (Traits(), True), (OWN, True)])
def test_an_imported_checkpoint_runs_without_it(tmp_path: Path, traits: Traits, told: bool) -> None:
    made = PublishedNetworks.seeded(traits, 3)
    path = (of_training if told else container)(tmp_path / "agent.pth", made)
    [folder] = import_checkpoint(path, tmp_path / "imported")
    assert ("traits" in folder.facts) == told
    path.unlink()
    found = load_agent(tmp_path / "imported")
    assert same(found, made.agent())
    assert found.traits == traits


def test_older_imports_have_their_traits_among_the_notes(tmp_path: Path) -> None:
    path = of_training(tmp_path / "agent.pth", PublishedNetworks.seeded(OWN, 3))
    [folder] = import_checkpoint(path, tmp_path / "imported", traits=lambda _: None)
    assert "traits" not in folder.facts
    assert load_agent(tmp_path / "imported").traits == OWN


def imported(path: Path, *options: str) -> Traits:
    done = CliRunner().invoke(models, ["import", str(path), "--name", "mine", *options])
    if done.exception is not None:
        raise done.exception
    return load_agent("mine").traits


def test_the_command_imports_an_agent_as_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_MODELS", str(tmp_path / "models"))
    path = of_training(tmp_path / "agent.pth", PublishedNetworks.seeded(OWN, 3))
    assert imported(path) == OWN
    with pytest.raises(InputError, match="says itself"):
        imported(path, "--no-skip", "--overwrite")
    torch.save(networks(position=False, skip=False).policy.state_dict(), tmp_path / "bare.pth")
    assert imported(tmp_path / "bare.pth", "--overwrite").method == "sff-rl"


def test_the_command_refuses_what_cannot_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_MODELS", str(tmp_path / "models"))
    half = container(tmp_path / "half.pth", networks(skip=False))
    small = container(tmp_path / "small.pth", networks(16, position=False, skip=False))
    part = tmp_path / "part.pth"
    torch.save({"policy_state_dict": {"fc1.weight": torch.zeros(4, 356)}}, part)
    for path, reason in ((half, "--no-position"), (small, "16 inputs"), (part, "missing")):
        with pytest.raises(InputError, match=reason):
            imported(path)
    with pytest.raises(InputError, match="no such state"):
        imported(small, "--no-skip")
    assert not (tmp_path / "models").exists()
    assert imported(half, "--no-skip").observation == Observation(256, skip=False)
    assert imported(half, "--no-position", "--overwrite").observation == Observation(256, position=False)
    assert imported(small, "--no-position", "--no-skip", "--overwrite").observation.width == 16


def test_refuses_what_is_no_agent(tmp_path: Path) -> None:
    torch.save({"policy_state_dict": {"fc1.weight": torch.zeros(4, 356)}}, tmp_path / "part.pth")
    with pytest.raises(InputError, match="missing"):
        load_agent(tmp_path / "part.pth")
    (tmp_path / "noise.pth").write_bytes(b"noise")
    with pytest.raises(InputError, match=r"noise\.pth"):
        load_agent(tmp_path / "noise.pth")
    with pytest.raises(InputError, match="not an imported model"):
        load_agent(tmp_path)


def test_refuses_layers_that_do_not_fit(tmp_path: Path) -> None:
    made = networks()
    made.policy.fc2 = torch.nn.Linear(17, 128)
    with pytest.raises(InputError, match="do not fit"):
        load_agent(container(tmp_path / "agent.pth", made))


def test_an_existing_folder_is_not_replaced(tmp_path: Path) -> None:
    save_agent(networks().agent(), tmp_path / "mine")
    with pytest.raises(InputError, match="exists"):
        save_agent(networks().agent(), tmp_path / "mine")
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="not an imported model"):
        save_agent(networks().agent(), tmp_path / "other", overwrite=True)


def test_a_compact_agent_is_of_another_kind() -> None:
    with pytest.raises(InputError, match="not an agent with the published state but a compact-agent"):
        load_agent("saffa-compact")
