import json
from pathlib import Path

import numpy as np
import pytest

from saffa.data.msvd_clips import assemble, content_words, shared_words, typical_captions
from saffa.errors import InputError


def write(folder: Path) -> Path:
    (folder / "msvd").mkdir()
    names = [f"source{k}_{k}_{k + 10}" for k in range(16)]
    features = np.arange(16 * 20 * 2).reshape(16, 20, 2).astype(np.float16)
    np.savez(folder / "msvd/msvd_features.npz", features=features, clip_ids=names)
    captions = {
        name: {"split": "val", "seconds": 10, "captions": ["a short", f"clip {name} apple{k} pear{k} plum{k}"]}
        for k, name in enumerate(names)
    }
    (folder / "msvd/msvd_captions.json").write_text(json.dumps(captions))
    return folder


def test_videos_are_put_together_as_in_the_benchmark(tmp_path: Path) -> None:
    videos = assemble(write(tmp_path), "val", 5, seed=1)
    assert len(videos) == 5
    for video in videos:
        assert 1500 <= video.frames <= 5000
        assert 3 <= len(video.steps) <= 7
        assert len(video.document) == len(video.steps)
        assert all("clip" in sentence for sentence in video.document.sentences)  # of four words or more
        assert 0.35 <= sum(b - a for a, b in video.steps) / video.frames <= 0.65


def test_backgrounds_that_a_sentence_fits_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "msvd/msvd_captions.json"
    alike = {name: facts | {"captions": ["a man shows a clip"]} for name, facts in json.loads(path.read_text()).items()}
    path.write_text(json.dumps(alike))
    with pytest.raises(InputError, match="do not make 1 long videos"):
        assemble(tmp_path, "val", 1, seed=0)


def test_sentences_are_captions_on_which_people_agree() -> None:
    captions = ["a man peels potatoes", "the man is peeling a potato", "a man peels a potato", "who knows what this is"]
    assert "who knows what this is" not in typical_captions(captions)
    assert "a man peels a potato" in typical_captions(captions)
    assert typical_captions(["two words"]) == ["two words"]


def test_words_are_compared_by_their_stems() -> None:
    assert shared_words(content_words("He is peeling the potatoes."), content_words("peeled potatoes")) == 1
    assert shared_words(content_words("a dog runs"), content_words("a cat sleeps")) == 0
    assert shared_words(frozenset(), frozenset()) == 0


def test_the_same_seed_gives_the_same_videos(tmp_path: Path) -> None:
    write(tmp_path)
    one, two, other = (assemble(tmp_path, "val", 3, seed=s) for s in (1, 1, 2))
    assert [v.steps for v in one] == [v.steps for v in two] != [v.steps for v in other]


def test_unknown_splits_and_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="msvd_captions"):
        assemble(tmp_path, "val", 1, seed=0)
    with pytest.raises(InputError, match="'nosuch'"):
        assemble(write(tmp_path), "nosuch", 1, seed=0)
