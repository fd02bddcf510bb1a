"""Text on the screen of a video beside what is said in it, where that is worth its time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from saffa.core.errors import InputError, SaffaError
from saffa.core.strict_json import json_text
from saffa.core.types import Progress
from saffa.core.video import Narration, Video
from saffa.encoders.words import words
from saffa.pipeline.listening import Said
from saffa.pipeline.request import ReadScreen
from saffa.pipeline.worker_process import run_in_worker
from saffa.screens.ocr import NO_OCR, can_read
from saffa.screens.screen_text import Glance, ScreenText, glance, looks_written, read_screen
from saffa.speech.transcript import load_kept, to_json
from saffa.storage.fingerprint import fingerprint
from saffa.storage.store import Store, user_cache

VERSION = 2
"""Changes when the same pictures give other lines, so that what was kept before is not used again."""
HELP = "the pictures show text: install saffa[ocr] so that it can be read"
STAGE = "Reading the screen"
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
        return replace(said, others=(HELP,)) if needs_help else said
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
    spoken = sum(len(words(cue.text)) for cue in narration.cues) if narration else 0
    return spoken > _TALKS * float(video.duration)


def screen_text(video: Video, asked: bool, kept: Store | None, progress: Progress) -> ScreenText:
    """Lines on the screen, kept for the next time; `asked`: also in a film that hardly has any."""
    if kept is None:
        return _look(video, asked, progress)
    name = f"screen-{fingerprint(VERSION, kept.content_of(video.path), asked)[:40]}.json"
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
    progress(STAGE, 0.0)
    return read_screen(video, seen, asked=asked, progress=lambda share: progress(STAGE, share))
