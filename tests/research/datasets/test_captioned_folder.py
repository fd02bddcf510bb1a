import json
from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.research.datasets.captioned_folder import CaptionedFolder
from tests.encoders.colours import colour_video
from tests.research.training.captioned_pictures import write_captioned_pictures


def files(folder: Path, count: int) -> list[str]:
    names = [f"{number}.png" for number in range(count)]
    for name in names:
        (folder / name).write_bytes(b"")
    return names


def listed(folder: Path, text: str) -> Path:
    (folder / "captions.csv").write_text(text, "utf-8")
    return folder


def test_reads_csv_and_json_alike(tmp_path: Path) -> None:
    names = files(tmp_path, 10)
    listed(tmp_path, "file,caption\n" + "".join(f'{n},"a, {n}"\n{n},again {n}\n' for n in names))
    one = CaptionedFolder.open(tmp_path)
    (tmp_path / "captions.csv").unlink()
    (tmp_path / "captions.json").write_text(json.dumps({n: [f"a, {n}", f"again {n}"] for n in names}))
    other = CaptionedFolder.open(tmp_path)
    assert one == other
    assert one.captions["3.png"] == ("a, 3.png", "again 3.png")
    assert sorted(set(one.splits.values())) == ["train", "val"]


def test_the_list_may_say_what_is_for_validation(tmp_path: Path) -> None:
    names = files(tmp_path, 9)
    rows = "".join(f"{n},thing {n},{'val' if n in names[:3] else 'train'}\n" for n in names)
    folder = CaptionedFolder.open(listed(tmp_path, "file,caption,split\n" + rows))
    assert [name for name, split in folder.splits.items() if split == "val"] == names[:3]


def test_a_clip_and_a_picture_become_two_views_each(tmp_path: Path) -> None:
    write_captioned_pictures(tmp_path, copies=1)
    colour_video(tmp_path / "clip.mp4")
    with (tmp_path / "captions.csv").open("a") as file:
        file.write("clip.mp4,three colours one after the other\n")
    seen = CaptionedFolder.open(tmp_path).features()
    assert seen.stored.shape == (16, 2, 1280)
    assert np.isfinite(seen.stored.astype(np.float32)).all()
    red, again = (seen.features()[seen.ids.index(name)] for name in ("red-circle-0.png", "red-circle-0.png"))
    assert (red == again).all()


def test_the_fingerprint_sees_every_change(tmp_path: Path) -> None:
    names = files(tmp_path, 8)
    rows = "file,caption\n" + "".join(f"{n},thing {n}\n" for n in names)
    first = CaptionedFolder.open(listed(tmp_path, rows)).fingerprint
    assert CaptionedFolder.open(tmp_path).fingerprint == first
    assert CaptionedFolder.open(listed(tmp_path, rows.replace("thing 3", "other 3"))).fingerprint != first
    listed(tmp_path, rows)
    (tmp_path / "5.png").write_bytes(b"new")
    assert CaptionedFolder.open(tmp_path).fingerprint != first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,caption\n0.png,one\n1.png,two\n", "has captions for 2 files; training needs at least 8"),
        ("file,caption\n0.png,one\n", "has captions for 1 file; training needs at least 8"),
        ("file,caption\n", "has captions for no files; training needs at least 8"),
        ("name,words\n0.png,one\n", "must begin with the line: file,caption"),
        ("file,caption\n" + "".join(f"{n}.png,The same\n" for n in range(9)), "have the same caption"),
        ("file,caption\n" + "".join(f"{n}.jpg,thing {n}\n" for n in range(9)), "name 0.jpg, which is not there"),
        ("file,caption\n" + "".join(f"../{n}.png,thing {n}\n" for n in range(9)), "outside of the folder"),
    ],
)
def test_bad_lists_get_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    files(tmp_path, 9)
    with pytest.raises(InputError, match=message):
        CaptionedFolder.open(listed(tmp_path, text))


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (["train"] * 9, "has 0 files in the split val, and at least 3 are needed"),
        (["val"] * 2 + ["train"] * 7, "has 2 files in the split val"),
        (["val"] * 8 + ["train"], "has 1 files in the split train, and at least 4 are needed"),
        (["train"] * 7 + ["validation"] * 2, r"the split of 7\.png is 'validation'; it must be train or val"),
    ],
)
def test_splits_that_leave_nothing_to_learn_or_choose_are_told_at_once(
    splits: list[str], message: str, tmp_path: Path
) -> None:
    rows = "".join(f"{n},thing {n},{split}\n" for n, split in zip(files(tmp_path, 9), splits, strict=True))
    with pytest.raises(InputError, match=message):
        CaptionedFolder.open(listed(tmp_path, "file,caption,split\n" + rows))


def test_a_file_is_in_one_split_alone(tmp_path: Path) -> None:
    rows = "".join(f"{n},thing {n},train\n{n},again {n},val\n" for n in files(tmp_path, 9))
    with pytest.raises(InputError, match=r"0\.png stands in both splits"):
        CaptionedFolder.open(listed(tmp_path, "file,caption,split\n" + rows))


def test_a_folder_without_captions_says_what_to_put_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no captions: put a captions\.csv"):
        CaptionedFolder.open(tmp_path)


@pytest.mark.parametrize("text", ["[1]", "{", '{"0.png": 3}'])
def test_bad_json_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "captions.json").write_text(text)
    with pytest.raises(InputError, match=r"captions\.json"):
        CaptionedFolder.open(tmp_path)


def test_what_is_no_picture_is_named(tmp_path: Path) -> None:
    names = files(tmp_path, 8)
    listed(tmp_path, "file,caption\n" + "".join(f"{n},thing {n}\n" for n in names))
    with pytest.raises(InputError, match=r"0\.png is not a picture that can be read"):
        CaptionedFolder.open(tmp_path).features()
