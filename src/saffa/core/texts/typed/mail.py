"""E-mails kept as text: the lines above and below the letter."""

from __future__ import annotations

import re

_HEAD = re.compile(
    r"^(?:from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|datum|gesendet|de|à|objet|envoyé|para|asunto|fecha|"
    r"da|a|oggetto|data|message-id|mime-version|content-[\w-]+|attachments?)\s?:\s",
    re.IGNORECASE,
)
_LONGEST_SIGNATURE = 8


def letter_of(lines: list[str]) -> list[str]:
    """The lines of a text without the head and the signature of an e-mail, if it is one."""
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    end = first
    while end < len(lines) and (_HEAD.match(lines[end]) or (end > first and lines[end][:1] in (" ", "\t"))):
        end += 1
    if end - first < 2:
        return lines
    letter = lines[end:]
    marks = [place for place, line in enumerate(letter) if line.rstrip() == "--"]
    cut = marks[-1] if marks and len(letter) - marks[-1] <= _LONGEST_SIGNATURE else len(letter)
    return letter[:cut]
