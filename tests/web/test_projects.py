"""A project from the video to the plan, as a page asks for it."""

import json
import os
import shutil
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.media.movies import Movie, make
from tests.web.serving import STEPS, Server, events


def plan(server: Server, project: str, status: int = 200, **wanted: Any) -> Any:
    return server.post(f"/projects/{project}/plan", wanted, status)


def test_the_status_tells_what_can_be_done(server: Server) -> None:
    status = server.get("/status")
    assert status["limits"]["upload_bytes"] == 5_000_000
    assert status["folders"] == ["videos"]
    assert "otio" in status["exports"]


def test_everything_that_happens_is_told(server: Server) -> None:
    # A video of its own: of one that was seen before, nothing has to be looked at.
    make(server.folder / "told.mp4", Movie(frames=600, size=(64, 64)))
    shutil.copy(server.folder / "pasta.srt", server.folder / "told.srt")
    made = server.post("/projects", {"video": server.video("told.mp4"), "text": STEPS, "listen": "off"})
    seen = []
    for message in events(server, f"/projects/{made['id']}/events"):
        seen.append(message)
        if message["state"] == "ready" and message["thumbnails"]["state"] == "ready":
            break
    assert seen[0]["state"] == "analysing"
    assert [stage["name"] for stage in seen[-1]["stages"]] == ["reading", "listening", "looking", "comparing"]
    assert [stage["state"] for stage in seen[-1]["stages"]] == ["done", "skipped", "done", "done"]  # it has subtitles
    shares = [message["thumbnails"]["share"] for message in seen]
    assert shares == sorted(shares)
    video = seen[-1]["video"]
    assert (video["seconds"], video["rate"], video["width"], video["playable"]) == (24.0, 25.0, 64, True)
    assert server.client.delete(f"/projects/{made['id']}").status_code == 204
    assert server.client.get(f"/projects/{made['id']}").status_code == 404


def test_the_alignment_tells_where_each_sentence_was_found(server: Server, project: str) -> None:
    found = server.get(f"/projects/{project}/alignment")
    assert [one["text"] for one in found["sentences"]] == [
        "Chop the onions.",
        "Fry them in oil.",
        "Add the stock and stir.",
    ]
    assert found["lines"][0] == {"start": 2.0, "end": 6.0, "text": "first we chop the onions"}
    assert len(found["times"]) == len(found["relevance"]) <= 2000
    assert (min(found["relevance"]), max(found["relevance"])) == (0, 1)


def test_a_plan_covers_the_video_and_has_the_length_asked_for(server: Server, project: str) -> None:
    planned = plan(server, project, length=6)
    assert planned["output_seconds"] == pytest.approx(6, abs=0.04)
    segments = planned["segments"]
    assert (segments[0][0], segments[-1][1]) == (0, 24)
    for (_, end, _, output_end, *_), (start, _, output_start, *_) in pairwise(segments):
        assert (end, output_end) == (start, output_start)
    for start, end, output_start, output_end, speed, _ in segments:
        assert (end - start) / (output_end - output_start) == pytest.approx(speed, rel=1e-3)
    assert sum(one["watchable"] for one in planned["sentences"]) == planned["watchable"]


def test_corrections_act_at_once(server: Server, project: str) -> None:
    kept = plan(server, project, length=8, corrections=[{"kind": "keep", "start": 10, "end": 12}])
    assert all(speed <= 1 for start, end, _, _, speed, _ in kept["segments"] if start >= 10 and end <= 12)
    cut = plan(server, project, length=6, corrections=[{"kind": "cut", "start": 5, "end": 15}])
    assert not any(start < 15 and end > 5 for start, end, *_ in cut["segments"])
    assert cut["output_seconds"] == pytest.approx(6, abs=0.04)
    plain, skipped = (
        plan(server, project, length=8, corrections=corrections)
        for corrections in ([], [{"kind": "skip", "sentence": 0}])
    )
    assert skipped["sentences"][0]["slow_seconds"] <= plain["sentences"][0]["slow_seconds"]


def test_a_person_knows_better_where_a_sentence_is(server: Server, project: str) -> None:
    moved = plan(server, project, length=8, corrections=[{"kind": "here", "sentence": 0, "start": 14, "end": 16}])
    shown = moved["sentences"][0]
    assert shown["start"] == pytest.approx(14, abs=1)
    assert shown["end"] == pytest.approx(16, abs=1)
    assert shown["confidence"] == 1
    assert all(start >= 13 and end <= 17 for start, end, *_, sentence in moved["segments"] if sentence == 0)


def test_what_cannot_be_had_is_told_with_what_can(server: Server, project: str) -> None:
    keep = [{"kind": "keep", "start": 0, "end": 20}]
    refused = plan(server, project, 422, length=3, corrections=keep)["error"]
    assert 20 < refused["allowed"]["shortest"] < refused["allowed"]["longest"] <= 24.1
    allowed = refused["allowed"]["shortest"]
    assert plan(server, project, length=allowed, corrections=keep)["output_seconds"] == pytest.approx(allowed, abs=0.1)


@pytest.mark.parametrize(
    "wanted",
    [
        {"speed": 0.5},
        {"speed": 2, "length": 3},
        {"speed": "fast"},
        {"length": -1},
        {"length": 1000},
        {"balance": 2},
        {"ramp": "steep"},
        {"corrections": [{"kind": "keep", "start": 5, "end": 4}]},
        {"corrections": [{"kind": "keep", "start": 500, "end": 600}]},
        {"corrections": [{"kind": "weight", "sentence": 77, "weight": 2}]},
        {"corrections": [{"kind": "here", "sentence": 0}]},
        {"corrections": [{"kind": "only", "sentences": [1]}]},
        {"corrections": [{"kind": "cut", "start": 0, "end": 24}]},
        {"unknown": 1},
    ],
)
def test_a_plan_that_makes_no_sense_is_refused_in_one_line(
    server: Server, project: str, wanted: dict[str, Any]
) -> None:
    message = plan(server, project, 422, **wanted)["error"]["message"]
    assert "\n" not in message
    assert "Traceback" not in message


