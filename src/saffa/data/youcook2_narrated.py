"""YouCook2 videos with what is said in them: `DIR/youcook2_narrated/youcook2_narrated.json`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from saffa.data.base import BenchmarkVideo
from saffa.document import Document
from saffa.errors import InputError
from saffa.media.subtitles import Cue
from saffa.narration import Narration

SPLITS = {"train": "training", "training": "training", "val": "validation", "validation": "validation"}


def load(folder: Path, split: str) -> list[BenchmarkVideo]:
    """Videos of a split; a faulty entry is named with its field."""
    path = folder / "youcook2_narrated" / "youcook2_narrated.json"
    if split not in SPLITS:
        raise InputError(f"youcook2-narrated has the splits training and validation, not {split!r}.")
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["videos"]
    except FileNotFoundError:
        raise InputError(f"There is no {path}. --data must name the folder that holds youcook2_narrated/.") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None
    chosen = {key: entry for key, entry in entries.items() if entry.get("subset") == SPLITS[split]}
    return [_video(path, key, entry) for key, entry in chosen.items()]


def _video(path: Path, key: str, entry: dict[str, Any]) -> BenchmarkVideo:
    field = "frames"
    try:
        frames = int(entry["frames"])
        field = "fps"
        fps = float(entry["fps"])
        rate = Fraction(fps).limit_denominator(1001)
        field = "segments"
        steps = tuple((int(start * fps), min(int(end * fps), frames)) for start, end in entry["segments"])
        field = "cues"
        cues = tuple(Cue(_seconds(start), _seconds(end), str(text)) for start, end, text in entry["cues"])
        field = "document"
        document = Document(tuple(map(str, entry["document"])))
    except (KeyError, TypeError, ValueError, OverflowError, InputError) as error:
        raise InputError(f"{path}: video {key}: field {field!r} is missing or wrong ({error}).") from None
    return BenchmarkVideo(key, frames, rate, document, Narration(cues, "speech recognition"), steps)


def _seconds(value: float) -> Fraction:
    return Fraction(value).limit_denominator(1000)
