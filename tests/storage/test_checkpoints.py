"""Published containers: read what is plain data, refuse the rest."""

import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from saffa.core.errors import InputError, SaffaError
from saffa.research.training.vdan.importing import build_encoder, import_checkpoint, read_word_map
from saffa.storage.checkpoints import read_checkpoint, told_traits
from saffa.storage.models import ModelFolder, imported_models
from tests.encoders.small import SMALL, WORDS, container, small_encoder


def saved(path: Path, content: Any) -> Path:
    torch.save(content, path)
    return path


def policy(inputs: int = 356) -> dict[str, torch.Tensor]:
    sizes = [(256, inputs), (128, 256), (3, 128)]
    return {f"fc{i}.{k}": torch.rand(s if k == "weight" else s[:1]) for i, s in enumerate(sizes, 1) for k in KINDS}


KINDS = ("weight", "bias")


@pytest.mark.parametrize("kind", ["vdan_plus", "vdan"])
def test_encoder_container(tmp_path: Path, kind: str) -> None:
    model = small_encoder(kind=kind)
    path = saved(tmp_path / "m.pth", container(model))
    [network] = read_checkpoint(path)
    assert network.kind == kind and network.notes["epoch"] == 7
    assert network.words == {word: row for row, word in enumerate(WORDS)}
    assert all(type(word) is str for word in network.words)
    rebuilt = build_encoder(network)
    assert rebuilt.dims == SMALL
    for key, tensor in model.state_dict().items():
        assert torch.equal(rebuilt.state_dict()[key], tensor)


def test_old_numpy_and_several_gpus(tmp_path: Path) -> None:
    """NumPy 1 pickles name the module differently; data-parallel training prefixes the keys."""
    content = container(small_encoder())
    content["model_state_dict"] = {f"module.{k}": v for k, v in content["model_state_dict"].items()}
    path = saved(tmp_path / "new.pth", content)
    old = tmp_path / "old.pth"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(old, "w") as target:
        for item in source.infolist():
            data = source.read(item)
            if item.filename.endswith("data.pkl"):
                assert b"numpy._core.multiarray" in data
                data = data.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
            target.writestr(item.filename, data)
    [network] = read_checkpoint(old)
    assert network.words is not None and network.words["salt"] == 4
    assert "vid_fc1.weight" in network.tensors


@pytest.mark.parametrize(
    "number", [np.float16(0.5), np.float32(0.5), np.float64(0.5), np.int64(3), np.uint8(3), np.True_]
)
def test_settings_may_be_numbers_of_numpy(tmp_path: Path, number: np.generic) -> None:
    [network] = read_checkpoint(saved(tmp_path / "m.pth", {"policy_state_dict": policy(), "lr": number}))
    assert network.notes["lr"] == number.item()
    assert type(network.notes["lr"]) is type(number.item())


@pytest.mark.parametrize("other", [np.complex64(1), np.datetime64("2022-01-01"), np.longdouble(1)])
def test_refusals_are_one_plain_sentence(tmp_path: Path, other: np.generic) -> None:
    path = saved(tmp_path / "m.pth", {"policy_state_dict": policy(), "lr": other})
    with pytest.raises(InputError) as refusal:
        read_checkpoint(path)
    assert str(refusal.value) == (
        "m.pth is refused: it holds something that is neither weights nor plain numbers and words. "
        "It was not loaded and nothing in it ran."
    )


def test_agents(tmp_path: Path, shared_data: Path) -> None:
    [network] = read_checkpoint(shared_data / "golden/saffa_authors_format.pth")
    assert network.kind == "agent" and network.notes["gamma"] == 0.99
    assert set(network.tensors) == {f"{n}.fc{i}.{k}" for n in ("policy", "critic") for i in (1, 2, 3) for k in KINDS}
    [folder] = import_checkpoint(shared_data / "golden/saffa_authors_format.pth", tmp_path / "agent")
    assert folder.facts["dimensions"] == {"state": 356}
    weights = load_file(folder.path / "weights.safetensors")
    assert np.array_equal(weights["policy.fc1.weight"], network.tensors["policy.fc1.weight"].numpy())
    [bare] = read_checkpoint(saved(tmp_path / "bare.pth", policy(256)))
    assert bare.kind == "agent" and bare.tensors["policy.fc1.weight"].shape == (256, 256)


