"""A subtitle file as the guiding text: its lines joined to sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pysubs2

from saffa.core.errors import InputError
from saffa.core.texts.sentences import one_line, split_sentences, without_open_tags

_ENDS = re.compile(r"[.!?…。！？][\"'”’)\]]*$")
_TAG = re.compile(r"\{[^{}]*\}")
_LONGEST = 200


def subtitle_sentences(text: str, name: str) -> Iterable[str]:
    """Lines are joined and split anew: a sentence often spans several of them."""
    try:
        subtitles = pysubs2.SSAFile.from_string(without_open_tags(text))
    except (pysubs2.exceptions.Pysubs2Error, ValueError) as error:
        raise InputError(f"{name} is not a readable subtitle file ({error}).") from None
    sentences: list[list[str]] = []
    length = 0
    for event in subtitles:
        line = "" if event.is_comment else one_line(_plain(event.text))
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
    return _TAG.sub("", text).replace("\\N", " ").replace("\\n", " ").replace("\\h", " ")
