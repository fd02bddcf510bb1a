"""Bad input of `train saffa`, `train vdan` and `reproduce`: exit code 2 and one line that says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from saffa.cli.main import run as saffa
from tests.research.small_data import write_small_data
from tests.research.training.saffa.test_training import folder_of_alignments
from tests.research.training.training_data import write_files

SMALL = ["--hidden", "4", "--embedding", "8", "--batch", "10", "--threads", "1"]


def refused(capsys: pytest.CaptureFixture[str], *command: object) -> str:
    """The one line on the error stream, warnings left out."""
    capsys.readouterr()
    assert saffa([str(part) for part in command]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("saffa: warning: ")]
    assert len(lines) == 1 and lines[0].startswith("saffa: ")
    return lines[0]


def test_an_agent_is_not_taught_by_a_broken_alignment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alignments = folder_of_alignments(tmp_path / "alignments")
    broken = sorted(alignments.glob("*.npz"))[2]
    broken.write_bytes(b"no archive")
    for state in ("published", "compact"):
        told = refused(capsys, "train", "saffa", alignments, "-o", tmp_path / state, "--state", state)
        assert broken.name in told
        assert not (tmp_path / state).exists()


@pytest.mark.parametrize("state", ["published", "compact"])
def test_a_run_goes_on_with_its_own_checkpoint_alone(
    state: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alignments, run = folder_of_alignments(tmp_path / "alignments"), tmp_path / "run"
    command = ["train", "saffa", alignments, "-o", run, "--epochs", "1"]
    assert saffa([str(part) for part in [*command, "--state", state]]) == 0
    other = "compact" if state == "published" else "published"
    assert "other settings" in refused(capsys, *command, "--state", other, "--resume")
    (run / "last.pth").write_bytes((run / "last.pth").read_bytes()[:200])
    assert "last.pth" in refused(capsys, *command, "--state", state, "--resume")


def test_an_encoder_is_not_trained_on_broken_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = dict(zip(("--features", "--captions", "--words"), write_files(tmp_path), strict=True))
    options = [part for place in places.items() for part in place]
    command = ["train", "vdan", tmp_path / "run", *options, *SMALL, "--epochs", "1"]
    for place in places.values():
        whole = place.read_bytes()
        place.write_bytes(b"\x00broken")
        assert place.name in refused(capsys, *command)
        place.write_bytes(whole)
    assert not (tmp_path / "run" / "result.json").exists()


def test_an_encoder_goes_on_with_a_whole_checkpoint_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    features, captions, words = write_files(tmp_path)
    data = ["--features", features, "--captions", captions, "--words", words]
    command = ["train", "vdan", tmp_path / "run", *data, *SMALL, "--epochs"]
    assert saffa([str(part) for part in [*command, "1"]]) == 0
    checkpoint = tmp_path / "run" / "last.pt"
    checkpoint.write_bytes(checkpoint.read_bytes()[:200])
    assert "last.pt" in refused(capsys, *command, "2", "--resume")


def test_a_report_says_which_data_is_missing_or_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    for target in ("h0", "mrr", "attention", "products", "ablation", "grid"):
        assert saffa(["reproduce", target, "--data", str(tmp_path / "empty"), "-o", str(tmp_path / "out")]) == 2
        *reasons, last = capsys.readouterr().err.splitlines()
        assert f"nothing to run {target} with" in last
        assert reasons and all("Not run: " in reason for reason in reasons)
        assert "there is no " in reasons[0]
    data = write_small_data(tmp_path / "data")
    (data / "youcook2_narrated" / "youcook2_narrated.json").write_text("{")
    told = refused(
        capsys,
        *("reproduce", "table1", "--data", data, "-o", tmp_path / "out", "--benchmarks", "youcook2-narrated"),
    )
    assert "youcook2_narrated.json" in told


def test_a_report_does_not_go_by_a_broken_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, run = write_small_data(tmp_path / "data"), tmp_path / "out" / "encoders" / "h0" / "clip-0"
    run.mkdir(parents=True)
    (run / "result.json").write_text("half a re")
    assert "result.json" in refused(capsys, "reproduce", "h0", "--data", data, "-o", tmp_path / "out")
