"""The jobs of a batch, read from a list or a folder and checked before any work."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from saffa.core.document import decode_text, read_bytes
from saffa.core.errors import InputError
from saffa.core.video import NARRATION
from saffa.core.whole_file import check_name, file_sha256
from saffa.media.subtitles.lines import Sidecars
from saffa.media.writer import WRAPPERS, check_choice
from saffa.scale.choices import COLUMNS, BatchChoices
from saffa.storage.fingerprint import fingerprint

RESULTS = "results.jsonl"
FILES = ("video", "text", "subtitles", "output")
_VIDEOS = [
    ".mp4",
    ".m4v",
    ".mov",
    ".mkv",
    ".webm",
    ".avi",
    ".flv",
    ".wmv",
    ".asf",
    ".mpg",
    ".mpeg",
    ".ts",
    ".m2ts",
    ".mts",
    ".ogv",
    ".3gp",
    ".mxf",
    ".vob",
]
_TEXTS = [".txt", ".md", ".markdown", ".html", ".htm", ".mhtml", ".docx", ".pdf", ".json", ".srt", ".vtt"]


@dataclass(frozen=True)
class BatchJob:
    """One video to shorten. `text` is a file or the word narration; `subtitles` may be None."""

    video: Path
    text: str
    output: Path
    subtitles: Path | None = None
    choices: BatchChoices = field(default_factory=BatchChoices)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Every file that is read, also subtitles found beside the video."""
        return self.inputs_among(Sidecars())

    def inputs_among(self, sidecars: Sidecars) -> tuple[Path, ...]:
        """The same for one of many jobs."""
        spoken = self.subtitles or sidecars.of(self.video)
        text = () if self.text == NARRATION else (Path(self.text),)
        return (self.video, *text, *([spoken] if spoken else []))

    def key(self) -> str:
        """Hash of what is read and of the choices: jobs with the same one make the same video."""
        read = tuple(file_sha256(path) for path in self.inputs)
        return fingerprint(self.choices, self.text == NARRATION, read, self.output.suffix.lower())

    def check(self) -> None:
        """InputError for files that are missing and choices that cannot be."""
        text = () if self.text == NARRATION else (Path(self.text),)
        for path in (self.video, *text, *([self.subtitles] if self.subtitles else [])):
            if not path.is_file():
                raise InputError(f"There is no file {path}.")
        self.choices.check()
        check_name(self.output)
        check_choice(self.output, self.choices.codec, self.choices.crf, self.choices.preset)


@dataclass(frozen=True)
class Texts:
    """Where the text of a video comes from: one for all, or a folder with a file of the video's name."""

    file: str | None = None
    folder: Path | None = None

    def of(self, video: Path) -> str:
        """The text of a video; InputError if there is none or more than one."""
        if self.file is not None:
            return self.file
        if self.folder is None:
            raise InputError(f"There is no text for {video}. Give --text FILE or --text-dir DIR.")
        if not self.folder.is_dir():
            raise InputError(f"There is no folder {self.folder} (--text-dir).")
        found = [path for suffix in _TEXTS if (path := self.folder / f"{video.stem}{suffix}").is_file()]
        if len(found) != 1:
            several = f"several texts ({', '.join(path.name for path in found)})" if found else "no text"
            raise InputError(
                f"There is {several} for {video} in {self.folder}; one {video.stem}.txt (or md, …) is needed."
            )
        return str(found[0])


def read_jobs(source: Path, texts: Texts, choices: BatchChoices, out: Path) -> tuple[BatchJob, ...]:
    """The jobs of a folder or a list, every one checked."""
    if texts.file is not None and texts.folder is not None:
        raise InputError("Give --text or --text-dir, not both.")
    jobs = _of_folder(source, texts, choices, out) if source.is_dir() else _of_list(source, texts, choices, out)
    read = {path.resolve() for path in inputs_of(jobs)}
    seen: dict[Path, BatchJob] = {}
    for job in jobs:
        place = job.output.resolve()
        if place in seen:
            raise InputError(
                f"{seen[place].video} and {job.video} have one output, {job.output}; name another in a list."
            )
        if place in read:
            raise InputError(
                f"{job.output} is an input itself; saffa never writes over what it reads. Choose another -o."
            )
        seen[place] = job
    return jobs


