"""What is said in a video: its subtitles, or, where it has none, what can be heard."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from saffa.core.clock import format_length
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.narration import Narration
from saffa.core.strict_json import json_text
from saffa.core.types import Progress
from saffa.core.video import Cue, Video
from saffa.media.subtitles.lines import find_narration
from saffa.pipeline.request import Listen
from saffa.pipeline.worker_process import kept, run_in_worker
from saffa.speech.backend import NO_BACKEND, can_listen, load_listener
from saffa.speech.summary import informative
from saffa.speech.transcript import transcribe
from saffa.speech.transcript_file import load_kept, to_json
from saffa.storage.fingerprint import fingerprint
from saffa.storage.store import Store, user_cache

VERSION = 2
"""Changes when the same sound gives another transcript, so that what was kept before is not used again."""
HELP = "no subtitles: give them with --subtitles, or install saffa[asr] so that the speech can be heard"
STAGE = "Listening"
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
    last = max(cue.end for cue in cues)
    stops = f", none after {format_length(last)}" if last < _BREAKS_OFF * video.duration else ""
    heard = f"heard {len(cues)} {'line' if len(cues) == 1 else 'lines'}{stops}"
    note = heard if listen == "on" else f"no subtitles: {heard}"
    return Said(Narration.of_lines(cues, "speech"), note, heard=True)


def heard_lines(
    video: Video, model: str | None, language: str | None, offline: bool, store: Store | None, progress: Progress
) -> list[Cue]:
    """Lines of speech, listened to in a process of its own, whose memory is given back; kept for the next time."""
    if store is None:
        return run_in_worker(listen_to, progress, video, model, language, offline)
    content = store.content_of(video.path)
    name = f"transcript-{fingerprint(VERSION, content, model, language)[:40]}.json"
    known = store.recall(name, load_kept)
    if known is None:
        known = run_in_worker(listen_to, progress, video, model, language, offline)
        text = json_text(to_json(known))
        store.keep(name, lambda part: part.write_text(text, encoding="utf-8"))
    return known


def listen_to(progress: Progress, video: Video, model: str | None, language: str | None, offline: bool) -> list[Cue]:
    """Lines of speech, heard in this process."""
    progress(STAGE, 0.0)
    listener = kept(("listener", model, language, offline), lambda: load_listener(model, language, offline))
    return transcribe(video, listener, lambda share: progress(STAGE, share))


def narration_as_text(video: Video, said: Said) -> Document:
    """The most informative sentences of the narration, for a video that comes without a text."""
    if said.narration is None or said.narration.spoken is None:
        raise InputError(
            "Nothing is said in this video, so its narration cannot be the text. Give --text FILE or --step."
        )
    return informative(said.narration.spoken.cues, float(video.duration))
