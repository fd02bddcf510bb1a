"""Runs of saffa and short, readable hashes of what they give: how much of it there is, and whether it is the same."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import av
import numpy as np

import saffa

SAMPLE = Path(saffa.__file__).parent / "sample"
TIMELINE = [
    "schema",
    "source",
    "document",
    "method",
    "encoder",
    "target_speed",
    "speed",
    "frames",
    "segments",
    "subtitles",
    "holds",
]
LOSSLESS = saffa.RenderOptions(crf=0, preset="ultrafast", overwrite=True)

Record = dict[str, Any]


class Book:
    """The record being made. What fails is recorded as its kind of error, so that it does not hide the rest."""

    def __init__(self, work: Path, only: Sequence[str]) -> None:
        self.entries: Record = {}
        self.work, self._only = work, only
        self._began = time.monotonic()

    def note(self, key: str, make: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        """Record what `make` gives, one outcome or a mapping of several, if it is asked for."""
        if not any(fnmatchcase(key, pattern) for pattern in self._only):
            return
        try:
            outcome = make(*arguments, **named)
        except Exception as error:
            outcome = type(error).__name__
            print(error, file=sys.stderr)
        for name, value in (outcome if isinstance(outcome, dict) else {"": outcome}).items():
            self.entries[f"{key}/{name}" if name else key] = value
        print(f"{time.monotonic() - self._began:7.1f} s  {key}", file=sys.stderr)

    def without_paths(self, text: str) -> str:
        """Machines and copies of the code differ in where things are."""
        for folder in (self.work, SAMPLE, SAMPLE.parent):
            text = text.replace(f"{folder}/", "").replace(str(folder), ".")
        return " ".join(text.split())

    def new_file(self, name: str) -> Path:
        """Where to write a movie; what an earlier run left under its name is gone."""
        for old in self.work.glob(f"{Path(name).stem}.*"):
            old.unlink()
        return self.work / name

    def command(self, *arguments: str | Path, stdin: bytes = b"") -> str:
        """Run the command line in the work folder; its exit code and what it says on standard error."""
        line = [sys.executable, "-m", "saffa", *map(str, arguments)]
        done = subprocess.run(line, input=stdin, capture_output=True, cwd=self.work, check=False)
        return f"{done.returncode}: {self.without_paths(done.stderr.decode(errors='replace'))}"


def digest(*parts: bytes | str) -> str:
    """A short hash."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.encode() if isinstance(part, str) else part)
    return whole.hexdigest()[:20]


def of_selection(selection: saffa.Selection) -> str:
    """Method, number of frames and their hash."""
    return f"{selection.method}: {len(selection.frames)} frames {digest(np.int64(selection.frames).tobytes())}"


def of_alignment(found: saffa.Alignment) -> str:
    """Encoder, size and hash of all that is in it."""
    arrays = [a.tobytes() for a in (found.times, found.relevance, found.sentence_weights, found.e_v, found.e_d)]
    facts = f"{found.frames} {found.rate} {found.document} {found.e_v.dtype}"
    return f"{found.encoder}: {len(found.times)} times {digest(facts, *arrays)}"


def of_timeline(path: Path, *sources: Path) -> str:
    """The file byte for byte as its version 1 had it, but for the folders of the files that it names."""
    told = json.loads(path.read_text())
    given = told["subtitles"]
    told |= {
        "schema": "saffa.timeline/1",
        "source": {name: told["source"][name] for name in ("path", "sha256", "frames", "rate", "duration")},
        "subtitles": given["path"] if isinstance(given, dict) else given,
    }
    data = json.dumps({name: told[name] for name in TIMELINE if name in told}, indent=1, ensure_ascii=False) + "\n"
    for source in sources:
        data = data.replace(str(source.resolve().parent), "")
    return f"{len(data.encode())} bytes {digest(data)}"


def of_movie(path: Path) -> Record:
    """Decoded pictures and sound with their times, subtitles, chapters, and a subtitle file beside the movie."""
    hashes = {kind: hashlib.sha256() for kind in ("video", "audio", "subtitle")}
    counts = Counter[str]()
    movie: Any
    with av.open(str(path)) as movie:
        chapters = str([(c["start"] * c["time_base"], c["metadata"].get("title")) for c in movie.chapters()])
        for packet in movie.demux():
            kind = packet.stream.type
            if kind == "subtitle" and packet.size:
                counts[kind] += 1
                hashes[kind].update(f"{packet.pts} {packet.duration}".encode() + bytes(packet))
            for frame in packet.decode() if kind in ("video", "audio") else ():
                counts[kind] += 1
                about = f"{frame.pts * frame.time_base} {frame.format.name}"
                hashes[kind].update(about.encode() + frame.to_ndarray().tobytes())
    found: Record = {kind: f"{counts[kind]} {whole.hexdigest()[:20]}" for kind, whole in hashes.items() if counts[kind]}
    texts = [file for file in sorted(path.parent.glob(f"{path.stem}.*")) if file.suffix in (".srt", ".vtt", ".ass")]
    return {
        **found,
        "chapters": digest(chapters),
        **{f"beside{file.suffix}": digest(file.read_bytes()) for file in texts},
    }


def accelerated(book: Book, video: Path, text: Path, name: str = "", **wish: Any) -> Record:
    """A run of `saffa.accelerate`; with the name of an output the movie too."""
    target = book.new_file(name) if name else None
    made = saffa.accelerate(video, text, output=target, options=LOSSLESS, **wish)
    made.timeline.save(book.work / "timeline.json")
    found: Record = {
        "timeline": of_timeline(book.work / "timeline.json", video, wish.get("subtitles", video)),
        "selection": of_selection(made.selection),
        "alignment": of_alignment(made.alignment),
        "warnings": [book.without_paths(warning) for warning in made.warnings],
    }
    if target is None or made.rendered is None:
        return found
    told = [book.without_paths(line) for line in (*made.rendered.warnings, *made.rendered.notes)]
    return {**found, **of_movie(target), "told": told}


def rendered(book: Book, **options: Any) -> Record:
    """The timeline that was made last, rendered again."""
    target = book.new_file("again.mp4")
    saffa.render(book.work / "timeline.json", target, options=saffa.RenderOptions(**options))
    return of_movie(target)


def piped(book: Book, video: Path, text: Path, *flags: str | Path) -> Record:
    """A run that reads the video from standard input, which it can do only once."""
    movie = book.new_file("piped.mkv")
    chosen = ("--crf", "0", "--preset", "ultrafast", "-o", movie, "--timeline", "piped.json", *flags)
    told = book.command("accelerate", "-", "--text", text, *chosen, stdin=video.read_bytes())
    if not movie.exists():
        return {"told": told}
    return {"told": told, "timeline": of_timeline(book.work / "piped.json", text), **of_movie(movie)}


def selected(alignment: saffa.Alignment, **wish: Any) -> str:
    """What a method chooses of an alignment."""
    return of_selection(saffa.select(alignment, **wish))
