"""Every target of `saffa reproduce` on a small data folder: files, kept runs, reasons, bad input."""

import csv
import json
from pathlib import Path

import pytest

from saffa.cli.main import run
from saffa.cli.reproduce import parse_speeds
from saffa.core.errors import InputError
from saffa.research.evaluation import kept_runs as runs
from saffa.research.evaluation.protocol import MSVD_LONG, NARRATED
from saffa.research.evaluation.variants import variants
from saffa.research.reproduce.context import Context
from saffa.research.reproduce.tables import method_sheet
from tests.research.small_data import write_small_data

METHODS = ("uniform", "saffa", "plan", "oracle")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_data(tmp_path_factory.mktemp("data"))


def reproduce(target: str, data: Path, out: Path, *more: str) -> int:
    return run(["reproduce", target, "--data", str(data), "-o", str(out), "--methods", ",".join(METHODS), *more])


def test_tables_have_the_papers_numbers_in_columns_of_their_own(small: Path, tmp_path: Path) -> None:
    arguments = ["reproduce", "table1", "--data", str(small), "-o", str(tmp_path)]
    assert run([*arguments, "--methods", "uniform,saffa-published,plan"]) == 0
    with (tmp_path / "table1-youcook2-narrated.csv").open(newline="") as file:
        rows = {row["method"]: row for row in csv.DictReader(file)}
    assert rows["SAFFA (as published)"]["paper: F1"] == "17.86"
    assert rows["Uniform"]["paper: F1"] == "–"
    assert float(rows["Planner (balance 0)"]["F1"]) > float(rows["Uniform"]["F1"])
    text = (tmp_path / "table1.md").read_text()
    assert "1 of 2 videos used: 1 missing" in text  # YouCook2 by its annotations: one entry has no frame count
    with (tmp_path / "table1-youcook2.csv").open(newline="") as file:
        blind = {row["method"]: row for row in csv.DictReader(file)}
    assert blind["SAFFA (as published)"]["F1"] == "–"
    assert blind["SAFFA (as published)"]["paper: F1"] == "17.86"


def test_methods_that_cannot_run_are_listed_with_the_reason(small: Path, tmp_path: Path) -> None:
    context = Context(small, tmp_path, ("uniform", "saffa-published"))
    agents = variants("saffa-published", MSVD_LONG, context.agents)
    _, saffa = context.measure(MSVD_LONG, 12)
    assert bool(saffa.runs) != bool(saffa.absent)
    if not agents:
        assert "no trained agent for msvd-long" in saffa.absent
    uniform, blind = context.measure(NARRATED.__class__(**{**vars(NARRATED), "encoder": "none"}), 12)
    assert uniform.runs
    assert "needs the videos themselves" in blind.absent
    assert len(method_sheet(MSVD_LONG, [uniform, saffa]).rows) == 1 + bool(saffa.runs)


