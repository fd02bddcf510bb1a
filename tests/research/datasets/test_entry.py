import json
from pathlib import Path
from typing import Any

import pytest

from saffa.core.errors import InputError
from saffa.research.datasets.entry import Entry, keyed_entries, listed_entries, positive, read_json, text

DATA: dict[str, Any] = {
    "duration": "long",
    "lines": ["one", 2],
    "steps": [{"sentence": "boil", "parts": [{"n": 1}]}, {"parts": [{"n": 0}]}],
    "none": [],
}
ENTRY = Entry(Path("a.json"), "abc", DATA)


def said(call: Any) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


def test_errors_name_file_video_and_field() -> None:
    assert said(lambda: ENTRY.read("subset", text)) == "a.json: video abc: field 'subset' is missing."
    wrong = said(lambda: ENTRY.read("duration", positive))
    assert wrong == "a.json: video abc: field 'duration' is wrong (expected a number, not 'long')."
    assert "field 'lines[1]' is wrong (expected a text, not 2)" in said(lambda: ENTRY.each("lines", text))
    assert "field 'none' is wrong (the list is empty)" in said(lambda: ENTRY.each("none", text))
    assert ENTRY.each("none", text, least=0) == ()
    assert "field 'duration' is wrong (expected a list" in said(lambda: ENTRY.parts("duration"))
    assert "field 'lines[0]' is not an object, but 'one'" in said(lambda: ENTRY.parts("lines"))


def test_objects_inside_an_entry() -> None:
    first, second = ENTRY.parts("steps")
    assert first.read("sentence", text) == "boil"
    assert said(lambda: second.read("sentence", text)).endswith("video abc: field 'steps[1].sentence' is missing.")
    (inner,) = second.parts("parts")
    assert "field 'steps[1].parts[0].n' is wrong" in said(lambda: inner.read("n", positive))
    assert "field 'steps[1].x' is wrong (odd)" in str(second.wrong("x", "odd"))


def test_files_of_entries(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert said(lambda: read_json(path, "Get it.")) == f"There is no {path}. Get it."
    for content in (b"{", b"\xff", b"[" * 100_000):
        path.write_bytes(content)
        assert said(lambda: read_json(path, "")).startswith(f"Cannot read {path}")
    path.write_text(json.dumps({"videos": {"x": {"a": 1}}}))
    name, (entry,) = keyed_entries(path, read_json(path, ""), "database", "videos")
    assert (name, entry.video, entry.get("a"), entry.get("b")) == ("videos", "x", 1, None)
    others: tuple[object, ...] = (None, [], {}, {"videos": None}, {"videos": []})
    for data in others:
        assert "has no 'database' or 'videos'" in said(
            lambda data=data: keyed_entries(path, data, "database", "videos")
        )
    assert "video x: the entry is not an object" in said(lambda: keyed_entries(path, {"videos": {"x": []}}, "videos"))


def test_lists_of_entries() -> None:
    path = Path("a.json")
    assert [entry.video for entry in listed_entries(path, [{"id": "x"}, {"id": "y"}], "id")] == ["x", "y"]
    others: tuple[object, ...] = (None, {}, "ab")
    for items in others:
        assert "has no list of videos" in said(lambda items=items: listed_entries(path, items, "id"))
    assert "video number 1: field 'id' is missing" in said(lambda: listed_entries(path, [{"id": "x"}, {}], "id"))
    assert "video number 0: field 'id' is wrong" in said(lambda: listed_entries(path, [{"id": 3}], "id"))
