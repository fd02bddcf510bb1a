"""Record what saffa puts out, and compare two records: a change that should change no result can be shown to be one.

    python examples/record_outputs.py record OUT.json [--data DIR] [--part sample|files|benchmarks] [--only PATTERN]...
    python examples/record_outputs.py compare A.json B.json [--except PATTERN]... [--common]

sample      the built-in sample: all encoders and methods, several speeds, two passes and one, bad input
files       every video of DIR/videos with a made text, with and without made subtitles
benchmarks  the first 20 videos of youcook2-narrated (validation) and msvd-long (test), every method and agent

A record maps what was asked for to a hash of the outcome: timelines byte for byte (but for paths), selected frames,
alignments, decoded pictures (written losslessly: x264 is not repeatable otherwise), sound, subtitles, chapters and
messages. Hashes hold on one machine with the same libraries; set OMP_NUM_THREADS=1. `compare` ends with 1 if anything
differs that no PATTERN (as of file names) expects to.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from recorded_runs import (
    SAMPLE,
    Book,
    Record,
    accelerated,
    digest,
    of_alignment,
    of_selection,
    of_timeline,
    piped,
    rendered,
    selected,
)

import saffa

VIDEOS = 20
"""Of each benchmark."""
ONLINE = ("saffa+", "saffa", "sff-rl")
FROM_PICTURES = ("sas", "sasv2", "bot", "non-rl")
METHODS: Mapping[str, Mapping[str, Any]] = {
    "uniform": {"method": "uniform"},
    "plan": {"method": "plan", "balance": 0.0},
    "plan-balanced": {"method": "plan"},
    "plan-shares": {"method": "plan", "balance": 1.0},
    "plan-bounded": {"method": "plan", "min_speed": 2, "max_speed": 40},
    **{name: {"method": name} for name in (*ONLINE, "ffnet", *FROM_PICTURES)},
}
SEEDS = ("", "-1", "-2")
ABLATION = [f"sa{skip}-nrpe{position}-{seed}" for skip in (0, 1) for position in (0, 1) for seed in (0, 1, 2)]
AGENTS: Mapping[str, Sequence[str]] = {
    "narrated": [f"{method}-narrated{seed}" for method in ("saffa", "sff-rl", "ffnet") for seed in SEEDS],
    "msvd-plus": [f"{method}-msvd-long{seed}" for method in ("saffa", "sff-rl", "ffnet") for seed in SEEDS],
    "vdan-plus-msvd": [f"saffa-msvd-vdan-plus{seed}" for seed in SEEDS]
    + [f"ablation/msvd-vdan-plus/{variant}" for variant in ABLATION],
    "vdan-msvd": [f"sff-rl-msvd-vdan{seed}" for seed in SEEDS]
    + [f"ablation/msvd-vdan/{variant}" for variant in ABLATION],
}
"""Agents that come with saffa, by the encoder that they learned from."""
TEXT = ("Place the first thing on the table.", "Move it slowly to the other side.", "Show the finished result.")
SPEECH = ("Hello and welcome to the show.", *TEXT, "I once had a dog.", "Thank you for watching, goodbye.")

BENCHMARKS = (
    ("youcook2-narrated", "validation", ("narrated",)),
    ("msvd-long", "test", ("msvd-plus", "vdan-plus-msvd", "vdan-msvd")),
)
BAD_INPUT = Path(__file__).with_name("bad_input.txt")
SCORES = ("precision", "recall", "f1", "os", "watchable_steps", "op", "os_abs_error")
SCORED = "uniform,ffnet,sas,sasv2,bot,non-rl,sff-rl,saffa,saffa+,plan,plan-balanced,oracle"


def shown_selections(
    benchmark: str, data: Path, split: str, alignments: Mapping[str, saffa.Alignment], speed: float
) -> Iterator[tuple[str, saffa.Selection]]:
    """What the public interface has no name for: the oracle, and BoT with the words of a benchmark's video."""
    from saffa.methods.base import watched  # noqa: PLC0415
    from saffa.research.datasets.registry import WantedVideos, load_videos  # noqa: PLC0415
    from saffa.research.evaluation.score import oracle_alignment, sampler_for  # noqa: PLC0415

    for video in load_videos(benchmark, WantedVideos(data, split)).videos:
        yield f"{video.id}/oracle", sampler_for("oracle").select(oracle_alignment(video), speed)
        bot = watched(sampler_for("bot"), video, video.narration)
        yield f"{video.id}/bot-of-words", bot.select(alignments[video.id], speed)


def note_selections(book: Book, key: str, alignment: saffa.Alignment, speeds: Sequence[float]) -> None:
    """Every method and every agent that learned from the encoder; slow methods at the first speed alone."""
    for speed in speeds:
        for name, wish in METHODS.items():
            if speed == speeds[0] or name not in FROM_PICTURES:
                book.note(f"{key}/{name}@{speed:g}", selected, alignment, speed=speed, **wish)
        for agent in AGENTS.get(alignment.encoder, ()):
            method = next((m for m in ("sff-rl", "ffnet") if agent.startswith(m)), "saffa")
            book.note(f"{key}/{agent}@{speed:g}", selected, alignment, speed=speed, method=method, agent=agent)


