"""Words from files, as a terminal may show them: names, texts and errors must not steer it."""

from __future__ import annotations

import re

_STEERS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, also those that turn the direction of writing, and bytes of names that are no letters."""


def printable(line: str) -> str:
    """One line in which whatever could move the cursor, colour, hide or turn what follows is shown as an escape."""
    return _STEERS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), line)


def printable_lines(text: str) -> str:
    """Several lines, each as `printable` shows it."""
    return "\n".join(map(printable, text.split("\n")))
