"""Many videos: what is refused before any work, what fails alone, and what is not done twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from saffa.cli.main import run
from saffa.core.errors import InputError
from saffa.scale.batch import Batch, Estimate
from saffa.scale.choices import READERS, BatchChoices
from saffa.scale.jobs import BatchJob, Texts, inputs_of, read_jobs
from saffa.scale.making import Made, Order
from saffa.scale.pool import ProcessPool
from saffa.scale.results import Outcome, ResultsFile
from tests.media.movies import Movie, make, numbers

UNIFORM = ("--speed", "4", "--method", "uniform", "--encoder", "none")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two videos and a text for both."""
    (tmp_path / "videos").mkdir()
    for name in ("a", "b"):
        make(tmp_path / "videos" / f"{name}.mp4", Movie(frames=40))
    (tmp_path / "text.txt").write_text("Boil water.\n", encoding="utf-8")
    return tmp_path


def killed_once(order: Order) -> Made:
    """`a` loses its first process, `b` every one."""
    job = order.job
    marker = job.output.with_suffix(".tried")
    if job.video.stem == "b" or not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Made("key", 10, 4.0)


def lines(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]


def test_a_poisonous_file_fails_alone_and_nothing_is_done_twice(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "videos" / "bad.mp4").write_bytes(b"\x00poison" * 400)
    out = folder / "out"
    command = ["batch", str(folder / "videos"), "--text", str(folder / "text.txt"), "-o", str(out), *UNIFORM, "--json"]
    assert run(command) == 1
    first = json.loads(capsys.readouterr().out)
    assert (first["done"], first["skipped"], first["failed"]) == (2, 0, 1)
    assert "cannot be read as a video" in next(r["reason"] for r in first["results"] if r["status"] == "failed")
    assert len(numbers(out / "a-short.mp4")) == 10
    assert sorted(p.name for p in out.iterdir()) == ["a-short.mp4", "b-short.mp4", "results.jsonl"]
    before = (out / "a-short.mp4").stat().st_mtime_ns
    (folder / "videos" / "bad.mp4").unlink()
    assert run(command) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["done"], again["skipped"], again["failed"]) == (0, 2, 0)
    assert (out / "a-short.mp4").stat().st_mtime_ns == before
    assert [line["status"] for line in lines(out)].count("done") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_a_killed_process_is_started_once_more(folder: Path) -> None:
    out = folder / "out"
    out.mkdir()
    jobs = read_jobs(folder / "videos", Texts(str(folder / "text.txt")), BatchChoices(), out)
    run = Batch(ProcessPool(2), ResultsFile(out / "results.jsonl"), work=killed_once).run(jobs)
    found = {Path(outcome.video).stem: outcome for outcome in run}
    assert (found["a"].status, found["a"].frames) == ("done", 10)
    assert found["b"].status == "failed"
    assert "ended without an answer (exit code -9, SIGKILL)" in found["b"].reason
    assert len(lines(out)) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_an_interrupt_leaves_a_state_to_go_on_from(folder: Path) -> None:
    for name in ("c", "d"):
        make(folder / "videos" / f"{name}.mp4", Movie(frames=50))
    out = folder / "out"
    command = [sys.executable, "-m", "saffa", "batch", str(folder / "videos"), "--text", str(folder / "text.txt")]
    command += ["-o", str(out), *UNIFORM, "--jobs", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (out / "results.jsonl").exists():
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        errors = process.communicate()[1]
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1] == "saffa: Interrupted; what was finished is kept."
    finished = {str(line["output"]) for line in lines(out)}
    assert {str(p) for p in out.iterdir()} == finished | {str(out / "results.jsonl")}
    assert run(command[3:]) == 0
    assert [line["status"] for line in lines(out)] == ["done"] * 4


def test_a_list_says_what_each_video_gets(folder: Path) -> None:
    table = folder / "list.csv"
    table.write_text(
        "video,text,output,speed,length,audio\nvideos/a.mp4,text.txt,x.mkv,2x,,\nvideos/b.mp4,,,,0:01,mute\n", "utf-8"
    )
    first, second = read_jobs(table, Texts(str(folder / "text.txt")), BatchChoices(speed=8), folder / "out")
    assert (first.output.name, first.choices) == ("x.mkv", BatchChoices(speed=2))
    assert (second.output.name, second.choices) == (
        "b-short.mp4",
        BatchChoices(length=second.choices.length, audio="mute"),
    )
    assert second.choices.length == 1


def test_a_list_may_hold_any_option(folder: Path) -> None:
    columns = "video,min-speed,max_speed,ramp,text_part,listen,strict,crf,preset,codec,subtitle_lines,burn,chapters"
    cells = "videos/a.mp4,1,20x,soft,all,off,yes,20,slow,hevc,all,steps,both"
    (folder / "list.csv").write_text(f"{columns},keep,cut,weight\n{cells},0:00-0:01@2 step:1,1-1.2,1=3\n", "utf-8")
    (job,) = read_jobs(folder / "list.csv", Texts(str(folder / "text.txt")), BatchChoices(), folder / "out")
    chosen = job.choices
    assert (chosen.min_speed, chosen.max_speed, chosen.ramp, chosen.listen, chosen.strict) == (
        1,
        20,
        "soft",
        "off",
        True,
    )
    options = chosen.render_options()
    assert (options.crf, options.codec, options.subtitle_lines, options.burn) == (20, "hevc", "all", "steps")
    assert [type(one).__name__ for one in chosen.corrections] == ["Keep", "Keep", "Cut", "Weight"]
    assert set(READERS) == {one.name for one in fields(BatchChoices)} - {"corrections"}


