"""Damage of files, the same for the same random numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

_ODD = (b"\0", b"\xff", b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\x01", b"\xef\xbb\xbf", b"\r", b"%s")
_NUMBERS = ("-1", "0", "1e999", "NaN", "9" * 30, "1/0")
_WORDS = (
    *_NUMBERS,
    *("", "\x00", "{" * 200, "<" * 200, "[" * 200, "A. " * 200, "\u202e", "é" * 99),
    *("[/b]", "[red]", "$\\frac{1$", ":egg:", "\x1b]0;title\x07", "```", "|---|", "1. " * 99, "\u2028"),
)
_VALUES: tuple[Any, ...] = (
    *_NUMBERS,
    None,
    True,
    -1,
    0,
    2**63,
    10**30,
    1e300,
    -1e300,
    "",
    "1e99999999",
    [],
    {},
    [[]],
    "/x",
)
Change = Callable[[bytearray, Random, bytes], None]


def damaged(data: bytes, random: Random, other: bytes = b"") -> bytes:
    """A file with one to eight places changed; `other` lends its bytes to some."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 4, 8))):
        random.choice(_CHANGES)(changed, random, other or data)
    return bytes(changed)


def damaged_text(data: bytes, random: Random, other: bytes = b"") -> bytes:
    """A text with lines repeated, swapped, grown or filled with what parsers dislike; sometimes plain damage."""
    if random.random() < 0.3:
        return damaged(data, random, other)
    lines = data.split(b"\n")
    for _ in range(random.choice((1, 1, 2, 4))):
        place = random.randrange(len(lines) + 1)
        word = random.choice(_WORDS).encode()
        kind = random.randrange(5)
        if kind == 0:
            lines[place:place] = lines[: random.randrange(1, 40)] * random.randrange(1, 6)
        elif kind == 1 and place < len(lines):
            cut = random.randrange(len(lines[place]) + 1)
            lines[place] = lines[place][:cut] + word + lines[place][cut:]
        elif kind == 2:
            del lines[place : place + random.randrange(1, 5)]
        elif kind == 3:
            lines[place:place] = random.sample(other.split(b"\n"), 1) if other else [word]
        else:
            lines.insert(place, word * random.randrange(1, 50))
        lines = lines or [b""]
    return b"\n".join(lines)[: 1 << 20]


def damaged_json(data: bytes, random: Random, other: bytes = b"") -> bytes:
    """JSON with values of the wrong kind or size in places of any depth; sometimes plain damage."""
    if random.random() < 0.2:
        return damaged(data, random, other)
    facts = json.loads(data)
    for _ in range(random.choice((1, 1, 2, 3))):
        holder, key = random.choice(list(_places(facts)) or [(None, None)])
        if holder is None or key is None:
            return json.dumps(random.choice(_VALUES)).encode()
        kind = random.randrange(4)
        if kind == 0 and isinstance(holder, dict):
            del holder[key]
        elif kind == 1 and isinstance(holder[key], list):
            holder[key] = holder[key] * random.choice((0, 2, 50))
        elif kind == 2 and isinstance(holder[key], int):
            holder[key] += random.choice((-1, 1, 10**6, -(10**6)))
        else:
            holder[key] = deepcopy(random.choice(_VALUES))  # a shared list might end up inside itself
    return json.dumps(facts).encode()


def _places(value: Any) -> Any:
    """(container, key) of everything inside a JSON value; of long lists only the ends."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys)[:6] + list(keys)[-2:]:
        yield value, key
        yield from _places(value[key])


def _place(data: bytearray, random: Random) -> int:
    """Somewhere; headers and indices, at both ends, are the best places for trouble."""
    size = max(1, len(data))
    return random.choice(
        (random.randrange(size), random.randrange(min(size, 512)), max(0, size - 1 - random.randrange(min(size, 512))))
    )


def _flip(data: bytearray, random: Random, _: bytes) -> None:
    for _i in range(random.choice((1, 4, 32))):
        if data:
            data[_place(data, random)] ^= 1 << random.randrange(8)


def _odd(data: bytearray, random: Random, _: bytes) -> None:
    place, value = _place(data, random), random.choice(_ODD)
    data[place : place + len(value)] = value


def _zero(data: bytearray, random: Random, _: bytes) -> None:
    place, size = _place(data, random), random.choice((4, 64, 1024))
    data[place : place + size] = bytes(min(size, max(0, len(data) - place)))


def _noise(data: bytearray, random: Random, _: bytes) -> None:
    place, size = _place(data, random), random.choice((4, 64, 1024))
    data[place : place + size] = random.randbytes(size)


def _cut(data: bytearray, random: Random, _: bytes) -> None:
    del data[random.randrange(len(data) + 1) :]


def _remove(data: bytearray, random: Random, _: bytes) -> None:
    place = _place(data, random)
    del data[place : place + random.choice((1, 7, 188, 2000))]


def _repeat(data: bytearray, random: Random, _: bytes) -> None:
    place, size = _place(data, random), random.choice((1, 16, 188, 4000))
    data[place:place] = data[place : place + size] * random.choice((1, 2, 20))


def _join(data: bytearray, random: Random, other: bytes) -> None:
    place, start = _place(data, random), random.randrange(len(other) + 1)
    data[place:place] = other[start : start + random.choice((8, 400, 8000))]


_CHANGES: tuple[Change, ...] = (_flip, _flip, _flip, _odd, _odd, _zero, _noise, _cut, _remove, _repeat, _join)
