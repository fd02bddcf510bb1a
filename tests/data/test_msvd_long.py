import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saffa.data.msvd_long import load
from saffa.errors import InputError

SEGMENTS = [
    {"clip": "a", "start": 0, "end": 50, "is_step": True},
    {"clip": "b", "start": 50, "end": 60, "is_step": False},
]
ENTRY: dict[str, Any] = {"id": "v0", "fps": 30, "document": ["a man runs"], "segments": SEGMENTS}


def write(folder: Path, **changes: Any) -> Path:
    (folder / "msvd").mkdir()
    (folder / "msvd_long").mkdir()
    features = np.arange(2 * 20 * 3).reshape(2, 20, 3).astype(np.float16)
    np.savez(folder / "msvd/msvd_features.npz", features=features, clip_ids=["a", "b"])
    (folder / "msvd_long/msvd_long_val.json").write_text(json.dumps({"videos": [ENTRY | changes]}))
    control = {"shuffled": {"v0": {"document_from": "v1", "document": ["a dog eats", "a cat"]}}}
    (folder / "msvd_long/msvd_long_val_shuffled_documents.json").write_text(json.dumps(control))
    return folder


def test_frames_and_their_features(tmp_path: Path) -> None:
    (video,) = load(write(tmp_path), "validation")
    assert (video.frames, float(video.rate)) == (60, 30.0)
    assert video.steps == ((0, 50),)
    assert video.features.shape == (40, 3)
    wanted = [j * 20 // 50 for j in range(50)] + [20 + j * 20 // 10 for j in range(10)]
    assert video.row_of_frame.tolist() == wanted
    assert video.at_frames().shape == (60, 3)


def test_control_changes_the_document_only(tmp_path: Path) -> None:
    (own,), (other,) = load(write(tmp_path), "val"), load(tmp_path, "val", shuffled_documents=True)
    assert own.document.sentences == ("a man runs",)
    assert other.document.sentences == ("a dog eats", "a cat")
    assert own.steps == other.steps


@pytest.mark.parametrize(
    "changes", [{"segments": [SEGMENTS[1]]}, {"document": []}, {"fps": None}, {"segments": [{"clip": "z"}]}]
)
def test_names_a_faulty_entry(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="video 0 is not a whole entry"):
        load(write(tmp_path, **changes), "val")


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="splits train, val and test"):
        load(tmp_path, "test")
    write(tmp_path)
    (tmp_path / "msvd/msvd_features.npz").unlink()
    with pytest.raises(InputError, match="--data must name"):
        load(tmp_path, "val")


def test_real_files_follow_the_published_recipe(shared_data: Path) -> None:
    videos = load(shared_data, "test")
    entry = json.loads((shared_data / "msvd_long/msvd_long_test.json").read_text())["videos"][0]
    with np.load(shared_data / "msvd/msvd_features.npz") as z:
        table = dict(zip(z["clip_ids"].tolist(), z["features"], strict=True))
    parts = []
    for s in entry["segments"]:
        n = s["end"] - s["start"]
        parts.append(table[s["clip"]][np.arange(n) * 20 // n])
    assert len(videos) == 100
    np.testing.assert_array_equal(videos[0].at_frames(), np.concatenate(parts).astype(np.float32))
