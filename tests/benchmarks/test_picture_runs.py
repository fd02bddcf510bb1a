"""The table of trainings on pictures: what runs left, joined by label."""

from pathlib import Path

import pytest
from benchmarks.picture_runs import main

from saffa.core.strict_json import json_text


def run(folder: Path, step: int, attention: float) -> Path:
    folder.mkdir()
    scores: dict[str, float | list[float]] = {"attention": attention, "auc": 0.5, "wrong_auc": 0.5, "mrr": 0.1}
    scores |= {"own": [attention, 0.2], "other": [0.0, 0.4]}
    (folder / "result.json").write_text(json_text({"step": step, "hours": 0.25, "validation": {"own": scores}}))
    return folder


def test_runs_of_a_label_are_joined_to_mean_and_deviation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two, three = (run(tmp_path / str(n), 100 * n, 0.2 * n) for n in (1, 2, 3))
    main([f"h0 = φ(v)={one},{two}", f"zeros={three}"])
    _, _, joined, single = capsys.readouterr().out.strip().splitlines()
    assert joined.split(" | ")[:5] == ["| h0 = φ(v)", "own", "2", "100/200", "0.300 ± 0.141"]
    assert joined.endswith("| 0.30 ± 0.20 | 0.00 ± 0.40 | 0.50 |")
    assert single.split(" | ")[1:5] == ["own", "1", "300", "0.600"]
