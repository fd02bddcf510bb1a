"""`saffa reproduce` for those who have a dataset's videos and nothing else: every target has a result or a reason."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from saffa.cli.main import run
from saffa.research.reproduce import curves
from saffa.research.reproduce.curves import compared, seeing
from tests.research.small_data import write_coin_files, write_youcook2_files


@pytest.fixture(scope="module")
def youcook2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_youcook2_files(tmp_path_factory.mktemp("youcook2"))


def reproduce(target: str, data: Path, out: Path, *more: str, methods: str = "uniform,plan") -> int:
    arguments = ["reproduce", target, "--data", str(data), "-o", str(out), "--encoder", "visual"]
    return run([*arguments, "--methods", methods, *more])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_times_from_files(youcook2: Path, tmp_path: Path) -> None:
    assert reproduce("times", youcook2, tmp_path, "--store", str(tmp_path / "store")) == 0
    rows = rows_of(tmp_path / "times-youcook2.csv")
    assert [row["method"] for row in rows] == ["Uniform", "Planner (balance 0)"]
    for row in rows:
        assert float(row["encoding (visual)"]) > 0
        assert float(row["watching"]) >= 0


def test_significance_of_all_domains_of_coin(tmp_path: Path) -> None:
    data = write_coin_files(tmp_path / "data")
    assert reproduce("significance", data, tmp_path) == 0
    rows = rows_of(tmp_path / "significance-coin.csv")
    assert [(row["metric"], row["first"], row["second"]) for row in rows][2] == ("f1", "uniform", "plan")
    assert all(row["p"] != "nan" for row in rows)  # of two videos; a single domain has one
    text = (tmp_path / "significance.md").read_text()
    assert "## coin, testing, 16×" in text
    assert "because coin has no videos in the domain Housework" in text


def test_the_ablation_says_how_to_train_for_an_encoder(
    youcook2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("ablation", youcook2, tmp_path) == 0
    rows = rows_of(tmp_path / "ablation-youcook2.csv")
    assert [row["FS"] for row in rows] == ["SAFFA"] * 4 + ["Uniform"]
    assert {row["seeds × epochs, videos"] for row in rows[:4]} == {"not trained"}
    assert rows[0]["paper: F1"] == "64.96"
    told = "--encoder visual --epochs N` trains what is missing (the paper: 100 epochs"
    assert told in (tmp_path / "ablation.md").read_text()
    assert told in capsys.readouterr().err
    folder = tmp_path / "agents" / "ablation" / "youcook2" / "sa1-nrpe1-0" / "agent"
    folder.mkdir(parents=True)
    (folder / "model.json").write_text(json.dumps({"traits": {"encoder": "narrated"}}))
    assert reproduce("ablation", youcook2, tmp_path) == 0
    assert rows_of(tmp_path / "ablation-youcook2.csv")[3]["seeds × epochs, videos"] == "trained with another encoder"
    assert "holds agents of another encoder: give `-o` another folder" in (tmp_path / "ablation.md").read_text()


def test_roc_is_measured_on_the_training_videos(
    youcook2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("roc", youcook2, tmp_path) == 0
    (row,) = rows_of(tmp_path / "roc.csv")
    assert (row["videos"], row["encoder"]) == ("youcook2, training", "visual")
    assert 0 <= float(row["AUC"]) <= 1
    assert (tmp_path / "roc.png").stat().st_size > 5_000
    fewer = tmp_path / "fewer"
    shutil.copytree(youcook2, fewer)
    (fewer / "youcook2" / "learned00000.mp4").unlink()
    assert reproduce("roc", fewer, tmp_path / "out") == 2
    told = capsys.readouterr().err
    assert "Not run: youcook2, training, 12× from its video files, because" in told


def test_roc_takes_the_papers_encoders_where_they_look_at_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curves, "models_folder", lambda: tmp_path / "imported")
    assert seeing("visual", tmp_path / "encoders") == {"visual": "visual"}
    places = tmp_path / "imported" / "vdan+", tmp_path / "encoders" / "vdan" / "model"
    for place, files in zip(places, ({"backbone.onnx": ""}, {}), strict=True):
        place.mkdir(parents=True)
        (place / "model.json").write_text(json.dumps({"schema": "saffa.model/1", "files": files}))
    (places[0] / "backbone.onnx").touch()
    assert seeing("visual", tmp_path / "encoders") == {"visual": "visual", "VDAN+ (clip)": str(places[0])}
    assert seeing("vdan+", tmp_path / "encoders") == {"VDAN+ (clip)": "vdan+"}
    assert compared(tmp_path / "encoders")["VDAN (still)"] == str(places[1])  # of given features: for msvd-long


def test_asr_takes_the_subtitles_beside_the_files(
    youcook2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("asr", youcook2, tmp_path) == 0
    rows = rows_of(tmp_path / "asr-youcook2.csv")
    assert [(row["method"], row["text"]) for row in rows] == [
        ("Uniform", "recipe"),
        ("Uniform", "narration"),
        ("Planner (balance 0)", "recipe"),
        ("Planner (balance 0)", "narration"),
    ]
    assert rows[2]["frames selected with both texts"] != "100.0 %"
    assert "1 of 1 videos have subtitles" in (tmp_path / "asr.md").read_text()
    silent = tmp_path / "silent"
    shutil.copytree(youcook2, silent)
    for path in (silent / "youcook2").glob("*.srt"):
        path.unlink()
    assert reproduce("asr", silent, tmp_path / "out") == 2
    assert "put subtitles beside them (ID.srt beside ID.mp4)" in capsys.readouterr().err


def test_tsne_says_what_kind_of_data_it_needs(
    youcook2: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sklearn", reason="t-SNE needs saffa[report]")
    assert reproduce("tsne", youcook2, tmp_path) == 2
    assert "many captions each, which MSVD has (the paper: VaTeX), but neither YouCook2" in capsys.readouterr().err


def test_a_page_of_all_that_the_files_allow(youcook2: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    assert reproduce("all", youcook2, tmp_path / "out", "--speeds", "4", "--page", str(page)) == 0
    text = page.read_text()
    parts = dict(part.split("\n", 1) for part in text.split("\n## ")[2:])
    missing = [title for title, part in parts.items() if "youcook2, " not in part]
    assert missing[0] == "msvd-long, which is not in the paper, and COIN (Table 1 of the paper, second half)"
    assert {"Documents around a video", "Does the picture guide the reading?"} <= set(missing)
    # These are about agents that have to be trained first, and about clips with many captions.
    assert len(missing) == 7
    linked = re.findall(r"\]\((page/[^)]+)\)", text)
    assert "page/asr-youcook2.png" in linked
    assert all((tmp_path / name).is_file() for name in linked)