def test_kept_runs_are_used_again_while_they_hold(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Context(small, tmp_path, METHODS).measure(NARRATED, 5)
    path = tmp_path / "runs" / "youcook2-narrated-validation" / "uniform-5.json"
    facts = json.loads(path.read_text())
    assert set(facts["per_video"]) == {"video3", "video4", "video5"}

    def refuse(*_: object) -> None:
        raise AssertionError("scored again")

    monkeypatch.setattr(runs, "_score", refuse)
    again = Context(small, tmp_path, METHODS).measure(NARRATED, 5)
    assert [one.runs[0].per_video for one in again] == [one.runs[0].per_video for one in first]
    monkeypatch.undo()
    path.write_text(json.dumps(facts | {"key": "of other code"}))
    (fresh,) = Context(small, tmp_path, ("uniform",)).measure(NARRATED, 5)
    assert fresh.runs[0].per_video == first[0].runs[0].per_video
    assert json.loads(path.read_text())["key"] == facts["key"]
    path.write_text("{")  # cut off
    Context(small, tmp_path, ("uniform",)).measure(NARRATED, 5)
    assert json.loads(path.read_text())["key"] == facts["key"]


def test_all_targets_and_the_page(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn", reason="t-SNE needs saffa[report]")
    page = tmp_path / "docs" / "results.md"
    page.parent.mkdir()
    assert reproduce("all", small, tmp_path / "report", "--speeds", "4,12", "--page", str(page)) == 0
    made = {path.name for path in (tmp_path / "report").iterdir()}
    figures = {"speedup-error", "roc", "tsne", "asr", "selections-narrated", "selections-msvd-long"}
    assert {f"{name}.{kind}" for name in figures for kind in ("png", "svg")} <= made
    assert {"table1.md", "table2.md", "ablation.md", "significance-msvd-long.csv", "times.md"} <= made
    assert not [name for name in made if ".part" in name]
    text = page.read_text()
    assert "](results/roc.png)" in text
    assert (page.parent / "results" / "roc.png").stat().st_size > 5_000
    link = "](results/significance-msvd-long.csv)"
    assert link in text
    with (page.parent / "results" / "significance-msvd-long.csv").open(newline="") as file:
        intervals = [row for row in csv.DictReader(file) if row["low"] and row["high"]]
    assert len(intervals) == 4 * 6  # metrics × pairs of four methods: the report itself is in no repository
    assert text.count("saffa reproduce") >= 10
    assert "significance: significance.md" in capsys.readouterr().out


def test_significance_is_symmetric_and_complete(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("significance", small, tmp_path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert str(tmp_path / "significance.md") in told["targets"]["significance"]
    with (tmp_path / "significance-youcook2-narrated.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 6  # metrics × pairs of four methods
    assert all(float(row["low"]) <= float(row["mean difference"]) + 1e-3 for row in rows)
    assert all(float(row["mean difference"]) <= float(row["high"]) + 1e-3 for row in rows)


def test_bad_input(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce("table9", small, tmp_path) == 2
    assert reproduce("table1", tmp_path / "nowhere", tmp_path) == 2
    assert reproduce("table1", small, tmp_path, "--page", "x.md") == 2
    assert reproduce("table1", small, tmp_path, "--speeds", "fast") == 2
    assert run(["reproduce", "table1", "--data", str(small), "-o", str(tmp_path), "--methods", "magic"]) == 2
    assert "Unknown method 'magic'" in capsys.readouterr().err
    for option, value in (("--seeds", "0"), ("--training-videos", "0"), ("--epochs", "-1")):
        assert reproduce("grid", small, tmp_path, option, value) == 2
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert f"Invalid value for '{option}'" in line
    assert parse_speeds("2-4,12") == (2, 3, 4, 12)
    with pytest.raises(InputError, match="no list of whole"):
        parse_speeds("0-3")


def test_datasets_whose_videos_are_here(shared_data: Path, tmp_path: Path) -> None:
    data = write_small_data(tmp_path / "data")
    for folder, name in (("youcook2", "a"), ("coin", "c")):
        (data / folder / f"{name}.mp4").symlink_to(shared_data / "videos" / "torchcodec_nasa_13013.mp4")
        (data / folder / f"{name}.srt").write_text("1\n00:00:02,000 --> 00:00:08,000\nwe boil the water in a pot\n")
    out = tmp_path / "out"
    assert reproduce("table1", data, out) == 0
    with (out / "table1-youcook2.csv").open(newline="") as file:
        rows = {row["method"]: row for row in csv.DictReader(file)}
    assert float(rows["Planner (balance 0)"]["F1"]) > 0  # not by annotations alone any more
    assert reproduce("table2", data, out) == 0
    text = (out / "table2.md").read_text()
    assert "coin (Dish), testing, 16×" in text
    lines = [line for line in text.splitlines() if line.startswith("Not run: ")]
    assert sum(line.count("testing, 16× from its video files") for line in lines) == 9  # domains without a video
    assert "because coin has no videos in the domain Housework in the split 'testing'" in text
    assert (out / "table2-coin-D.csv").is_file()
    assert (out / "table2-coin.csv").is_file()
