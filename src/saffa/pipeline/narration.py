"""What is said in a video: its subtitles, or, where it has none, what can be heard; and what is written on its screen.

The screen is read where that is worth its time. What is heard can also be written to a file of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from saffa.core.clock import format_length
from saffa.core.document import Document
from saffa.core.errors import InputError, SaffaError
from saffa.core.strict_json import json_text
from saffa.core.types import Progress
from saffa.core.video import Cue, Narration, Video
from saffa.core.whole_file import check_output_file
from saffa.encoders.words import words
from saffa.media.probe import probe
from saffa.media.subtitles.lines import find_narration
from saffa.pipeline.request import Listen, ReadScreen, silent
from saffa.pipeline.worker_process import kept, run_in_worker
from saffa.screens.ocr import NO_OCR, can_read
from saffa.screens.screen_text import Glance, ScreenText, glance, looks_written, read_screen
from saffa.speech.backend import NO_BACKEND, can_listen, load_listener, model_for
from saffa.speech.transcript import check_suffix, informative, load_kept, save_transcript, to_json, transcribe
from saffa.storage.fingerprint import fingerprint
from saffa.storage.store import Store, user_cache

VERSION = 3
"""Changes when the same sound gives another transcript, so that what was kept before is not used again."""
HELP = "no subtitles: give them with --subtitles, or install saffa[asr] so that the speech can be heard"
STAGE = "Listening"
AT_ONCE = 3600
"""Seconds of sound that one process listens to."""
_BREAKS_OFF = Fraction(2, 3)  # of the video; where speech ends before that, the sound may be broken


@dataclass(frozen=True)
class Said:
    """The narration, with one line about where it comes from; `heard` if from the sound.

    It may hold lines read off the screen too; `others` tells of them.
    """

    narration: Narration | None
    note: str = ""
    heard: bool = False
    others: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes that there are."""
        return (*((self.note,) if self.note else ()), *self.others)

    @property
    def subtitles(self) -> Narration | None:
        """Lines to show to the viewer: what was heard may hold mistakes, and what is on the screen is there anyway."""
        return None if self.heard or self.narration is None else self.narration.spoken


def find_said(video: Video, subtitles: Path | None, listen: Listen, cache: bool, progress: Progress) -> Said:
    """Subtitles if there are any, else the speech, as far as `listen` allows and a recogniser is installed."""
    found = find_narration(video, subtitles) if listen != "on" or subtitles is not None else None
    if found is not None or listen == "off":
        return Said(found)
    if not video.sounds:
        return Said(None, f"{'no sound' if listen == 'on' else 'no subtitles and no sound'}: the pictures alone decide")
    if not can_listen():
        if listen == "on":
            raise InputError(NO_BACKEND)
        return Said(None, HELP)
    cues = heard_lines(video, None, None, False, user_cache() if cache else None, progress)
    if not cues:
        missing = "no speech to be heard" if listen == "on" else "no subtitles, and no speech to be heard"
        return Said(None, f"{missing}: the pictures alone decide")
    heard = f"heard {len(cues)} {'line' if len(cues) == 1 else 'lines'}{where_it_stops(cues, video)}"
    note = heard if listen == "on" else f"no subtitles: {heard}"
    return Said(Narration.of_lines(cues, "speech"), note, heard=True)


def where_it_stops(cues: Sequence[Cue], video: Video) -> str:
    """`, none after 0:20` where the speech ends long before the video: its sound may be broken. Else nothing."""
    last = max(cue.end for cue in cues)
    return f", none after {format_length(last)}" if last < _BREAKS_OFF * video.duration else ""


