"""CLIP-family models: loaded from tiny files of the published form."""

from pathlib import Path

import numpy as np
import pytest

from saffa.cli.main import run
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Video
from saffa.encoders.base import StreamingEncoder
from saffa.encoders.registry import load_encoder
from saffa.encoders.visual.clip import ClipModel, ClipVision, clip_folder
from saffa.encoders.visual.shared_space import attend
from tests.encoders.colours import COLOURS, colour_video, tiny_clip


@pytest.fixture
def colours(tmp_path: Path) -> Video:
    return colour_video(tmp_path / "colours.mp4")


@pytest.mark.parametrize("mask", [False, True])
def test_graphs_are_fed_as_they_ask(tmp_path: Path, mask: bool) -> None:
    folder = tiny_clip(tmp_path / "tiny", mask=mask)
    vision, model = ClipVision(folder), ClipModel(folder)
    assert vision.size == 32
    pictures = np.stack([np.full((32, 32, 3), colour, np.uint8) for colour in COLOURS.values()])
    images = model.embed_images(vision.features(pictures))
    sentences = model.embed_sentences(["red", "green", "blue blue red blue"])
    np.testing.assert_allclose(np.linalg.norm(sentences, axis=1), 1, atol=1e-5)
    assert (images @ sentences.T).argmax(1).tolist() == [0, 1, 2]
    attended = attend(images, sentences, model.sharpness)
    np.testing.assert_allclose(attended.weights.sum(1), 1, atol=1e-5)


def test_a_video_is_aligned_by_its_colours(tmp_path: Path, colours: Video) -> None:
    encoder = load_encoder(f"clip:{tiny_clip(tmp_path / 'tiny')}")
    found = encoder.encode(colours, Document(("red",)), None)
    assert found.encoder == "clip:tiny"
    red = (found.times > 11) & (found.times < 19)
    other = (found.times < 9) | (found.times > 21)
    assert found.relevance[red].min() > found.relevance[other].max()


def test_a_reading_carries_the_name_of_its_model(tmp_path: Path, colours: Video) -> None:
    """An agent scales what it reads by that name, and the timeline records it."""
    encoder = load_encoder(f"clip:{tiny_clip(tmp_path / 'tiny')}")
    assert isinstance(encoder, StreamingEncoder)
    assert encoder.open(colours, Document(("red",)), None).encoder == encoder.name == "clip:tiny"


def test_graphs_of_two_models_are_told(tmp_path: Path) -> None:
    model = ClipModel(tiny_clip(tmp_path / "tiny"))
    with pytest.raises(InputError, match="made of two models: its pictures have 5 numbers and its sentences 3"):
        model.embed_images(np.ones((2, 5), np.float32))


def test_on_the_command_line(tmp_path: Path, colours: Video, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_MODELS", str(tmp_path / "models"))
    tiny_clip(tmp_path / "models" / "tiny")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("red\ngreen\n", "utf-8")
    command = ["align", str(colours.path), "--text", "text.txt", "-o", "a.npz", "--overwrite", "--encoder"]
    assert run([*command, "clip", "--model", "tiny"]) == 0
    assert run([*command, "clip", "--model", "other"]) == 2
    assert run([*command, "clip"]) == 2
    assert run([*command, "visual", "--model", "tiny"]) == 2


def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs --model"):
        clip_folder("")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no vision_model\.onnx"):
        ClipVision(tmp_path / "empty")
    folder = tiny_clip(tmp_path / "tiny", output="last_hidden_state")
    with pytest.raises(InputError, match="no text_embeds"):
        ClipModel(folder).embed_sentences(["red"])
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match="tokenizer"):
        ClipModel(folder)
    (folder / "preprocessor_config.json").write_text("{", "utf-8")
    with pytest.raises(InputError, match="not JSON"):
        ClipVision(folder)