def inputs_of(jobs: Iterable[BatchJob]) -> Iterator[Path]:
    """Every file that jobs read."""
    sidecars = Sidecars()
    for job in jobs:
        yield from job.inputs_among(sidecars)


def _of_folder(folder: Path, texts: Texts, choices: BatchChoices, out: Path) -> tuple[BatchJob, ...]:
    if out.resolve() == folder.resolve():
        raise InputError("Videos are read from and written to one folder; give another one with -o.")
    named = (p for p in folder.iterdir() if p.suffix.lower() in _VIDEOS and not p.name.startswith("."))
    videos = sorted(p for p in named if p.is_file() or not p.exists())  # no pipes; a link to nothing is told
    if not videos:
        raise InputError(f"There are no videos in {folder}.")
    jobs = tuple(BatchJob(video, texts.of(video), out / _short(video), choices=choices) for video in videos)
    for job in jobs:
        job.check()
    return jobs


def _of_list(path: Path, texts: Texts, choices: BatchChoices, out: Path) -> tuple[BatchJob, ...]:
    rows = _rows(path)
    jobs = []
    for line, row in rows:
        try:
            job = _of_row(row, path.parent, texts, choices, out)
            job.check()
        except (InputError, ValueError, OSError) as error:  # OSError: a name that no file can have
            raise InputError(f"{path}, line {line}: {str(error)[:500]}") from None
        jobs.append(job)
    if not jobs:
        raise InputError(f"{path} lists no videos.")
    return tuple(jobs)


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """(line number, cells by column) of a list separated by commas, semicolons or tabs."""
    text = decode_text(read_bytes(path, "list of videos"), str(path))
    head = text.partition("\n")[0]
    reader = csv.reader(StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True)
    try:
        columns = [name.strip().lower().replace("-", "_") for name in next(reader, [])]
        _check_columns(path, columns)
        rows = []
        for cells in reader:
            if len(cells) > len(columns):
                raise InputError(f"{path}, line {reader.line_num}: more cells than columns; quote cells with commas.")
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, dict(zip(columns, (cell.strip() for cell in cells), strict=False))))
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}.") from None
    return rows


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    if "video" not in columns:
        raise InputError(f"{path} has no column video; its first line must name the columns.")
    for name in columns:
        if name not in FILES + COLUMNS:
            raise InputError(f"{path}: column {name[:40]!r} is not known; use {', '.join(FILES + COLUMNS)}.")
        if columns.count(name) > 1:
            raise InputError(f"{path}: there are two columns {name}.")


def _of_row(row: Mapping[str, str], folder: Path, texts: Texts, choices: BatchChoices, out: Path) -> BatchJob:
    """A job; paths in a list count from its folder, and outputs are names in the folder of outputs."""
    if not row.get("video"):
        raise InputError("There is no video.")
    video, text, name = folder / row["video"], row.get("text"), row.get("output")
    if name and (name != Path(name).name or "\\" in name or name.startswith(".")):
        raise InputError(f"The output {name} must be a plain file name; all outputs go to the folder of -o.")
    if text and text != NARRATION:
        text = str(folder / text)
    return BatchJob(
        video,
        text or texts.of(video),
        out / (name or _short(video)),
        folder / row["subtitles"] if row.get("subtitles") else None,
        choices.changed(row),
    )


def _short(video: Path) -> str:
    suffix = video.suffix.lower()
    return f"{video.stem}-short{suffix if suffix in WRAPPERS else '.mp4'}"
