from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.research.datasets.captioned_clips import own_clips
from saffa.research.datasets.captioned_folder import CaptionedFolder
from saffa.research.training.vdan.training import data_print
from tests.research.datasets.test_vatex import write_movie


def clips_folder(folder: Path, count: int = 8) -> Path:
    """Films of grey that grows brighter, each with a caption."""
    rows = ["file,caption,split"]
    for number in range(count):
        write_movie(folder / f"{number}.mp4", 4)
        rows.append(f"{number}.mp4,boil water {number},{'val' if number < 3 else 'train'}")
    (folder / "captions.csv").write_text("\n".join(rows))
    return folder


def test_each_clip_is_32_frames_of_its_file(tmp_path: Path) -> None:
    training, validation = own_clips(CaptionedFolder.open(clips_folder(tmp_path)))
    assert (len(training), len(validation)) == (5, 3)
    assert validation.captions == (("boil water 0",), ("boil water 1",), ("boil water 2",))
    middle = training.view(0, None)
    assert middle.shape == (3, 32, 112, 112) and np.isfinite(middle).all()
    assert middle[:, -1].mean() > middle[:, 0].mean()


def test_a_run_knows_the_contents_of_the_files(tmp_path: Path) -> None:
    before, _ = own_clips(CaptionedFolder.open(clips_folder(tmp_path)))
    write_movie(tmp_path / "5.mp4", 5)
    after, _ = own_clips(CaptionedFolder.open(tmp_path))
    assert data_print(before) != data_print(after)


def test_a_picture_is_refused(tmp_path: Path) -> None:
    clips_folder(tmp_path)
    (tmp_path / "last.png").write_bytes(b"")
    with (tmp_path / "captions.csv").open("a") as file:
        file.write("\nlast.png,a picture,train")
    with pytest.raises(InputError, match=r"last\.png is a picture; --backbone looks at clips"):
        own_clips(CaptionedFolder.open(tmp_path))
