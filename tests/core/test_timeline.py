import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from saffa.core.errors import InputError
from saffa.core.timeline import Segment, Source, Timeline


def example() -> Timeline:
    return Timeline(
        source=Source("/films/pasta.mp4", "ab" * 32, 100, Fraction(30_000, 1001), Fraction(1001, 300)),
        document=("Boil water", "Überall Salz"),
        method="plan",
        encoder="narrated",
        target_speed=7.5,
        speed=100 / 13,
        frames=(0, 8, 16),
        segments=(
            Segment(Fraction(0), Fraction(1001, 3750), Fraction(8), None),
            Segment(Fraction(1001, 3750), Fraction(1001, 300), Fraction(46), 1),
        ),
    )


def test_survives_a_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    example().save(path)
    assert Timeline.load(path) == example()
    assert [p.name for p in tmp_path.iterdir()] == ["t.json"]


def test_holds_are_there_only_where_a_frame_is_held(tmp_path: Path) -> None:
    assert "holds" not in example().to_json()
    path = tmp_path / "t.json"
    replace(example(), holds=(1, 3, 1)).save(path)
    assert json.loads(path.read_text("utf-8"))["holds"] == [1, 3, 1]
    assert Timeline.load(path).holds == (1, 3, 1)
    path.write_text(json.dumps(example().to_json() | {"holds": [1, 1, 1]}), "utf-8")
    assert Timeline.load(path) == example()


def test_times_are_exact_never_floats(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    example().save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["schema"] == "saffa.timeline/1"
    assert data["source"]["rate"] == "30000/1001"
    assert data["source"]["duration"] == "1001/300"
    assert data["segments"][0] == {"source_start": "0", "source_end": "1001/3750", "speed": "8", "sentence": None}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.pop("frames"), "frames"),
        (lambda d: d["source"].pop("rate"), "rate"),
        (lambda d: d.update(schema="saffa.timeline/2"), "is not a saffa.timeline/1"),
        (lambda d: d["segments"][0].update(speed="fast"), "damaged"),
        (lambda d: d["source"].update(rate="30/0"), "damaged"),
        (lambda d: d.update(frames=[0, 1.5]), "1.5, where a whole number belongs"),
        (lambda d: d.update(frames=["a"]), "'a', where a whole number belongs"),
        (lambda d: d.update(frames=[0, float("nan")]), "nan, where a whole number belongs"),
        (lambda d: d["source"].update(rate="0"), "rate, which must be positive"),
        (lambda d: d.update(holds=[1, 2]), "holds, which must be"),
        (lambda d: d.update(holds=[1, 0, 2]), "holds, which must be"),
        (lambda d: d.update(frames=[]), "one or more"),
        (lambda d: d.update(frames=[-1, 5]), "one or more"),
        (lambda d: d.update(frames=[0, 100]), "one or more"),
        (lambda d: d.update(frames=[0, 8, 8]), "increasing"),
    ],
)
def test_says_what_is_wrong(tmp_path: Path, change: object, words: str) -> None:
    data = example().to_json()
    assert callable(change)
    change(data)
    path = tmp_path / "t.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match=words):
        Timeline.load(path)


def test_missing_and_unreadable(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no timeline file"):
        Timeline.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(InputError, match="is not a saffa"):
        Timeline.load(tmp_path / "bad.json")
