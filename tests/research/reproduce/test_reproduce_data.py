"""`saffa reproduce` with part of the data: what is there runs, the rest is named with the reason."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from saffa.cli.main import run
from saffa.research.evaluation.kept_runs import Run
from saffa.research.evaluation.metrics import Scores
from saffa.research.evaluation.protocol import COIN, MSVD_LONG, NARRATED, YOUCOOK2
from saffa.research.reproduce.context import Context, Measured, label
from saffa.research.reproduce.pairs import matched_sheet
from saffa.research.reproduce.section import not_run
from saffa.research.reproduce.tables import method_sheet
from tests.research.small_data import write_small_data


@pytest.fixture(scope="module")
def youcook2_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    whole = write_small_data(tmp_path_factory.mktemp("whole"))
    folder = tmp_path_factory.mktemp("part")
    shutil.copytree(whole / "youcook2", folder / "youcook2")
    return folder


def reproduce(target: str, data: Path, out: Path, *more: str) -> int:
    return run(["reproduce", target, "--data", str(data), "-o", str(out), "--methods", "uniform,plan", *more])


def test_a_table_runs_with_the_data_that_is_there(
    youcook2_only: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("table1", youcook2_only, tmp_path) == 0
    text = (tmp_path / "table1.md").read_text()
    assert "Not run: youcook2-narrated, validation, 12×, because there is no " in text
    assert "| Uniform | – | 1 |" in text
    assert "warning: Not run: youcook2-narrated" in capsys.readouterr().err


def test_a_bench_that_was_named_must_be_there(
    youcook2_only: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for target in ("table1", "significance", "all"):
        assert reproduce(target, youcook2_only, tmp_path, "--benchmarks", "youcook2-narrated") == 2
        assert capsys.readouterr().err.splitlines()[-1].startswith("saffa: There is no ")


def test_without_any_data_a_target_fails(
    youcook2_only: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for target in ("table2", "asr", "roc", "tsne", "ablation", "speedup-error", "times", "selections"):
        assert reproduce(target, youcook2_only, tmp_path / "out") == 2
        assert f"has nothing to run {target} with" in capsys.readouterr().err
    assert not list((tmp_path / "out").iterdir())
    (tmp_path / "empty").mkdir()
    assert reproduce("all", tmp_path / "empty", tmp_path / "out") == 2


def test_all_targets_with_one_dataset(youcook2_only: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    assert reproduce("all", youcook2_only, tmp_path / "out", "--page", str(page)) == 0
    text = page.read_text()
    assert "Test data: youcook2 (1 videos, annotations alone). Not at hand: youcook2-narrated, msvd-long, coin." in text
    for part in text.split("\n## ")[3:]:  # all but the preface and table1
        assert "Not run: " in part
    assert (tmp_path / "out" / "significance.md").is_file()


def test_a_target_rejects_a_bench_that_it_cannot_use(
    youcook2_only: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("asr", youcook2_only, tmp_path, "--benchmarks", "msvd-long") == 2
    assert "asr cannot use msvd-long, only youcook2-narrated" in capsys.readouterr().err
    assert reproduce("tsne", youcook2_only, tmp_path, "--benchmarks", "youcook2-narrated,msvd-long") == 2


def test_benches_with_the_same_reason_share_a_line(youcook2_only: Path, tmp_path: Path) -> None:
    context = Context(youcook2_only, tmp_path)
    usable, lines = context.here([YOUCOOK2, *context.all_benches])
    assert usable == [YOUCOOK2]
    assert len(lines) == 2
    assert lines[1].startswith("Not run: msvd-long, test, 12×; msvd-long (VDAN+), test, 12×; msvd-long (VDAN), test")
    assert not_run("x", "YouCook2 is odd.") == "Not run: x, because YouCook2 is odd."
    assert not_run("x", "None is here.") == "Not run: x, because none is here."


def test_row_names_say_what_was_looked_at() -> None:
    files = replace(YOUCOOK2, encoder="auto")
    assert label("sas", files) == "SAS (image classifier for YOLO)"
    assert label("sasv2", files) == "SASv2 (image classifier for YOLO)"
    assert label("sas", NARRATED) == label("sas", MSVD_LONG) == "SAS (features for YOLO)"
    (row,) = method_sheet(YOUCOOK2, [Measured("sas", absent="no videos")]).rows
    assert row[0] == "SAS"  # the paper's own, by YOLO


def test_the_papers_average_of_ten_domains_stands_beside_no_single_one() -> None:
    dish = replace(COIN, encoder="auto", domain="Dish", short="coin-D")
    measured = [Measured("saffa-published", absent="not trained")]
    assert "paper: F1" in method_sheet(COIN, measured).heading
    assert "paper: F1" not in method_sheet(dish, measured).heading
    assert method_sheet(dish, measured).rows == ()


def test_sas_from_files_is_named_after_its_classifier(shared_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("cv2", reason="optical flow needs saffa[baselines]")
    data = write_small_data(tmp_path / "data")
    (data / "youcook2" / "a.mp4").symlink_to(shared_data / "videos" / "torchcodec_nasa_13013.mp4")
    (data / "youcook2" / "a.srt").write_text("1\n00:00:02,000 --> 00:00:08,000\nwe boil the water in a pot\n")
    arguments = ["reproduce", "table1", "--data", str(data), "-o", str(tmp_path), "--methods", "sas"]
    assert run(arguments) == 0
    names = {}
    for bench in ("youcook2", "youcook2-narrated"):
        with (tmp_path / f"table1-{bench}.csv").open(newline="") as file:
            ((names[bench], speed),) = [(row["method"], row["OS"]) for row in csv.DictReader(file)]
        assert float(speed) > 1
    assert names == {"youcook2": "SAS (image classifier for YOLO)", "youcook2-narrated": "SAS (features for YOLO)"}


def test_a_table_tells_the_gain_over_as_many_even_frames_and_with_wrong_texts() -> None:
    scores = {str(k): Scores(50.0, 10.0, 16.0 + k, 12.0, 0.5, f1_even=14.0) for k in range(3)}
    own = Measured("saffa", (Run("saffa", None, 12.0, scores, 0.0),))
    wrong = {k: replace(one, f1=one.f1_even) for k, one in scores.items()}
    misled = Measured("saffa", (Run("saffa", None, 12.0, wrong, 0.0),))
    table = method_sheet(MSVD_LONG, [own], {"saffa": misled})
    (row,) = (dict(zip(table.heading, cells, strict=True)) for cells in table.rows)
    assert (row["F1, even frames"], row["gain"], row["gain, wrong text"]) == ("14.00", "+3.00 ± 0.58", "+0.00 ± 0.00")
    assert row["p"] == "**3.51e-02**"
    matched = matched_sheet(MSVD_LONG, [own, replace(misled, method="plan")])
    assert matched.rows[0][1] == "+3.00" and matched.rows[0][4] == "**3.51e-02**"
