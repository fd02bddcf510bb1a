"""`saffa transcribe`: the speech of one or many videos as subtitles, text or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from saffa.cli import options as flag
from saffa.core.errors import InputError

SpeechModel = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME|PATH",
        help="moonshine (English), or a model of faster-whisper: whisper:small, a folder.",
    ),
]
Language = Annotated[
    str | None, typer.Option("--language", metavar="CODE", help="What is spoken: en, de, fr, … Default: English.")
]
Offline = Annotated[bool, typer.Option("--offline", help="Download nothing: the model must be there.")]


def transcribe(
    videos: Annotated[list[Path], typer.Argument(metavar="VIDEO...", help="The video file, or several.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="srt, vtt, txt or json; of several videos a folder. Default: NAME.srt, here.",
        ),
    ] = None,
    model: SpeechModel = None,
    language: Language = None,
    offline: Offline = False,
    to: Annotated[
        Literal["srt", "vtt", "txt", "json"], typer.Option("--to", help="The format, of several videos.")
    ] = "srt",
    jobs: flag.Jobs = None,
    ray: flag.RayAddress = None,
    no_cache: flag.NoCache = False,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Write down what is said in a video, with times (needs `pip install saffa\\[asr]`).

    Of several videos, those whose transcript is there are passed over, and one that fails does not stop the others.
    """
    from saffa.cli import report  # noqa: PLC0415
    from saffa.pipeline.narration import Spoken, transcribe_file  # noqa: PLC0415

    if len(videos) == 1:
        task = Spoken(videos[0], output or Path(f"{videos[0].stem}.srt"), model, language, offline, not no_cache)
        task.check(overwrite)
        with report.progress_bar() as progress:
            facts = transcribe_file(task, progress)
        stops = f", {facts['stops']}: the sound may break off" if facts["stops"] else ""
        lines = f"{len(facts['lines'])} line{'s' if len(facts['lines']) > 1 else ''}"
        news = f"wrote {task.output}: {lines}, {_words(facts)} words{stops}"
        report.say(facts, news, as_json)
        return
    tasks = [
        Spoken(video, (output or Path()) / f"{video.stem}.{to}", model, language, offline, not no_cache)
        for video in videos
    ]
    _transcribe_all(tasks, output, jobs, ray, overwrite, as_json)


def _transcribe_all(
    tasks: Sequence[Any], folder: Path | None, jobs: int | None, ray: str | None, overwrite: bool, as_json: bool
) -> None:
    from saffa.cli import report  # noqa: PLC0415
    from saffa.core.whole_file import check_distinct  # noqa: PLC0415
    from saffa.pipeline.engine import answers_of  # noqa: PLC0415
    from saffa.pipeline.narration import transcribe_one  # noqa: PLC0415
    from saffa.scale.engines import engine_for, limits_of  # noqa: PLC0415

    if folder is not None:
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; several transcripts need a folder.")
        folder.mkdir(parents=True, exist_ok=True)
    check_distinct([task.output for task in tasks])
    todo = [task for task in tasks if overwrite or not task.output.exists()]
    for task in todo:
        task.check(overwrite)
    with report.progress_bar() as progress:
        engine = engine_for(jobs, ray, limits_of(None, None))
        answers = answers_of(engine, transcribe_one, todo, lambda share: progress("Listening", share))
    results = []
    for task, answer in zip(todo, answers, strict=True):
        reason = "" if answer.error is None else " ".join(str(answer.error).split())
        results.append({"video": str(task.video), "output": str(task.output), "lines": answer.value, "reason": reason})
        told = reason or f"{answer.value} lines"
        report.say({}, f"{task.video}: {told}", False) if not as_json else None
    failed = sum(bool(one["reason"]) for one in results)
    counts = {"done": len(todo) - failed, "skipped": len(tasks) - len(todo), "failed": failed}
    news = f"{counts['done']} done, {counts['skipped']} were there, {failed} failed"
    report.say(counts | {"results": results}, news, as_json)
    if failed:
        raise typer.Exit(1)


def _words(facts: dict[str, Any]) -> int:
    return sum(len(line["text"].split()) for line in facts["lines"])
