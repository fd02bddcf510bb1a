import json
from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.research.datasets.msvd_long import assemble


def write(folder: Path) -> Path:
    (folder / "msvd").mkdir()
    names = [f"source{k}_{k}_{k + 10}" for k in range(16)]
    features = np.arange(16 * 20 * 2).reshape(16, 20, 2).astype(np.float16)
    np.savez(folder / "msvd/msvd_features.npz", features=features, clip_ids=names)
    captions = {
        name: {"split": "val", "seconds": 10, "captions": ["a short", f"a man shows clip {name}"]} for name in names
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


def test_the_same_seed_gives_the_same_videos(tmp_path: Path) -> None:
    write(tmp_path)
    one, two, other = (assemble(tmp_path, "val", 3, seed=s) for s in (1, 1, 2))
    assert [v.steps for v in one] == [v.steps for v in two] != [v.steps for v in other]


def test_unknown_splits_and_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="msvd_captions"):
        assemble(tmp_path, "val", 1, seed=0)
    with pytest.raises(InputError, match="'nosuch'"):
        assemble(write(tmp_path), "nosuch", 1, seed=0)


@pytest.mark.parametrize(("field", "value"), [("split", None), ("seconds", 0), ("captions", "abc"), ("captions", [])])
def test_names_what_is_wrong(tmp_path: Path, field: str, value: object) -> None:
    path = write(tmp_path) / "msvd/msvd_captions.json"
    captions = json.loads(path.read_text())
    captions["source3_3_13"][field] = value
    path.write_text(json.dumps(captions))
    with pytest.raises(InputError, match=rf"msvd_captions.json: video source3_3_13: field '{field}' is wrong"):
        assemble(tmp_path, "val", 1, seed=0)
