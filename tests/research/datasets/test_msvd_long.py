import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.research.datasets.msvd_long import load

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


def test_control_changes_the_document_only(tmp_path: Path) -> None:
    (own,), (other,) = load(write(tmp_path), "val"), load(tmp_path, "val", shuffled_documents=True)
    assert own.document.sentences == ("a man runs",)
    assert other.document.sentences == ("a dog eats", "a cat")
    assert own.steps == other.steps


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"segments": [SEGMENTS[1]]}, "segments[0].start"),
        ({"segments": []}, "segments"),
        ({"segments": [{"clip": "z", "start": 0, "end": 9, "is_step": True}]}, "segments[0].clip"),
        ({"segments": [{"clip": "a"}]}, "segments[0].start"),
        ({"segments": [SEGMENTS[0] | {"end": 0}]}, "segments[0].end"),
        ({"segments": [SEGMENTS[0] | {"is_step": "no"}]}, "segments[0].is_step"),
        ({"segments": [SEGMENTS[0] | {"is_step": False}]}, "segments"),
        ({"document": []}, "document"),
        ({"document": "abc"}, "document"),
        ({"fps": None}, "fps"),
        ({"fps": 0}, "fps"),
    ],
)
def test_names_a_faulty_entry(tmp_path: Path, changes: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=rf"msvd_long_val.json: video v0: field '{re.escape(named)}' is "):
        load(write(tmp_path, **changes), "val")


@pytest.mark.parametrize("content", [{}, {"videos": None}, {"videos": {"v0": ENTRY}}, {"videos": [3]}, []])
def test_other_forms(tmp_path: Path, content: object) -> None:
    (write(tmp_path) / "msvd_long/msvd_long_val.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"msvd_long_val\.json"):
        load(tmp_path, "val")


def test_faulty_controls(tmp_path: Path) -> None:
    control = write(tmp_path) / "msvd_long/msvd_long_val_shuffled_documents.json"
    control.write_text(json.dumps({"shuffled": {"v9": {"document": ["a"]}}}))
    with pytest.raises(InputError, match="video v0: there is no shuffled document"):
        load(tmp_path, "val", shuffled_documents=True)
    control.write_text(json.dumps({"shuffled": {"v0": {"document": "abc"}}}))
    with pytest.raises(InputError, match=r"shuffled_documents.json: video v0: field 'document'"):
        load(tmp_path, "val", shuffled_documents=True)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="splits train, val and test"):
        load(tmp_path, "test")
    write(tmp_path)
    (tmp_path / "msvd/msvd_features.npz").unlink()
    with pytest.raises(InputError, match="--data must name"):
        load(tmp_path, "val")
    (tmp_path / "msvd/msvd_features.npz").write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(InputError, match="Cannot read"):
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
    np.testing.assert_array_equal(videos[0].features[videos[0].row_of_frame], np.concatenate(parts).astype(np.float32))
