"""A job is done once, at whatever moment somebody who did it was killed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from saffa.api import accelerate
from saffa.core.errors import InputError, SaffaError
from saffa.scale import making
from saffa.scale.choices import BatchChoices
from saffa.scale.jobs import RESULTS, BatchJob
from saffa.scale.making import ROOM, Made, Order, make, settle, sweep
from saffa.scale.results import Outcome, ResultsFile
from tests.media import movies

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no locks of this kind")


@pytest.fixture
def job(tmp_path: Path) -> BatchJob:
    movies.make(tmp_path / "a.mp4", movies.Movie(frames=100))
    (tmp_path / "said.srt").write_text("1\n00:00:00,000 --> 00:00:03,000\nBoil the water\n", "utf-8")
    (tmp_path / "text.txt").write_text("Boil water.\n", "utf-8")
    (tmp_path / "out").mkdir()
    choices = BatchChoices(speed=2, method="uniform", encoder="none", subtitle_lines="all")
    text, said = str(tmp_path / "text.txt"), tmp_path / "said.srt"
    return BatchJob(tmp_path / "a.mp4", text, tmp_path / "out" / "a-short.mp4", said, choices)


def room_of(job: BatchJob) -> Path:
    (room,) = (job.output.parent / ROOM).iterdir()
    return room


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def never(*_: object, **__: object) -> None:
    raise AssertionError("made twice")


def test_a_job_that_was_done_before_its_machine_was_lost_is_not_done_again(
    job: BatchJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(Order(job))
    assert (made.frames, made.before) == (50, False)
    assert names(job.output.parent) == [ROOM, "a-short.mp4", "a-short.srt"]
    monkeypatch.setattr(making, "accelerate", never)
    assert make(Order(job)) == made  # the answer was lost, the receipt was not
    settle(job, made.key)
    assert names(job.output.parent) == ["a-short.mp4", "a-short.srt"]
    assert make(Order(job, (made.key,))) == Made(made.key, before=True)
    with pytest.raises(InputError, match="exists; use --overwrite"):
        make(Order(job))  # nobody knows what made it


def test_what_another_run_has_finished_meanwhile_is_done(job: BatchJob, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(Order(job))
    ResultsFile(job.output.parent / RESULTS).add(Outcome("a.mp4", "t", str(job.output), "done", key=made.key))
    settle(job, made.key)
    monkeypatch.setattr(making, "accelerate", never)
    assert make(Order(job)) == Made(made.key, before=True)


def test_a_name_that_was_taken_meanwhile_leaves_nothing_in_the_room(
    job: BatchJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    def and_then_taken(*given: Any, **named: Any) -> object:
        result = accelerate(*given, **named)
        job.output.write_bytes(b"theirs")
        return result

    monkeypatch.setattr(making, "accelerate", and_then_taken)
    with pytest.raises(InputError, match="made by another program"):
        make(Order(job))
    assert job.output.read_bytes() == b"theirs"
    assert ROOM not in names(job.output.parent)


@pytest.mark.parametrize("moment", ["before any name", "after the subtitles", "between two names"])
def test_a_kill_while_files_are_put_in_place(job: BatchJob, moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(Order(job))
    room, out = room_of(job), job.output.parent
    whole = job.output.read_bytes()
    if moment == "between two names":
        os.link(job.output, room / job.output.name)
    else:
        job.output.rename(room / job.output.name)
    if moment == "before any name":
        (out / "a-short.srt").rename(room / "a-short.srt")
    monkeypatch.setattr(making, "accelerate", never)
    assert make(Order(job)) == made
    assert job.output.read_bytes() == whole
    assert names(out) == [ROOM, "a-short.mp4", "a-short.srt"]
    assert names(room) == ["lock", "made.json"]


def test_what_was_left_half_written_is_cleared(job: BatchJob) -> None:
    made = make(Order(job))
    room = room_of(job)
    job.output.unlink()
    (room / ".a-short.1234.part.mp4").write_bytes(b"half")
    assert make(Order(job)).frames == made.frames  # its output is gone: the receipt does not count
    assert names(room) == ["lock", "made.json"]


def test_a_failure_leaves_nothing(job: BatchJob) -> None:
    job.video.write_bytes(b"\x00poison" * 400)
    with pytest.raises(InputError, match="cannot be read as a video"):
        make(Order(job))
    assert names(job.output.parent) == []


def test_two_at_once_do_not_both_work(job: BatchJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_TURN", 0.2)
    monkeypatch.setattr(making, "accelerate", never)
    room = making._room_of(job, job.key())
    held = making._try_lock(room)
    assert held is not None
    with pytest.raises(SaffaError, match="Another process is at work"):
        make(Order(job))
    sweep(job.output.parent)
    assert room.exists()  # somebody is at work in it
    os.close(held)
    sweep(job.output.parent)
    assert names(job.output.parent) == []


def test_subtitles_of_others_are_left_alone(job: BatchJob) -> None:
    beside = job.output.with_suffix(".srt")
    beside.write_text("mine", "utf-8")
    made = make(Order(job))
    assert beside.read_text("utf-8") == "mine"
    assert any("is left as it is" in warning for warning in made.warnings)


def test_a_receipt_that_names_other_places_does_not_count(job: BatchJob) -> None:
    make(Order(job))
    receipt = room_of(job) / "made.json"
    facts = json.loads(receipt.read_text("utf-8"))
    receipt.write_text(json.dumps(facts | {"files": ["../../text.txt", job.output.name]}), "utf-8")
    with pytest.raises(InputError, match="exists"):
        make(Order(job))
