import json
from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.research.datasets.base import load_clips
from saffa.research.training.word_vectors import read_words


def write(folder: Path, shape: tuple[int, ...] = (3, 4, 2)) -> tuple[Path, Path]:
    rows = np.arange(np.prod(shape)).reshape(shape).astype(np.float16)
    np.savez(folder / "f.npz", features=rows, clip_ids=["a", "b", "c"], split=["train", "train", "val"])
    (folder / "c.json").write_text(json.dumps({"a": {"captions": ["x y", " "]}, "c": ["z"]}))
    return folder / "f.npz", folder / "c.json"


def test_only_captioned_clips_of_the_split(tmp_path: Path) -> None:
    clips = load_clips(*write(tmp_path), "train")
    assert (clips.ids, clips.captions, len(clips)) == (("a",), (("x y",),), 1)
    assert load_clips(*write(tmp_path), "val").captions == (("z",),)


def test_views(tmp_path: Path) -> None:
    files = write(tmp_path)
    mean, one = (load_clips(*files, "train", views) for views in ("mean", "one"))
    assert mean.view(0, None).tolist() == mean.view(0, np.random.default_rng(0)).tolist() == [3, 4]
    assert one.view(0, None).tolist() == [4, 5]
    drawn = {tuple(one.view(0, np.random.default_rng(seed)).tolist()) for seed in range(50)}
    assert drawn == {(0, 1), (2, 3), (4, 5), (6, 7)}


def test_one_feature_per_clip_will_do(tmp_path: Path) -> None:
    assert load_clips(*write(tmp_path, (3, 2)), "train").features.shape == (1, 1, 2)


def test_errors(tmp_path: Path) -> None:
    features, captions = write(tmp_path)
    with pytest.raises(InputError, match="no captioned clips in the split 'test'"):
        load_clips(features, captions, "test")
    with pytest.raises(InputError, match="There is no"):
        load_clips(tmp_path / "none.npz", captions, "train")
    with pytest.raises(InputError, match=r"is no \.npz file"):
        load_clips(captions, captions, "train")


def test_words_get_an_a(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", words=["an", "cat"], vectors=np.array([[1, 2], [3, 4]], np.float16))
    words = read_words(tmp_path / "w.npz")
    assert words.vocabulary.words() == ["PAD", "UNK", "an", "cat", "a"]
    assert words.vectors[4].tolist() == [1, 2]
    with pytest.raises(InputError, match="holds the word vectors"):
        read_words(tmp_path / "none.npz")
    (tmp_path / "glove.txt").write_text("cat 1 2\n")
    assert read_words(tmp_path / "glove.txt").vocabulary.index["cat"] == 2