def test_the_key_follows_contents_and_choices(folder: Path) -> None:
    job = BatchJob(folder / "videos" / "a.mp4", str(folder / "text.txt"), folder / "a.mp4")
    keys = {job.key(), BatchJob(job.video, job.text, job.output, choices=BatchChoices(speed=2)).key()}
    (folder / "text.txt").write_text("Cut onions.", "utf-8")
    keys.add(job.key())
    (folder / "videos" / "a.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nHello\n", "utf-8")
    assert len(keys | {job.key()}) == 4


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("film\na.mp4\n", "has no column video"),
        ("video,colour\nvideos/a.mp4,red\n", "column 'colour' is not known"),
        ("video\nvideos/none.mp4\n", r"line 2: There is no file .*none\.mp4"),
        ("video,text\nvideos/a.mp4,none.txt\n", r"line 2: There is no file .*none\.txt"),
        ("video,output\nvideos/a.mp4,x.mp4\nvideos/b.mp4,x.mp4\n", "have one output"),
        ("video,output\nvideos/a.mp4,../x.mp4\n", "must be a plain file name"),
        ("video,speed\nvideos/a.mp4,fast\n", "line 2: speed fast is not a number"),
        ("video,speed,length\nvideos/a.mp4,2,0:01\n", "line 2: Give --speed or --length"),
        ("video,method\nvideos/a.mp4,magic\n", "line 2: Unknown method"),
        ("video,strict\nvideos/a.mp4,perhaps\n", "line 2: strict 'perhaps' is not one of yes, no"),
        ("video,crf\nvideos/a.mp4,-3\n", "line 2: crf -3 is not a whole number"),
        ("video,codec\nvideos/a.mp4,vp8\n", "line 2: Codec 'vp8' is not known"),
        ("video,keep\nvideos/a.mp4,later\n", "line 2: "),
        ("video\nvideos/a.mp4,b\n", "more cells than columns"),
        ("video\n", "lists no videos"),
        (f"video\n{'v' * 5000}\n", "line 2: .*File name too long"),
    ],
)
def test_a_bad_list_is_refused_before_any_work(folder: Path, table: str, said: str) -> None:
    (folder / "list.csv").write_text(table, "utf-8")
    with pytest.raises(InputError, match=said):
        read_jobs(folder / "list.csv", Texts(str(folder / "text.txt")), BatchChoices(), folder / "out")


def test_a_bad_folder_is_refused_before_any_work(folder: Path) -> None:
    (folder / "texts").mkdir()
    with pytest.raises(InputError, match="There are no videos"):
        read_jobs(folder / "texts", Texts(str(folder / "text.txt")), BatchChoices(), folder / "out")
    with pytest.raises(InputError, match=r"no text for .*a\.mp4"):
        read_jobs(folder / "videos", Texts(folder=folder / "texts"), BatchChoices(), folder / "out")
    with pytest.raises(InputError, match="Give --text FILE or --text-dir DIR"):
        read_jobs(folder / "videos", Texts(), BatchChoices(), folder / "out")
    with pytest.raises(InputError, match="one folder"):
        read_jobs(folder / "videos", Texts(str(folder / "text.txt")), BatchChoices(), folder / "videos")
    (folder / "videos" / "a.mp4").rename(folder / "videos" / f"{'x' * 251}.mp4")
    with pytest.raises(InputError, match="longer than names of files"):  # with -short at its end
        read_jobs(folder / "videos", Texts(str(folder / "text.txt")), BatchChoices(), folder / "out")


def test_a_folder_is_listed_a_few_times_not_for_each_of_its_videos(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        (folder / "videos" / f"{number}.mp4").write_bytes(b"0")
    (folder / "videos" / "7.en.srt").write_text("", "utf-8")
    asked: list[object] = []
    usual = os.scandir

    def counted(place: Path) -> Any:
        asked.append(place)
        return usual(place)

    monkeypatch.setattr(os, "scandir", counted)
    jobs = read_jobs(folder / "videos", Texts(str(folder / "text.txt")), BatchChoices(), folder / "out")
    assert len(jobs) >= 40 and len(asked) < 5
    assert folder / "videos" / "7.en.srt" in set(inputs_of(jobs))


def test_a_line_cut_off_by_a_kill_is_left_alone(tmp_path: Path) -> None:
    results = ResultsFile(tmp_path / "results.jsonl")
    results.path.write_bytes(b'{"video": "a.mp4", "sta')
    results.add(Outcome("b.mp4", "t", "out/b.mp4", "done", key="k"))
    assert results.done() == {"b.mp4": ("k",)}


def test_the_rest_is_estimated_from_what_was_made(tmp_path: Path) -> None:
    """A bad file of a few bytes fails at once: it told hundreds of hours for the others."""
    sizes = {"bad": 9, "old": 5_000, "one": 1_000, "two": 3_000}
    for name, size in sizes.items():
        (tmp_path / f"{name}.mp4").write_bytes(bytes(size))
    estimate = Estimate([BatchJob(tmp_path / f"{name}.mp4", "narration", tmp_path / name) for name in sizes])
    assert estimate.left(Outcome("", "", str(tmp_path / "bad"), "failed")) is None
    assert estimate.left(Outcome("", "", str(tmp_path / "old"), "skipped")) is None
    assert estimate.left(Outcome("", "", str(tmp_path / "one"), "done")) is not None
    assert estimate.left(Outcome("", "", str(tmp_path / "two"), "done")) is None