def test_the_video_comes_in_parts(server: Server, project: str) -> None:
    data = (server.folder / "pasta.mp4").read_bytes()
    part = server.client.get(f"/projects/{project}/video", headers={"range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, data[100:200])
    assert part.headers["content-type"] == "video/mp4"
    assert server.client.get(f"/projects/{project}/video", headers={"range": "bytes=99999999-"}).status_code == 416


def test_thumbnails_stand_on_sheets(server: Server, project: str) -> None:
    end = time.monotonic() + 20
    while server.get(f"/projects/{project}")["thumbnails"]["state"] != "ready" and time.monotonic() < end:
        time.sleep(0.05)
    found = server.get(f"/projects/{project}/thumbnails")
    assert (found["count"], found["ready"], len(found["sheets"])) == (24, True, 1)
    sheet = server.client.get(found["sheets"][0].removeprefix("/api/v1"))
    assert sheet.headers["content-type"] == "image/jpeg"
    assert sheet.content.startswith(b"\xff\xd8\xff")


def test_settings_are_found_again_and_another_text_is_compared_anew(server: Server) -> None:
    made = server.project()
    place = f"/projects/{made['id']}"
    corrections = [{"kind": "cut", "start": 1, "end": 2}, {"kind": "weight", "sentence": 1, "weight": 2}]
    settings = {"length": 5, "corrections": corrections, "ui": {"playhead": 3}}
    stored = server.client.patch(place, json={"settings": settings}).json()
    assert stored["settings"]["ui"] == {"playhead": 3}
    assert stored["state"] == "ready"
    changed = server.client.patch(place, json={"text": "Only add the stock."}).json()
    assert changed["state"] == "analysing"
    ready = server.wait(place, "ready")
    assert ready["revision"] == 2
    assert [one["kind"] for one in ready["settings"]["corrections"]] == ["cut"]
    assert len(server.get(f"{place}/alignment")["sentences"]) == 1
    server.client.delete(place)


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({"text": "   "}, "empty"),
        ({"text": None}, "Give a text"),
        ({"narration": True}, "not both"),
        ({"text": "x. " * 900_000}, "too long"),
    ],
)
def test_a_project_without_a_usable_text_is_refused(server: Server, more: dict[str, Any], wrong: str) -> None:
    answer = server.client.post("/projects", json={"video": server.video("pasta.mp4"), "text": STEPS} | more)
    assert answer.status_code in (413, 422)
    assert wrong in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "more",
    [
        {"text": "Chop \ud800."},
        {"text": "Chop.", "text_name": "\ud800.txt"},
        {"text": "Chop.", "settings": {"ui": {"a": "\ud800"}}},
        {"text": "Chop.", "\ud800": 1},
    ],
)
def test_halves_of_letters_are_refused_and_nothing_is_kept(server: Server, more: dict[str, Any]) -> None:
    before = server.get("/projects")
    answer = server.client.post(
        "/projects",
        content=json.dumps({"video": server.video("pasta.mp4"), **more}),
        headers={"content-type": "application/json"},
    )
    assert answer.status_code == 422, answer.text
    assert server.get("/projects") == before


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes")
def test_names_that_are_no_text_are_not_offered(server: Server) -> None:
    for name in (b"\xff.mp4", b"\xff/inner.mp4"):
        place = Path(os.fsdecode(os.fsencode(server.folder) + b"/" + name))
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(b"0")
    names = [one["name"] for one in server.get("/videos")["videos"]]
    assert "pasta.mp4" in names and "inner.mp4" not in names


def test_too_many_sentences_are_refused(server: Server) -> None:
    text = "\n".join(f"{i}. Do number {i}." for i in range(1, 60))
    made = server.post("/projects", {"video": server.video("pasta.mp4"), "text": text, "listen": "off"})
    assert "at most 50" in server.wait(f"/projects/{made['id']}", "failed")["error"]
    server.client.delete(f"/projects/{made['id']}")


def test_what_is_said_can_be_the_text(server: Server) -> None:
    made = server.post("/projects", {"video": server.video("pasta.mp4"), "narration": True, "listen": "off"})
    server.wait(f"/projects/{made['id']}", "ready")
    texts = [one["text"] for one in server.get(f"/projects/{made['id']}/alignment")["sentences"]]
    assert any("onions" in text for text in texts)
    server.client.delete(f"/projects/{made['id']}")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "[" * 1_900_000),
        ("a.html", "<div>" * 300_000),
        ("a.txt", "a" * 1_900_000),
        ("a.txt", "1. a " * 300_000),
    ],
    ids=["brackets", "nested", "one-word", "numbers"],
)
def test_texts_that_could_take_for_ever_do_not(server: Server, name: str, text: str) -> None:
    """Work grows no faster than the text: each is refused, or compared, while others are answered."""
    made = server.post("/projects", {"video": server.video("pasta.mp4"), "text": text, "text_name": name})
    assert server.get("/status")["version"]
    end = time.monotonic() + 120
    while (found := server.get(f"/projects/{made['id']}"))["state"] == "analysing" and time.monotonic() < end:
        time.sleep(0.1)
    assert found["state"] in ("ready", "failed")
    assert len(found["error"] or "") < 500
    server.client.delete(f"/projects/{made['id']}")