def heard_lines(
    video: Video, model: str | None, language: str | None, offline: bool, store: Store | None, progress: Progress
) -> list[Cue]:
    """Lines of speech, kept for the next time.

    Each hour is listened to in a process of its own, whose memory is given back: recognisers keep some of the sound.
    What was heard of a film before it was interrupted is not listened to again.
    """
    hours = range(max(1, -int(-video.duration // AT_ONCE)))
    if store is None:
        return [
            cue for hour in hours for cue in run_in_worker(listen_to, progress, video, model, language, offline, hour)
        ]
    content = store.content_of(video.path)
    found: list[Cue] = []
    for hour in hours:
        name = f"transcript-{fingerprint(VERSION, content, model, language, hour)[:40]}.json"
        known = store.recall(name, load_kept)
        if known is None:
            known = run_in_worker(listen_to, progress, video, model, language, offline, hour)
            store.keep(name, partial(Path.write_text, data=json_text(to_json(known)), encoding="utf-8"))
        found += known
    return found


def listen_to(
    progress: Progress, video: Video, model: str | None, language: str | None, offline: bool, hour: int
) -> list[Cue]:
    """Lines of speech of one hour of the film, heard in this process."""
    progress(STAGE, min(1.0, hour * AT_ONCE / float(video.duration)) if video.duration else 0.0)
    listener = kept(("listener", model, language, offline), lambda: load_listener(model, language, offline))
    hours = float(hour * AT_ONCE), float((hour + 1) * AT_ONCE)
    last = hours[1] >= video.duration  # sound that is longer than the pictures belongs to the last hour
    within = (hours[0], float("inf") if last else hours[1])
    return transcribe(video, listener, lambda share: progress(STAGE, share), within)


def narration_as_text(video: Video, said: Said) -> Document:
    """The most informative sentences of the narration, for a video that comes without a text."""
    if said.narration is None or said.narration.spoken is None:
        raise InputError(
            "Nothing is said in this video, so its narration cannot be the text. Give --text FILE or --step."
        )
    return informative(said.narration.spoken.cues, float(video.duration))


SCREEN_VERSION = 2
"""Changes when the same pictures give other lines, so that what was kept before is not used again."""
SCREEN_HELP = "the pictures show text: install saffa[ocr] so that it can be read"
SCREEN_STAGE = "Reading the screen"
_TOLD = 0.05  # share of the video that was left unread from which on it is told
_TALKS = 0.5  # words a second from which on subtitles tell enough by themselves


def with_screen(video: Video, said: Said, wish: ReadScreen, cache: bool, progress: Progress) -> Said:
    """What is said, and the lines on the screen: on demand, or by itself where subtitles are missing or say little."""
    if wish == "off" or (wish == "auto" and not said.heard and _tells_enough(said.narration, video)):
        return said
    if not can_read():
        if wish == "on":
            raise InputError(NO_OCR)
        needs_help = said.narration is None and looks_written(glance(video))
        return replace(said, others=(SCREEN_HELP,)) if needs_help else said
    try:
        seen = screen_text(video, wish == "on", user_cache() if cache else None, progress)
    except SaffaError as error:
        if wish == "on" or isinstance(error, InputError):
            raise
        return replace(said, others=(f"the screen was not read: {error}",))
    lines = seen.lines
    if not lines:
        return replace(said, others=("no text on the screen",)) if wish == "on" else said
    told = f"read {len(lines)} {'line' if len(lines) == 1 else 'lines'} on the screen"
    if seen.unread > _TOLD * float(video.duration):
        told += f"; it changes too fast to read all of it: {seen.unread:.0f} s were passed over"
    return replace(
        said,
        narration=Narration.of_lines(
            [*(said.narration.cues if said.narration else ()), *lines],
            said.narration.source if said.narration else "screen",
            said.narration.file if said.narration else None,
        ),
        note="" if said.narration is None else said.note,
        others=(told,),
    )


def _tells_enough(narration: Narration | None, video: Video) -> bool:
    spoken = sum(len(words(cue.text)) for cue in narration.cues) if narration is not None else 0
    return spoken > _TALKS * float(video.duration)


def screen_text(video: Video, asked: bool, kept: Store | None, progress: Progress) -> ScreenText:
    """Lines on the screen, kept for the next time; `asked`: also in a film that hardly has any."""
    if kept is None:
        return _look(video, asked, progress)
    name = f"screen-{fingerprint(SCREEN_VERSION, kept.content_of(video.path), asked)[:40]}.json"
    known = kept.recall(name, _load)
    if known is None:
        known = _look(video, asked, progress)
        text = json_text(to_json(known.lines, {"unread": known.unread}))
        kept.keep(name, lambda part: part.write_text(text, encoding="utf-8"))
    return known


def _load(path: Path) -> ScreenText:
    lines = [replace(cue, kind="shown") for cue in load_kept(path)]
    return ScreenText(lines, float(json.loads(path.read_text("utf-8"))["unread"]))


def _look(video: Video, asked: bool, progress: Progress) -> ScreenText:
    """A glance here; where it finds letters, a reader in a process of its own, whose memory is given back."""
    seen = glance(video)
    return run_in_worker(read_from, progress, video, seen, asked) if asked or looks_written(seen) else ScreenText([])


def read_from(progress: Progress, video: Video, seen: Glance, asked: bool) -> ScreenText:
    """Lines on the screen, read in this process."""
    progress(SCREEN_STAGE, 0.0)
    return read_screen(video, seen, asked=asked, progress=lambda share: progress(SCREEN_STAGE, share))


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
    """Write the transcript of one of many videos; how many lines were written."""
    return len(transcribe_file(task)["lines"])
