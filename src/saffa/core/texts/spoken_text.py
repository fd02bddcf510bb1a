"""A subtitle file as the guiding text: its lines joined to sentences."""

from __future__ import annotations

import html
import re
import warnings
from collections.abc import Iterable

import pysubs2

from saffa.core.errors import InputError
from saffa.core.texts.sentences import one_line, split_sentences, without_open_tags

_ENDS = re.compile(r"[.!?…。！？][\"'”’)\]]*$")
_TAG = re.compile(r"\{[^{}]*\}")
_CUE_TIME = re.compile(r"<\d{1,2}:[\d:.]{2,12}>")
_NOISE = re.compile(r"\[[^\[\]\d]{1,30}\]|^\s*\([^()]{1,30}\)\s*$|[♪♫]+")
"""What is heard beside words, as it is written for those who cannot hear: `[music]`, `(applause)`."""
_SPEAKER = re.compile(r"^[-–—]\s*(?=\w)")
_LONGEST = 200
_BLANK_LINES = re.compile(r"\n{3,}")
_DRAWING = re.compile(r"\{[^{}]*\\p[1-9][^{}]*\}")


def subtitle_events(text: str, kind: str | None = None) -> list[pysubs2.SSAEvent]:
    """Events of a subtitle file of that kind (srt, vtt, ass, ssa; None: by its looks); ValueError if it is none.

    pysubs2 spends the square of the length on tags that are never closed and on runs of blank lines, so these go first.
    """
    text = _BLANK_LINES.sub("\n\n", without_open_tags(text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd styles and the like, which do not matter here
            return list(pysubs2.SSAFile.from_string(text, format_=kind))
    except Exception as error:  # whatever a damaged file makes its parsers raise
        raise ValueError(" ".join(str(error).split())[:80] or type(error).__name__) from error


def is_drawing(event: pysubs2.SSAEvent) -> bool:
    """Whether an event holds shapes instead of words. pysubs2's own answer takes the square of the number of tags."""
    return _DRAWING.search(event.text) is not None


def subtitle_sentences(text: str, name: str) -> Iterable[str]:
    """Lines are joined and split anew: a sentence often spans several of them."""
    try:
        subtitles = subtitle_events(text)
    except ValueError as error:
        raise InputError(f"{name} is not a readable subtitle file ({error}).") from None
    sentences: list[list[str]] = []
    length = 0
    before: list[str] = []
    for event in subtitles:
        shown = [] if event.is_comment or is_drawing(event) else _plain(event.text).split("\n")
        new = [_SPEAKER.sub("", one_line(_NOISE.sub(" ", line))) for line in shown]
        line = " ".join(line for line in new if line and line not in before)  # rolling captions say each line twice
        before = new if any(new) else before
        if not line:
            continue
        if sentences and not _ENDS.search(sentences[-1][-1][-20:]) and length < _LONGEST:
            sentences[-1].append(line)
            length += 1 + len(line)
        else:
            sentences.append([line])
            length = len(line)
    joined = (" ".join(parts) for parts in sentences)
    return [s for one in joined for s in split_sentences(one) if any(c.isalnum() for c in s)]


def _plain(text: str) -> str:
    """Words of a subtitle line without override codes; an unclosed brace stays."""
    words = html.unescape(_TAG.sub("", _CUE_TIME.sub("", text)))
    return words.replace("\\N", "\n").replace("\\n", "\n").replace("\\h", " ")