def note_video(
    book: Book, key: str, video: Path, text: Path, encoders: Sequence[str], speeds: Sequence[float], **given: Any
) -> None:
    """All ways to shorten a video file: aligned and selected, in two passes, in one, through a pipe."""
    choices = inspect.signature(saffa.accelerate).parameters  # older versions lack some
    once = {"single_pass": True} if "single_pass" in choices else {}
    given |= {"listen": "off"} if "listen" in choices else {}
    speed = speeds[0]
    for encoder in encoders:
        alignment = saffa.align(video, text, encoder=encoder, **given)
        book.note(f"{key}/align-{encoder}", of_alignment, alignment)
        note_selections(book, f"{key}/select-{encoder}", alignment, speeds)
    for method in ("uniform", "plan", *FROM_PICTURES, *ONLINE):
        book.note(f"{key}/plan-of-file/{method}", accelerated, book, video, text, method=method, speed=speed, **given)
    book.note(f"{key}/two-passes/mp4", accelerated, book, video, text, "two.mp4", speed=speed, **given)
    book.note(f"{key}/two-passes/mkv", accelerated, book, video, text, "two.mkv", speed=speeds[1], balance=0.0, **given)
    for encoder in encoders:
        for method in ONLINE if encoder == "narrated" else ONLINE[:1]:
            wish = {"method": method, "encoder": encoder, "speed": speed, **given, **once}
            book.note(f"{key}/one-pass/{method}-{encoder}", accelerated, book, video, text, "one.mp4", **wish)
    flags = [part for name, choice in given.items() for part in (f"--{name}", choice)]
    book.note(f"{key}/pipe", piped, book, video, text, "--method", "saffa+", "--speed", f"{speed:g}", *flags)


def record_sample(book: Book, _: Path) -> None:
    """The built-in sample, other ways to write it, and bad input."""
    video, text = SAMPLE / "video.mp4", SAMPLE / "recipe.txt"
    encoders = ("auto", "narrated", "narrated-live", "visual", "none")
    note_video(book, "sample", video, text, encoders, (8, 3, 4.5, 12, 25, 40))
    book.note("sample/length", accelerated, book, video, text, length=30)
    for audio in ("mute", "drop"):
        book.note(f"sample/render-{audio}", rendered, book, crf=0, preset="ultrafast", audio=audio)
    book.note("sample/render-mpeg4", rendered, book, codec="mpeg4", crf=1)
    book.note("demo/told", book.command, "demo")
    book.note("demo/timeline", of_timeline, book.work / "saffa-demo.json", video)
    note_bad_input(book, video, text)


def note_bad_input(book: Book, video: Path, text: Path) -> None:
    """What the command line answers to what it cannot do; names are those of files in the work folder."""
    files = {
        "text.txt": text.read_bytes(),
        "empty.txt": b"",
        "dots.txt": b"... !!! ...",
        "noise.txt": bytes(range(256)),
    }
    files |= {"empty.mp4": b"", "text.mp4": text.read_bytes(), "cut.mp4": video.read_bytes()[:200_000]}
    files |= {"video.mp4": video.read_bytes(), "there.mp4": b"kept", "bad.json": b"{", "other.json": b'{"schema": 1}'}
    for name, data in files.items():
        (book.work / name).write_bytes(data)
    for line in BAD_INPUT.read_text().splitlines():
        words = line.split()
        if words[0] == "accelerate" and "--text" not in words and "no-text" not in words:
            words += ["--text", "text.txt"]
        book.note(f"bad/{line}", book.command, *(word for word in words if word != "no-text"))


def record_files(book: Book, data: Path) -> None:
    """Every real video, with a made text, with and without made subtitles."""
    text, subtitles = book.work / "made.txt", book.work / "made.srt"
    text.write_text("\n".join(TEXT))
    for video in sorted(path for path in (data / "videos").iterdir() if path.suffix in (".mp4", ".mkv", ".avi")):
        seconds = json.loads((data / "videos/videos.json").read_text())[video.name]["seconds"]
        subtitles.write_text(made_subtitles(float(seconds)))
        note_video(book, f"{video.name}/silent", video, text, ("auto", "none"), (4, 9))
        note_video(book, f"{video.name}/narrated", video, text, ("auto", "narrated"), (4, 9), subtitles=subtitles)


def made_subtitles(seconds: float) -> str:
    """SPEECH spread over a video of so many seconds, as srt."""
    step = seconds / len(SPEECH)
    spans = [(k * step, (k + 0.8) * step) for k in range(len(SPEECH))]
    clock = [[f"00:{t // 60:02.0f}:{int(t % 60):02d},{int(t % 1 * 1000):03d}" for t in span] for span in spans]
    return "\n".join(f"{k + 1}\n{clock[k][0]} --> {clock[k][1]}\n{line}\n" for k, line in enumerate(SPEECH))


