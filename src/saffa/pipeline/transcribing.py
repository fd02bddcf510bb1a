"""From a video file to a file of what is said in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saffa.core.errors import InputError
from saffa.core.types import Progress
from saffa.core.whole_file import check_output_file
from saffa.media.probe import probe
from saffa.pipeline.listening import heard_lines, where_it_stops
from saffa.pipeline.request import silent
from saffa.speech.backend import model_for
from saffa.speech.transcript import check_suffix, save_transcript, to_json
from saffa.storage.store import user_cache


@dataclass(frozen=True)
class Spoken:
    """A video whose speech is wanted as a file: srt, vtt, txt or json."""

    video: Path
    output: Path
    model: str | None = None
    language: str | None = None
    offline: bool = False
    cache: bool = True

    def check(self, overwrite: bool) -> None:
        """InputError if the file cannot or must not be written."""
        check_suffix(self.output)
        check_output_file(self.output, (self.video,), overwrite)


def transcribe_file(task: Spoken, progress: Progress = silent) -> dict[str, Any]:
    """Write down what is said; what was written as JSON."""
    probed = probe(task.video, progress=lambda share: progress("Reading the video", share))
    if not probed.sounds:
        raise InputError(f"{task.video} has no sound, so there is nothing to write down.")
    store = user_cache() if task.cache else None
    cues = heard_lines(probed, task.model, task.language, task.offline, store, progress)
    if not cues:
        raise InputError(f"No speech is to be heard in {task.video}; nothing was written.")
    model = model_for(task.model, task.language)
    facts = {
        "video": str(task.video),
        "model": model,
        "language": task.language or ("en" if model == "moonshine" else ""),
    }
    save_transcript(cues, task.output, facts)
    return to_json(cues, facts | {"output": str(task.output), "stops": where_it_stops(cues, probed).strip(", ")})


def transcribe_one(task: Spoken) -> int:
    """One of many: how many lines were written."""
    return len(transcribe_file(task)["lines"])
