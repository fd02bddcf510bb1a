"""The command line as users and scripts meet it: exit codes, one line per error, nothing left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import pytest

from saffa.cli.main import run
from saffa.cli.options import parse_speed
from saffa.core.alignment import Alignment
from saffa.sample import RECIPE, VIDEO

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys: Capture, *arguments: str | Path) -> str:
    """Run a command that must fail as bad input: exit 2, one plain line on standard error, nothing on the other."""
    capsys.readouterr()
    assert run([str(a) for a in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("saffa: ")
    assert "Traceback" not in err
    return err


def accelerated(capsys: Capture, *arguments: str | Path) -> dict[str, Any]:
    capsys.readouterr()
    assert run(["accelerate", str(VIDEO), "--text", str(RECIPE), "--json", *map(str, arguments)]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def streams(path: Path) -> dict[str, float]:
    """Seconds of each kind of stream, by decoding."""
    found = {}
    with av.open(str(path)) as movie:
        video = movie.streams.video[0]
        assert video.average_rate is not None
        found["video"] = sum(1 for _ in movie.decode(video=0)) / float(video.average_rate)
    with av.open(str(path)) as movie:
        if movie.streams.audio:
            found["audio"] = sum(f.samples / f.sample_rate for f in movie.decode(audio=0))
    return found


def test_accelerate_writes_the_length_asked_for(here: Path, capsys: Capture) -> None:
    data = accelerated(capsys, "--length", "20", "-o", "short.mp4", "--timeline", "t.json", "--plot", "p.png")
    assert sorted(p.name for p in here.iterdir()) == ["p.png", "short.mp4", "t.json"]
    assert data["output"]["seconds"] == pytest.approx(20, abs=0.05)
    found = streams(here / "short.mp4")
    assert found["video"] == pytest.approx(20, abs=0.05)
    assert found["audio"] == pytest.approx(20, abs=0.1)
    timeline = json.loads((here / "t.json").read_text())
    assert timeline["schema"] == "saffa.timeline/2"
    assert len(timeline["frames"]) == data["output"]["frames"]
    assert timeline["frames"][0] == 0
    assert Fraction(timeline["segments"][0]["source_start"]) == 0
    assert Fraction(timeline["segments"][-1]["source_end"]) == Fraction(timeline["source"]["duration"])


@pytest.mark.parametrize("speed", ["8", "8x", "8X", "8 ×", "8.0×"])
def test_speeds_as_people_write_them(speed: str) -> None:
    assert parse_speed(speed) == 8


def test_what_matches_the_text_is_slower(here: Path, capsys: Capture) -> None:
    data = accelerated(capsys, "--speed", "6x", "--dry-run")
    assert list(here.iterdir()) == []
    assert data["slowest"] <= 2
    assert data["fastest"] > 12
    assert data["watchable_sentences"] >= len(data["sentences"]) // 2
    assert len(data["speed_curve"]) == 60


def test_render_repeats_a_timeline(here: Path, capsys: Capture) -> None:
    accelerated(capsys, "--speed", "20", "-o", "a.mp4", "--timeline", "t.json")
    assert run(["render", "t.json", "-o", "b.mkv", "--audio", "drop"]) == 0
    assert streams(here / "b.mkv") == {"video": streams(here / "a.mp4")["video"]}
    changed = json.loads((here / "t.json").read_text())
    changed["source"]["sha256"] = "0" * 64
    (here / "t.json").write_text(json.dumps(changed))
    assert "contents differ" in refused(capsys, "render", "t.json", "-o", "c.mkv")
    (here / "t.json").write_text('{"schema": "saffa.timeline/9"}')
    assert "is not a saffa.timeline/2" in refused(capsys, "render", "t.json", "-o", "c.mkv")


def test_a_timeline_and_its_files_may_move_together(here: Path, capsys: Capture) -> None:
    first, second = here / "first", here / "second"
    first.mkdir()
    shutil.copy(VIDEO, first / "film.mp4")
    (first / "said.srt").write_text("1\n00:00:01,000 --> 00:01:00,000\nBring the water to the boil\n")
    files = ("--subtitles", first / "said.srt", "--timeline", first / "t.json")
    asked = ("--encoder", "narrated", "--read-screen", "off", "--speed", "40", "--dry-run")
    made = ["accelerate", first / "film.mp4", "--text", RECIPE, *files, *asked]
    assert run(list(map(str, made))) == 0
    first.rename(second)
    assert run(["render", str(second / "t.json"), "-o", "again.mp4", "--audio", "drop"]) == 0
    assert "Bring the water" in (here / "again.srt").read_text()
    (second / "film.mp4").write_bytes((second / "film.mp4").read_bytes() + b"!")
    assert "contents differ" in refused(capsys, "render", second / "t.json", "-o", "other.mp4")
    (second / "film.mp4").unlink()
    assert str(first / "film.mp4") in refused(capsys, "render", second / "t.json", "-o", "other.mp4")


def test_settings_that_change_nothing_are_named(here: Path, capsys: Capture) -> None:
    command = ("--dry-run", "--balance", "0.5", "--max-speed", "20")
    told = accelerated(capsys, "--method", "uniform", *command)["warnings"]
    assert told == ["--balance and --max-speed change nothing with --method uniform."]
    assert accelerated(capsys, *command)["warnings"] == []
    told = accelerated(capsys, "--method", "saffa", "--encoder", "narrated", "--dry-run", "--balance", "1")["warnings"]
    assert told == ["--balance changes nothing with --method saffa."]
    assert list(here.iterdir()) == []


def test_a_missed_length_is_said_once(here: Path, capsys: Capture) -> None:
    """ffnet takes two passes and its own speed."""
    asked = ["--text", RECIPE, "--method", "ffnet", "--encoder", "narrated", "--length", "0:05", "--json", "--dry-run"]
    assert run(["accelerate", str(VIDEO), *map(str, asked)]) == 0
    out, err = capsys.readouterr()
    (told,) = json.loads(out)["warnings"]
    assert err == f"saffa: warning: {told}\n"
    assert "not the 0:05.0" in told and "ffnet does not heed the speed; plan, saffa and uniform keep" in told
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("method", ["plan", "saffa", "uniform"])
@pytest.mark.parametrize("length", ["0:02", "0:20"])
def test_who_keeps_the_length_need_not_warn(here: Path, capsys: Capture, method: str, length: str) -> None:
    told = accelerated(capsys, "--method", method, "--encoder", "narrated", "--length", length, "--dry-run")
    assert told["warnings"] == [] and list(here.iterdir()) == []


def test_outputs_never_replace_each_other_or_an_input(here: Path, capsys: Capture) -> None:
    shutil.copy(VIDEO, here / "a.mp4")
    spoken = here / "a.srt"
    spoken.write_text("1\n00:00:01,000 --> 00:00:02,000\nhello\n")
    command = ("accelerate", "a.mp4", "--text", RECIPE, "--overwrite")
    assert "two outputs" in refused(capsys, *command, "-o", "b.mp4", "--timeline", here / "b.mp4")
    assert "two outputs" in refused(capsys, *command, "--dry-run", "--timeline", "c.png", "--plot", "c.png")
    assert "input itself" in refused(capsys, *command, "--timeline", "a.srt")
    assert "input itself" in refused(capsys, *command, "--subtitles", spoken, "--timeline", "a.srt")
    assert "input itself" in refused(capsys, "align", *command[1:], "-o", "a.srt")
    assert sorted(p.name for p in here.iterdir()) == ["a.mp4", "a.srt"]


def test_subtitles_of_any_name_leave_beside_the_video(here: Path, capsys: Capture) -> None:
    """A file of another extension is read by its content; one that is already there is kept, and that is said."""
    (here / "spoken.txt").write_text("1\n00:00:01,000 --> 00:01:00,000\nBring the water to the boil\n")
    command = ("--encoder", "narrated", "--subtitles", "spoken.txt", "--speed", "100", "--audio", "drop", "-o")
    warned = accelerated(capsys, *command, "a.mp4")["warnings"]
    assert [one for one in warned if "does not seem to fit" not in one] == []  # one line says little about seven
    assert "Bring the water" in (here / "a.srt").read_text()
    (here / "b.srt").write_text("mine")
    assert any("left as it is" in one for one in accelerated(capsys, *command, "b.mp4")["warnings"])
    assert (here / "b.srt").read_text() == "mine"


def test_evaluate_checks_its_output_before_the_work(here: Path, capsys: Capture) -> None:
    command = ("evaluate", "youcook2-narrated", "--data", here)
    assert "does not exist" in refused(capsys, *command, "--json", "none/out.json")


def test_encoders_print_nothing(here: Path) -> None:
    """In its own process: SVT-AV1 asks once whether it may print."""
    command = [sys.executable, "-m", "saffa", "accelerate", str(VIDEO), "--text", str(RECIPE), "--json"]
    command += ["--speed", "200", "--audio", "drop", "--codec", "av1", "-o", "a.mp4"]
    quiet = {name: value for name, value in os.environ.items() if name != "SVT_LOG"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=here, env=quiet, check=True)
    assert done.stderr == ""
    assert json.loads(done.stdout)["output"]["frames"] == 20


def test_long_names_fit(here: Path, capsys: Capture) -> None:
    name = "n" * 245
    accelerated(capsys, "--speed", "200", "-o", f"{name}.mp4", "--timeline", f"{name}.json", "--audio", "drop")
    assert len(list(here.iterdir())) == 2


def test_help_names_the_extra(capsys: Capture) -> None:
    assert run(["train", "--help"]) == 0
    assert "saffa[train]" in capsys.readouterr().out


def test_demo_makes_its_three_files(here: Path, capsys: Capture) -> None:
    assert run(["demo"]) == 0
    assert sorted(p.name for p in here.iterdir()) == ["saffa-demo.json", "saffa-demo.mp4", "saffa-demo.png"]
    assert "before" in capsys.readouterr().out
    assert "--overwrite" in refused(capsys, "demo")


def test_align_then_select_in_python(here: Path, capsys: Capture) -> None:
    import saffa  # noqa: PLC0415

    assert run(["align", str(VIDEO), "--text", str(RECIPE), "-o", "a.npz"]) == 0
    alignment = saffa.Alignment.load(here / "a.npz")
    chosen = saffa.select(alignment, speed=10)
    assert abs(len(chosen.frames) - alignment.frames / 10) <= 1
    assert "--overwrite" in refused(capsys, "align", VIDEO, "--text", RECIPE, "-o", "a.npz")


def test_text_from_standard_input(here: Path) -> None:
    command = [sys.executable, "-m", "saffa", "accelerate", str(VIDEO), "--text", "-", "--dry-run", "--json"]
    done = subprocess.run(command, input=b"grind the beans\npour the water", capture_output=True, check=True, cwd=here)
    assert [s["text"] for s in json.loads(done.stdout)["sentences"]] == ["grind the beans", "pour the water"]


class TestBadInput:
    """Each in one line, exit code 2, and no output."""

    @pytest.fixture(autouse=True)
    def nothing_left_behind(self, here: Path) -> Any:
        self.before: set[Path] = set()
        yield
        assert set(here.iterdir()) == self.before

    def keep(self, *paths: Path) -> None:
        self.before |= set(paths)

    def accelerate(self, capsys: Capture, video: Path | str, *arguments: str | Path, text: Path | str = RECIPE) -> str:
        return refused(capsys, "accelerate", video, "--text", text, *arguments)

    def test_videos(self, here: Path, capsys: Capture) -> None:
        words, nothing, folder = here / "words.mp4", here / "nothing.mp4", here / "folder"
        words.write_text("not a video\n" * 50)
        nothing.write_bytes(b"")
        folder.mkdir()
        self.keep(words, nothing, folder)
        assert "does not exist" in self.accelerate(capsys, "missing.mp4")
        assert "folder" in self.accelerate(capsys, folder)
        assert "is a text, not a video" in self.accelerate(capsys, words)
        for command in ("accelerate", "align"):
            said = refused(capsys, command, words, "--text", VIDEO, "-o", "o.npz" if command == "align" else "o.mp4")
            assert f"are swapped: {VIDEO} is the video. Write {VIDEO} --text {words}." in said
        assert "empty" in self.accelerate(capsys, nothing)

    def test_texts(self, here: Path, capsys: Capture) -> None:
        empty, binary = here / "empty.txt", here / "binary.txt"
        empty.write_text("\n\n")
        binary.write_bytes(bytes(range(256)) * 8)
        self.keep(empty, binary)
        assert "empty" in self.accelerate(capsys, VIDEO, text=empty)
        assert "binary" in self.accelerate(capsys, VIDEO, text=binary)
        assert "no text file" in self.accelerate(capsys, VIDEO, text="missing.txt")

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("--speed", "0.9"), "1 or more"),
            (("--speed", "nan"), "1 or more"),
            (("--speed", "fast"), "--speed fast is not a number; write it like 8 or 8x"),
            (("--length", "2.30"), "2:30 or as 2.3 seconds?"),
            (("--length", "1:00:00"), "only"),
            (("--length", "0.001"), "shorter than one frame"),
            (("--length", "soon"), "Write it like"),
            (("--length", "20", "--speed", "3"), "not both"),
            (("--balance", "2"), "between 0 and 1"),
            (("--speed", "8", "--max-speed", "5"), "cannot be reached"),
            (("--method", "magic"), "Unknown method"),
            (("--encoder", "magic"), "no model"),
            (("--audio", "loud"), "--audio"),
            (("-o", "none/out.mp4"), "does not exist"),
            (("-o", "out.txt"), "mp4"),
            (("--plot", "p.docx"), ".png"),
            (("--timeline", "none/t.json"), "does not exist"),
            (("--subtitles", "missing.srt"), "missing.srt"),
        ],
    )
    def test_options(self, capsys: Capture, arguments: tuple[str, ...], words: str) -> None:
        assert words in self.accelerate(capsys, VIDEO, *arguments)

    def test_output_is_never_the_input_nor_replaced_unasked(self, here: Path, capsys: Capture) -> None:
        copy, link, other = here / "copy.mp4", here / "link.mp4", here / "other.mp4"
        shutil.copy(VIDEO, copy)
        link.symlink_to(copy)
        other.write_bytes(b"precious")
        self.keep(copy, link, other)
        before = copy.read_bytes()
        assert "input" in self.accelerate(capsys, copy, "-o", copy, "--overwrite")
        assert "input" in self.accelerate(capsys, copy, "-o", link, "--overwrite")
        assert "input" in self.accelerate(capsys, copy, "--timeline", copy, "--overwrite")
        assert "--overwrite" in self.accelerate(capsys, copy, "-o", other)
        assert copy.read_bytes() == before
        assert other.read_bytes() == b"precious"

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom permissions bind")
    def test_unwritable_folder(self, here: Path, capsys: Capture) -> None:
        locked = here / "locked"
        locked.mkdir(mode=0o500)
        self.keep(locked)
        assert "not writable" in self.accelerate(capsys, VIDEO, "-o", locked / "out.mp4")

    def test_benchmarks(self, here: Path, capsys: Capture) -> None:
        assert "Unknown benchmark" in refused(capsys, "evaluate", "magic", "--data", here)
        assert "--data must name" in refused(capsys, "evaluate", "youcook2-narrated", "--data", here)


def test_mistakes_that_people_make_get_a_hint(here: Path, capsys: Capture) -> None:
    """A forgotten command, words for a file, a video for a timeline, a misspelt name."""
    assert "Did you mean `saffa accelerate film.mp4`?" in refused(capsys, "film.mp4", "--text", "r.txt")
    assert "See `saffa --help`" in refused(capsys, "shorten")
    assert "--text FILE, or each step with --step TEXT" in refused(capsys, "accelerate", VIDEO)
    assert "--text or --step, not both" in refused(capsys, "accelerate", VIDEO, "--text", RECIPE, "--step", "Stir.")
    assert "See `saffa accelerate --help`" in refused(capsys, "accelerate", "--text", RECIPE)
    assert "pipe them in with --text -" in refused(capsys, "accelerate", VIDEO, "--text", "Flip the pancake.")
    assert "pipe the words" in refused(capsys, "accelerate", VIDEO, "--text", "Flip the pancake. " * 40)
    assert "saffa accelerate --timeline" in refused(capsys, "render", VIDEO, "-o", "a.mp4")
    assert "auto, narrated, narrated-plain, narrated-live, visual" in refused(
        capsys, "accelerate", VIDEO, "--text", RECIPE, "--encoder", "magic"
    )
    assert "medvidqa-half" in refused(capsys, "evaluate", "magic", "--data", here)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("wrong", [("--crf", "999"), ("--preset", "slowest"), ("-o", "a.gif")])
def test_a_dry_run_refuses_what_the_run_would(here: Path, capsys: Capture, wrong: tuple[str, str]) -> None:
    refused(capsys, "accelerate", VIDEO, "--text", RECIPE, "--dry-run", *wrong)
    assert list(here.iterdir()) == []


def test_no_narration_is_said_plainly(here: Path, capsys: Capture) -> None:
    silent = here / "silent.mkv"
    with av.open(str(VIDEO)) as source, av.open(str(silent), "w") as target:
        copied = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = copied
                target.mux(packet)
    for encoder in ("narrated", "fused"):
        unread = ("--encoder", encoder, "--read-screen", "off")
        assert "--subtitles" in refused(capsys, "accelerate", silent, "--text", RECIPE, *unread)
    assert run(["accelerate", str(silent), "--text", str(RECIPE), "--method", "uniform", "--dry-run"]) == 0
    assert run(["align", str(silent), "--text", str(RECIPE), "-o", "a.npz", "--read-screen", "off"]) == 0
    assert Alignment.load(here / "a.npz").encoder == "visual"


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("kind", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_interrupt_leaves_nothing_behind(here: Path, kind: str) -> None:
    command = [sys.executable, "-m", "saffa", "accelerate", str(VIDEO), "--text", str(RECIPE)]
    command += ["--speed", "1.2", "--preset", "veryslow", "-o", "out.mp4"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=here)
    for _ in range(600):  # until it is writing
        if any(here.iterdir()):
            break
        time.sleep(0.1)
    assert process.poll() is None
    process.send_signal(signal.Signals[kind])
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "saffa: Interrupted; nothing was written."
    assert list(here.iterdir()) == []


def test_interrupt_after_the_video_says_what_is_there(
    here: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("saffa.cli.report.plot", stop)
    (here / "old.png").write_text("an older plot")
    command = ["accelerate", str(VIDEO), "--text", str(RECIPE), "--speed", "40", "--audio", "drop", "--overwrite"]
    assert run([*command, "-o", "short.mp4", "--timeline", "run.json", "--plot", "old.png"]) == 130
    said = capsys.readouterr().err
    assert said == "saffa: Interrupted. Finished before: short.mp4, run.json; not written: old.png.\n"
    assert sorted(p.name for p in here.iterdir()) == ["old.png", "run.json", "short.mp4"]
    assert run([*command, "--dry-run", "--plot", "new.png"]) == 130
    assert capsys.readouterr().err == "saffa: Interrupted; nothing was written.\n"


def test_interrupted_training_keeps_its_epochs(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("saffa.cli.main.app", stop)
    assert run(["train", "encoder", "out"]) == 130
    assert "what was finished is kept" in capsys.readouterr().err
    assert run(["align", "a.mp4"]) == 130
    assert "nothing was written" in capsys.readouterr().err


def test_interrupt_inside_compiled_code(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python then reports a SystemError, with the interrupt as its cause, or as the cause of its cause."""
    error: BaseException = KeyboardInterrupt()
    for _ in range(3):
        outer = SystemError("returned a result with an exception set")
        outer.__cause__, error = error, outer

        def stop(*_: object, said: BaseException = error, **__: object) -> None:
            raise said

        monkeypatch.setattr("saffa.cli.main.app", stop)
        assert run(["evaluate", "coin"]) == 130
        assert capsys.readouterr().err == "saffa: Interrupted; nothing was written.\n"