def record_benchmarks(book: Book, data: Path) -> None:
    """The first videos of each benchmark: alignments, selections, and the scores of `saffa evaluate`."""
    few = few_videos(data, book.work / "few")
    speeds = (12, 5)
    for benchmark, split, encoders in BENCHMARKS:
        for encoder in encoders:
            key, store = f"{benchmark}/{encoder}", book.work / f"{benchmark}-{encoder}"
            chosen = ("--data", few, "--split", split, "--encoder", encoder)
            book.note(f"{key}/extract", book.command, "data", "extract", benchmark, *chosen, "--store", store)
            files = sorted(store.glob("sets/*/*.npz"))
            alignments = {path.stem: saffa.Alignment.load(path) for path in files}
            for video, alignment in alignments.items():
                book.note(f"{key}/{video}/alignment", of_alignment, alignment)
                note_selections(book, f"{key}/{video}", alignment, speeds)
            if encoder == encoders[0]:
                for name, selection in shown_selections(benchmark, few, split, alignments, speeds[0]):
                    book.note(f"{key}/{name}", of_selection, selection)
                book.note(f"{key}/evaluate", scores, book, benchmark, *chosen, "--methods", SCORED, "--auc")


def few_videos(data: Path, folder: Path) -> Path:
    """A data folder with the first videos of each benchmark."""
    for part in ("youcook2_narrated", "msvd_long"):
        (folder / part).mkdir(parents=True)
    (folder / "msvd").symlink_to(data / "msvd")
    narrated = Path("youcook2_narrated/youcook2_narrated.json")
    videos = json.loads((data / narrated).read_text())["videos"]
    kept = [name for name, facts in videos.items() if facts["subset"] == "validation"][:VIDEOS]
    (folder / narrated).write_text(json.dumps({"videos": {name: videos[name] for name in kept}}))
    long = Path("msvd_long/msvd_long_test.json")
    facts = json.loads((data / long).read_text())
    (folder / long).write_text(json.dumps({**facts, "videos": facts["videos"][:VIDEOS]}))
    return folder


def scores(book: Book, *arguments: str | Path) -> Record:
    """What `saffa evaluate` writes, without times."""
    told = book.command("evaluate", *arguments, "--json", "scores.json")
    report = json.loads((book.work / "scores.json").read_text())
    # Means are rounded: the last bits of a sum are nobody's promise.
    rows = {row["method"]: [float(f"{row[name]:.10g}") for name in ("auc", "n", *SCORES)] for row in report["rows"]}
    each = {}
    for method, videos in report["per_video"].items():
        kept = {video: {name: found[name] for name in SCORES} for video, found in videos.items()}
        each[f"{method}/videos"] = digest(json.dumps(kept))
    return {"told": told, **rows, **each}


def record(out: Path, data: Path, part: str | None, only: Sequence[str]) -> None:
    """Make a record in an empty folder, with a cache of its own."""
    parts = {"sample": record_sample, "files": record_files, "benchmarks": record_benchmarks}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SAFFA_CACHE"] = str(Path(folder).resolve() / "cache")
        os.environ["COLUMNS"] = "400"
        book = Book(Path(folder).resolve(), only)
        try:
            for name in [part] if part else parts:
                parts[name](book, data.resolve())
        finally:  # also what was recorded before Ctrl-C
            out.write_text(json.dumps(book.entries, indent=0, ensure_ascii=False) + "\n")


def compare(before: Path, after: Path, expected: Sequence[str], common: bool) -> int:
    """Print what differs; 1 if it was not expected."""
    old, new = (json.loads(path.read_text()) for path in (before, after))
    asked = old.keys() & new.keys() if common else old.keys() | new.keys()
    differing = [key for key in sorted(asked) if old.get(key) != new.get(key)]
    told = {key for key in differing if any(fnmatchcase(key, pattern) for pattern in expected)}
    for key in differing:
        print(f"{'expected' if key in told else 'DIFFERS '}  {key}\n  - {old.get(key)}\n  + {new.get(key)}")
    same = len(asked) - len(differing)
    print(f"{same} equal, {len(told)} differ as expected, {len(differing) - len(told)} differ.")
    return int(len(differing) > len(told))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("record")
    making.add_argument("out", type=Path)
    making.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared/data")
    making.add_argument("--part", choices=("sample", "files", "benchmarks"))
    making.add_argument(
        "--only", action="append", metavar="PATTERN", help="record what has such a name, such as '*/pipe'"
    )
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--except", dest="expected", action="append", default=[], metavar="PATTERN")
    comparing.add_argument("--common", action="store_true", help="leave out what only one of the records has")
    chosen = parser.parse_args()
    if chosen.command == "compare":
        sys.exit(compare(chosen.before, chosen.after, chosen.expected, chosen.common))
    record(chosen.out, chosen.data, chosen.part, chosen.only or ["*"])


if __name__ == "__main__":
    main()
