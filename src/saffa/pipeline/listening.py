"""What is said in a video: its subtitles, or, where it has none, what can be heard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

from saffa.core.clock import format_length
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.strict_json import json_text
from saffa.core.types import Progress
from saffa.core.video import Cue, Narration, Video
from saffa.media.subtitles.lines import find_narration
from saffa.pipeline.request import Listen
from saffa.pipeline.worker_process import kept, run_in_worker
from saffa.speech.backend import NO_BACKEND, can_listen, load_listener
from saffa.speech.summary import informative
from saffa.speech.transcript import load_kept, to_json, transcribe
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
