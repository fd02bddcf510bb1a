"""Reading pictures with captions: what fits together is read, what does not is named."""

import json
from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.research.datasets import image_text
from tests.research.training.image_text_data import write_set


def test_a_set_is_read_whole(tmp_path: Path) -> None:
    write_set(tmp_path, "coco", np.arange(24).reshape(3, 2, 4), ["a_0", "a_1", "b_0"], ["train", "val", "train"])
    pictures = image_text.load(tmp_path, "coco")
    assert (len(pictures), pictures.crops) == (3, 2)
    np.testing.assert_allclose(pictures.features(1)[0], np.arange(4, 8) * 0.5)
    assert pictures.sentences == ["a_0 one", "a_0 two", "a_1 one", "a_1 two", "b_0 one", "b_0 two"]
    assert pictures.owners.tolist() == [0, 0, 1, 1, 2, 2]
    assert pictures.videos.tolist() == [0, 0, 1]
    train = pictures.part("train")
    assert train.ids == ("a_0", "b_0")
    np.testing.assert_allclose(train.features(), pictures.features()[[0, 2]])


def test_captions_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    write_set(tmp_path, "coco", np.zeros((1, 1, 4)), ["a"], ["train"])
    captions = tmp_path / "image_text" / "coco_captions.json"
    captions.write_text(captions.read_text(), "utf-8-sig")
    assert image_text.load(tmp_path, "coco").sentences == ["a one", "a two"]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"coco\.npz"):
        image_text.load(tmp_path, "coco")
    with pytest.raises(InputError, match="image_text"):
        image_text.available(tmp_path)
    write_set(tmp_path, "coco", np.zeros((2, 1, 4)), ["a", "b"], ["train", "train"])
    assert image_text.available(tmp_path) == ("coco",)
    with pytest.raises(InputError, match="it has train"):
        image_text.load(tmp_path, "coco").part("test")


def test_a_picture_without_sentences_is_named(tmp_path: Path) -> None:
    write_set(tmp_path, "coco", np.zeros((2, 1, 4)), ["a", "b"], ["train", "train"])
    captions = tmp_path / "image_text" / "coco_captions.json"
    captions.write_text(json.dumps({"a": ["something"], "b": []}), "utf-8")
    with pytest.raises(InputError, match="picture b"):
        image_text.load(tmp_path, "coco")
    captions.write_text("[", "utf-8")
    with pytest.raises(InputError, match="Cannot read"):
        image_text.load(tmp_path, "coco")
    captions.unlink()
    with pytest.raises(InputError, match="captions"):
        image_text.load(tmp_path, "coco")


def test_arrays_that_do_not_belong_together(tmp_path: Path) -> None:
    write_set(tmp_path, "coco", np.zeros((2, 1, 4)), ["a", "b", "c"], ["train", "train", "val"])
    with pytest.raises(InputError, match="do not belong together"):
        image_text.load(tmp_path, "coco")
    np.savez(tmp_path / "image_text" / "coco.npz", features=np.zeros((2, 1, 4)))
    with pytest.raises(InputError, match=r"lacks an array: .*scale"):
        image_text.load(tmp_path, "coco")
    (tmp_path / "image_text" / "coco.npz").write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(InputError, match="Cannot read"):
        image_text.load(tmp_path, "coco")