def test_joint_file_gives_two_models(tmp_path: Path) -> None:
    path = saved(
        tmp_path / "joint.pth",
        {"vdan_state_dict": small_encoder(kind="vdan").state_dict(), "agent_state_dict": policy(256)},
    )
    with pytest.raises(InputError, match="--vocabulary"):
        import_checkpoint(path, tmp_path / "joint")
    assert {p.name for p in tmp_path.iterdir()} == {"joint.pth"}
    word_map = tmp_path / "words.json"
    word_map.write_text('{"' + '": 1, "'.join(WORDS[1:]) + '": 1}')
    encoder, agent = import_checkpoint(path, tmp_path / "joint", vocabulary=word_map)
    assert (encoder.kind, agent.kind) == ("vdan", "agent")
    assert agent.path.name == "joint-agent" and agent.facts["dimensions"] == {"state": 256}


def test_backbone_file(tmp_path: Path) -> None:
    tensors = {"stem.0.weight": torch.zeros(1), "layer4.0.conv1.0.0.weight": torch.zeros(1)}
    path = saved(tmp_path / "b.pth", tensors)
    assert read_checkpoint(path)[0].kind == "backbone"
    with pytest.raises(InputError, match="not an R"):
        import_checkpoint(path, tmp_path / "b")


class Malicious:
    """Runs a command when it is unpickled the ordinary way."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.proof}",)


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("where", ["alone", "in the settings", "in the vocabulary"])
def test_a_malicious_pickle_does_not_run(tmp_path: Path, legacy: bool, where: str) -> None:
    proof = tmp_path / "proof"
    content: Any = Malicious(proof)
    if where == "in the settings":
        content = container(small_encoder(), train_params={"criterion": content})
    elif where == "in the vocabulary":
        content = container(small_encoder(), word_map={"a": content})
    path = tmp_path / "evil.pth"
    torch.save(content, path, _use_new_zipfile_serialization=not legacy)
    with pytest.raises(InputError, match=r"refused: it needs 'posix\.system'.*nothing in it ran"):
        import_checkpoint(path, tmp_path / "out")
    assert not proof.exists() and not (tmp_path / "out").exists()
    path.write_bytes(pickle.dumps(Malicious(proof)))
    with pytest.raises(InputError):
        read_checkpoint(path)
    assert not proof.exists()


@pytest.mark.parametrize(
    "content",
    [
        torch.nn.Linear(2, 2),  # a whole module instead of weights
        [1, 2, 3],
        {},
        {"epoch": 3},
        {"some.weight": torch.zeros(3)},
        {"model_state_dict": {"vid_fc1.weight": torch.zeros(3, 3)}},
        {"model_state_dict": {"vid_fc1.weight": "text"}},
        {"policy_state_dict": {"fc1.weight": torch.full((3, 3), torch.nan)}},
        {"policy_state_dict": {"fc1.weight": torch.zeros(3)}},
        {"policy_state_dict": {"fc2.weight": torch.zeros(3, 3)}},
    ],
)
def test_other_contents_are_refused(tmp_path: Path, content: Any) -> None:
    with pytest.raises(InputError):
        import_checkpoint(saved(tmp_path / "m.pth", content), tmp_path / "out")
    assert {p.name for p in tmp_path.iterdir()} == {"m.pth"}


def test_damaged_and_missing_files(tmp_path: Path) -> None:
    path = saved(tmp_path / "m.pth", container(small_encoder()))
    data = path.read_bytes()
    for broken in (b"", b"hello", data[: len(data) // 2], data[:-1000]):
        path.write_bytes(broken)
        with pytest.raises(InputError) as refusal:
            read_checkpoint(path)
        assert str(refusal.value) == "m.pth is not a PyTorch checkpoint, or it is damaged. Get it again."
    with pytest.raises(InputError, match="no file"):
        read_checkpoint(tmp_path / "none.pth")


def test_weights_that_do_not_fit(tmp_path: Path) -> None:
    content = container(small_encoder())
    del content["model_state_dict"]["text_fc2.bias"]
    with pytest.raises(InputError, match="do not fit"):
        import_checkpoint(saved(tmp_path / "m.pth", content), tmp_path / "out")
    content = container(small_encoder(), word_map={"far": 99})
    with pytest.raises(InputError, match="vocabulary does not fit"):
        import_checkpoint(saved(tmp_path / "m.pth", content), tmp_path / "out")


def test_folder_is_whole_verified_and_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_MODELS", str(tmp_path / "models"))
    path = saved(tmp_path / "m.pth", container(small_encoder("zeros")))
    [folder] = import_checkpoint(path, tmp_path / "models" / "mine")
    assert folder.facts["dimensions"]["h0"] == "zeros" and folder.facts["source"]["file"] == "m.pth"
    assert folder.words() == WORDS
    assert [f.name for f in imported_models()] == ["mine"]
    folder.verify()
    with pytest.raises(InputError, match="--overwrite"):
        import_checkpoint(path, folder.path)
    import_checkpoint(path, folder.path, overwrite=True)
    (folder.path / "vocabulary.json").write_text("[]")
    with pytest.raises(SaffaError, match="damaged"):
        folder.verify()
    (folder.path / "document.onnx").unlink()
    with pytest.raises(InputError, match="lacks"):
        ModelFolder.open(folder.path)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "diary.txt").write_text("dear")
    with pytest.raises(InputError, match="not an imported model"):
        import_checkpoint(path, tmp_path / "home", overwrite=True)
    assert (tmp_path / "home" / "diary.txt").exists()


def test_word_map_files(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    for text in ("<html>", "[1]", '{"a": "b"}', '{"a": -1}'):
        path.write_text(text)
        with pytest.raises(InputError):
            read_word_map(path)


def test_an_archive_that_unpacks_to_more_than_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused by its list of contents: nothing is unpacked."""
    plain, bomb = saved(tmp_path / "plain.pth", policy()), tmp_path / "bomb.pth"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as target:
        for item in source.infolist():
            target.writestr(item.filename, bytes(item.file_size) if "/data/" in item.filename else source.read(item))
    monkeypatch.setattr(torch, "load", lambda *_, **__: pytest.fail("it was unpacked"))
    with pytest.raises(InputError, match=r"bomb\.pth is refused: its parts are larger than the file"):
        read_checkpoint(bomb)


