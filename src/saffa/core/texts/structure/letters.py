"""Letters and mails around the steps: the greeting with what stands above it, and the farewell with all below it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from saffa.core.texts.blocks import Block

_GREETING = re.compile(
    r"^(?:dear|hi|hello|hey|good (?:morning|evening)|hallo|lieber?|liebes|guten tag|moin|bonjour|salut|coucou|chère?|"
    r"chers|hola|querid[oa]s?|ciao|car[oaie]|beste|olá)\b[^.?:;]{0,40}[,!]$",
    re.IGNORECASE,
)
_HELLO = re.compile(
    r"^(?:hi|hello|hey|hallo|moin|bonjour|salut|coucou|hola|ciao|olá)(?: [^\W\d]+){0,2}$", re.IGNORECASE
)
_FAREWELL = re.compile(
    r"^(?:love|lots of love|best|all the best|best wishes|(?:kind|best|warm|warmest) regards|regards|cheers|sincerely|"
    r"yours(?: (?:truly|sincerely|faithfully))?|x{2,}|xoxo|hugs|have a (?:good|great|nice|lovely) \w+|"
    r"(?:liebe|viele|herzliche|beste|schöne) gr(?:ü|ue)(?:ß|ss)e|gr(?:ü|ue)(?:ß|ss)e|lg|vg|mfg|bis bald|"
    r"mit freundlichen gr(?:ü|ue)(?:ß|ss)en|cordialement|bises|bisous|amitiés|à bientôt|saludos|un abrazo|besos|"
    r"cari saluti|un saluto|baci|un bacio|groetjes|abraços|beijos|hilsen)\b(?: (?:from|von|de|da|di|van) .{1,20})?"
    r"(?:[,!.]?$|,.{0,40}$)",
    re.IGNORECASE,
)
_GREETING_WORDS = 6
_NEAR_THE_END = 8  # blocks


def with_frame_aside(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, in which those that frame a letter are asides."""
    first = next((place for place, block in enumerate(blocks) if _greets(block)), None)
    start = 0 if first is None or first >= len(blocks) / 2 else first + 1
    end = len(blocks)
    for place in range(max(start + 1, end - _NEAR_THE_END), len(blocks)):
        if blocks[place].kind == "paragraph" and _FAREWELL.match(blocks[place].text):
            end = place
            break
    if any(block.kind == "item" for block in blocks[end:]):
        end = len(blocks)
    return [
        block if start <= place < end or block.kind == "heading" else replace(block, kind="aside")
        for place, block in enumerate(blocks)
    ]


def _greets(block: Block) -> bool:
    short = block.kind == "paragraph" and len(block.text.split()) <= _GREETING_WORDS
    return short and bool(_GREETING.match(block.text) or _HELLO.match(block.text))