def test_a_slip_in_a_command_is_told_with_one_mark(capsys: Capture) -> None:
    assert "'accelerate'? See `saffa --help`." in refused(capsys, "acelerate", "x")


def test_a_dry_run_writes_only_what_was_asked_for(here: Path, capsys: Capture) -> None:
    command = ["accelerate", str(VIDEO), "--text", str(RECIPE), "--speed", "12", "--dry-run"]
    assert run(command) == 0
    assert capsys.readouterr().out.endswith("dry run: nothing written\n")
    assert list(here.iterdir()) == []
    assert run([*command, "-o", "short.mp4", "--timeline", "run.json"]) == 0
    assert capsys.readouterr().out.endswith("wrote run.json (dry run: no video)\n")
    assert [p.name for p in here.iterdir()] == ["run.json"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
def test_full_disk_leaves_nothing_behind(here: Path) -> None:
    limited = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000));"
        "from saffa.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", limited, "accelerate", str(VIDEO), "--text", str(RECIPE), "-o", "out.mp4"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=here, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(here.iterdir()) == []


def test_version_and_help(capsys: Capture) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("saffa ")
    assert run(["accelerate", "--help"]) == 0
    assert "--balance" in capsys.readouterr().out
    assert run([]) == 2


def test_import_is_quick_and_light() -> None:
    code = "import sys, saffa; print(sorted({m.split('.')[0] for m in sys.modules} & {'torch', 'numba', 'matplotlib'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_subtitles_given_as_a_file_also_leave_as_one(here: Path, capsys: Capture) -> None:
    said = here / "said.srt"
    said.write_text(
        "1\n00:00:30,000 --> 00:00:40,000\nwe boil the water\n\n2\n00:01:30,000 --> 00:01:50,000\nwe pour it\n",
        encoding="utf-8",
    )
    asked = ("--encoder", "narrated", "--subtitles", said, "--speed", "10")
    data = accelerated(capsys, *asked, "-o", "short.mp4")
    assert data["files"] == {"video": "short.mp4", "subtitles": "short.srt"}
    written = (here / "short.srt").read_text(encoding="utf-8")
    assert "we boil the water" in written
    assert "00:01:" not in written  # on the clock of the short video
    with av.open(str(here / "short.mp4")) as movie:
        assert len(movie.streams.subtitles) == 1
    accelerated(capsys, *asked, "-o", "said.mp4", "--overwrite")
    assert "00:01:30,000" in said.read_text(encoding="utf-8")  # an input is never replaced