def test_a_tensor_of_more_numbers_than_the_file_holds(tmp_path: Path) -> None:
    wide = policy() | {"fc1.weight": torch.zeros(1).expand(100_000, 100_000)}  # 40 GB once it is used
    with pytest.raises(InputError, match=r"wide\.pth is refused: policy\.fc1\.weight would be larger"):
        read_checkpoint(saved(tmp_path / "wide.pth", wide))


def test_tensors_of_another_kind_are_refused(tmp_path: Path) -> None:
    sparse = policy() | {"fc1.weight": torch.eye(9).to_sparse()}
    with pytest.raises(InputError, match="no weights where they are expected"):
        read_checkpoint(saved(tmp_path / "sparse.pth", sparse))


def test_weights_of_another_kind_that_are_damaged(tmp_path: Path) -> None:
    (tmp_path / "m.safetensors").write_bytes((8).to_bytes(8, "little") + b"{{{{    ")
    with pytest.raises(InputError, match="not a PyTorch checkpoint, or it is damaged"):
        read_checkpoint(tmp_path / "m.safetensors")


def test_an_archive_of_an_unknown_version(tmp_path: Path) -> None:
    data = saved(tmp_path / "m.pth", {"policy_state_dict": policy()}).read_bytes()
    version = data.index(b"PK\x01\x02") + 6
    (tmp_path / "m.pth").write_bytes(data[:version] + b"\xff\x00" + data[version + 2 :])
    try:
        assert read_checkpoint(tmp_path / "m.pth")  # PyTorch's own reader may not care
    except InputError as refused:
        assert "damaged" in str(refused)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([1, 2], "holds a list, not a checkpoint"),
        ({}, "holds a dict, not a checkpoint"),
        ({"fc1.weight": [1.0]}, "has no weights where they are expected"),
        ({"some.weight": torch.zeros(2)}, r"has weights that saffa does not know \(some\.weight"),
        ({"policy_state_dict": {"fc9.weight": torch.zeros(2, 2)}}, "it is not an agent"),
        ({"policy_state_dict": {"fc1.weight": torch.zeros(2)}}, "it is not an agent"),
        ({"model_state_dict": {"vid_fc1.weight": torch.zeros(2, 2)}, "word_map": {"a": -1}}, "The vocabulary in"),
        ({"model_state_dict": {"vid_fc1.weight": torch.zeros(2, 2)}, "word_map": ["a"]}, "The vocabulary in"),
        ({"vid_fc1.weight": torch.tensor([[float("nan")]])}, r"vid_fc1\.weight has values that are not finite"),
    ],
)
def test_files_that_hold_something_else(tmp_path: Path, content: object, words: str) -> None:
    torch.save(content, tmp_path / "some.pth")
    with pytest.raises(InputError, match=words):
        read_checkpoint(tmp_path / "some.pth")


@pytest.mark.parametrize("told", ["{", "[]", "3", "[" * 100_000, 7])
def test_traits_that_are_not_readable(told: object) -> None:
    with pytest.raises(InputError, match=r"a\.pth is damaged: its traits are not readable"):
        told_traits({"saffa": told}, "a.pth")
    assert told_traits({}, "a.pth") is None
    assert told_traits({"saffa": '{"steps": 1}'}, "a.pth") == {"steps": 1}
