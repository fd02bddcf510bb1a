"""`saffa transcribe`: the speech of a video as subtitles, text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from saffa.cli import options as flag

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
    video: flag.VideoFile,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="OUT", help="srt, vtt, txt or json. Default: NAME.srt, here."),
    ] = None,
    model: SpeechModel = None,
    language: Language = None,
    offline: Offline = False,
    no_cache: flag.NoCache = False,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Write down what is said in a video, with times (needs `pip install saffa\\[asr]`)."""
    from saffa.cli import report  # noqa: PLC0415
    from saffa.core.errors import InputError  # noqa: PLC0415
    from saffa.core.whole_file import check_output_file  # noqa: PLC0415
    from saffa.media.probe import probe  # noqa: PLC0415
    from saffa.pipeline.listening import heard_lines  # noqa: PLC0415
    from saffa.speech.transcript_file import check_suffix, save_transcript, to_json  # noqa: PLC0415
    from saffa.storage.store import user_cache  # noqa: PLC0415

    target = output or Path(f"{video.stem}.srt")
    check_suffix(target)
    check_output_file(target, (video,), overwrite)
    with report.progress_bar() as progress:
        probed = probe(video, progress=lambda share: progress("Reading the video", share))
        if not probed.sounds:
            raise InputError(f"{video} has no sound, so there is nothing to write down.")
        cues = heard_lines(probed, model, language, offline, None if no_cache else user_cache(), progress)
    if not cues:
        raise InputError(f"No speech is to be heard in {video}; nothing was written.")
    facts = {"video": str(video), "model": model or "moonshine", "language": language or "en"}
    save_transcript(cues, target, facts)
    words = sum(len(cue.text.split()) for cue in cues)
    report.say(
        to_json(cues, facts | {"output": str(target)}), f"wrote {target}: {len(cues)} lines, {words} words", as_json
    )
