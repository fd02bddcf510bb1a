"""Transcripts as files: srt, vtt, plain text or JSON with the time of each word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from saffa.core.errors import InputError
from saffa.core.strict_json import json_text
from saffa.core.video import Cue, Word
from saffa.core.whole_file import whole_file
from saffa.media.subtitles.lines import save

SCHEMA = "saffa.transcript/1"
SUFFIXES = (".srt", ".vtt", ".txt", ".json")


def check_suffix(path: Path) -> None:
    """InputError for a format that is not written."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path.name}: transcripts are written as {', '.join(SUFFIXES)}.")


def save_transcript(cues: Sequence[Cue], path: Path, facts: dict[str, Any] | None = None) -> None:
    """Write the lines in the format of the extension, whole or not at all."""
    check_suffix(path)
    if path.suffix.lower() in (".srt", ".vtt"):
        save(cues, path)
        return
    text = "\n".join(cue.text for cue in cues)
    with whole_file(path) as part:
        is_json = path.suffix.lower() == ".json"
        part.write_text((json_text(to_json(cues, facts)) if is_json else text) + "\n", encoding="utf-8")


def to_json(cues: Sequence[Cue], facts: dict[str, Any] | None = None) -> dict[str, Any]:
    """Lines with their words; times in seconds."""
    lines = [
        {
            "start": float(cue.start),
            "end": float(cue.end),
            "text": cue.text,
            "words": [[round(word.start, 3), round(word.end, 3), word.text] for word in cue.words],
        }
        for cue in cues
    ]
    return {"schema": SCHEMA, **(facts or {}), "lines": lines}


def load_kept(path: Path) -> list[Cue]:
    """Lines of a transcript that was kept as JSON; ValueError or KeyError for anything else."""
    data = json.loads(path.read_text("utf-8"))
    if data["schema"] != SCHEMA:
        raise ValueError("another kind of file")
    return [
        Cue(
            Fraction(round(line["start"] * 1000), 1000),
            Fraction(round(line["end"] * 1000), 1000),
            str(line["text"]),
            tuple(Word(float(start), float(end), str(word)) for start, end, word in line["words"]),
        )
        for line in data["lines"]
    ]
