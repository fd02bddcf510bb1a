"""`attention`, `products`, `mrr`, `h0` and `grid` on made data; and what they say where there is nothing."""

import shutil
from pathlib import Path

import pytest

from saffa.cli.main import run as saffa
from saffa.research.reproduce.context import Context
from saffa.research.reproduce.encoder_documents import attention, h0, mrr, products
from saffa.research.reproduce.grid import grid
from tests.research.training.training_data import write_files

SMALL = ["--hidden", "4", "--embedding", "8", "--batch", "10", "--lr", "0.003", "--threads", "1", "--epochs", "1"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Data with clips, and an output folder with VDAN+ and two runs of the h0 ablation."""
    root = tmp_path_factory.mktemp("made")
    (root / "data" / "msvd").mkdir(parents=True)
    features, captions, words = write_files(root, clips=48)
    shutil.copy(features, root / "data" / "msvd" / "msvd_features.npz")
    shutil.copy(captions, root / "data" / "msvd" / "msvd_captions.json")
    data = ["--features", str(features), "--captions", str(captions), "--words", str(words)]
    for name, h_0 in (("vdan+", "clip"), ("h0/clip-0", "clip"), ("h0/zeros-0", "zeros")):
        assert saffa(["train", "vdan", str(root / "out" / "encoders" / name), *data, *SMALL, "--h0", h_0]) == 0
    return root / "data", root / "out"


def test_every_target_measures_the_encoders_that_are_there(folders: tuple[Path, Path]) -> None:
    context = Context(*folders)
    looks, spreads, ranks = (target(context) for target in (attention, products, mrr))
    row = dict(zip(looks.sheets["attention"].heading, looks.sheets["attention"].rows[0], strict=True))
    assert (row["set"], row["encoder"], row["chance"]) == ("msvd clips, val", "VDAN+ (clip)", "0.250")
    assert 0 <= float(row["attention on the own sentence"]) <= 1 and 0 <= float(row["AUC"]) <= 1
    assert spreads.sheets["products"].rows[0][-1] == "0.833 ± 0.358"
    assert 0 < float(ranks.sheets["mrr"].rows[0][3]) <= 1
    assert "pictures with captions" in looks.text
    assert "vdan-msvd reads features of 512 numbers; those of the clips have 6" in looks.text


def test_h0_has_a_row_for_each_kind_that_was_trained(folders: tuple[Path, Path]) -> None:
    section = h0(Context(*folders))
    table = section.sheets["h0"]
    assert [row[0] for row in table.rows] == ["h0 = clip", "h0 = zeros"]
    own, asking = (table.rows[1][table.heading.index(name)] for name in table.heading[-2:])
    assert own == asking  # without φ(v) in the text a document is the same for every clip


def test_without_data_the_reason_is_told(tmp_path: Path) -> None:
    context = Context(tmp_path, tmp_path / "out")
    for target in (attention, products, mrr, h0, grid):
        section = target(context)
        assert not section.ran and "Not run: " in section.text
