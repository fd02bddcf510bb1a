"""How a video of a batch is shortened: every option of `saffa accelerate` that decides what is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, get_args

from saffa.core.clock import parse_typed_length
from saffa.core.corrections import Correction, Cut, Skip, read_keep, read_only, read_weight
from saffa.core.document import TextPart
from saffa.core.errors import InputError
from saffa.core.selection import check_speed
from saffa.media.writer import AudioMode, BurnMode, ChapterMode, LineMode, RenderOptions
from saffa.methods.base import Settings
from saffa.methods.dynamics import RAMPS
from saffa.methods.registry import load_sampler
from saffa.pipeline.request import Listen

CORRECTIONS: Mapping[str, Callable[[str], Correction]] = {
    "keep": read_keep,
    "skip": Skip,
    "cut": Cut,
    "weight": read_weight,
    "only": read_only,
}
"""Columns whose cells may name several, with spaces or semicolons between them."""


@dataclass(frozen=True)
class BatchChoices:
    """How a video is shortened, as `accelerate` takes it; None is its default."""

    speed: float | None = None
    length: Fraction | None = None
    method: str | None = None
    encoder: str | None = None
    balance: float | None = None
    audio: AudioMode = "stretch"
    min_speed: float | None = None
    max_speed: float | None = None
    agent: str | None = None
    ramp: str | None = None
    text_part: TextPart = "steps"
    listen: Listen = "auto"
    strict: bool = False
    crf: int | None = None
    preset: str | None = None
    codec: str | None = None
    subtitle_lines: LineMode = "readable"
    burn: BurnMode = "nothing"
    chapters: ChapterMode = "source"
    allow_damage: bool = False
    corrections: tuple[Correction, ...] = ()

    def check(self) -> None:
        """InputError for what no video can be shortened with."""
        if self.speed is not None and self.length is not None:
            raise InputError("Give --speed or --length, not both.")
        if self.speed is not None:
            check_speed(self.speed)
        load_sampler(self.method or "plan", self.settings)

    @property
    def settings(self) -> Settings:
        """What the method is told."""
        return Settings(self.balance, self.min_speed, self.max_speed, self.agent, self.ramp)

    def render_options(self, overwrite: bool = False) -> RenderOptions:
        """How the shorter video is written."""
        return RenderOptions(
            self.audio,
            self.crf,
            self.preset,
            self.codec,
            overwrite,
            self.subtitle_lines,
            self.burn,
            self.chapters,
            allow_damage=self.allow_damage,
        )

    def changed(self, row: Mapping[str, str]) -> BatchChoices:
        """With what a row of a list says; its speed or length takes the place of both."""
        given = {name: row[name] for name in COLUMNS if row.get(name)}
        base = replace(self, speed=None, length=None) if {"speed", "length"} & set(given) else self
        changes: dict[str, Any] = {name: read(given[name]) for name, read in READERS.items() if name in given}
        found = tuple(
            read(part) for name, read in CORRECTIONS.items() for part in given.get(name, "").replace(";", " ").split()
        )
        return replace(base, **changes, corrections=found or base.corrections)


def _number(name: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            return float(text.lower().rstrip("x×") if name.endswith("speed") else text)
        except ValueError:
            raise InputError(f"{name} {text[:40]} is not a number.") from None

    return read


def _one_of(name: str, choices: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise InputError(f"{name} {text[:40]!r} is not one of {', '.join(choices)}.")
        return text

    return read


def _yes_or_no(name: str) -> Callable[[str], bool]:
    read = _one_of(name, ("yes", "no"))
    return lambda text: read(text) == "yes"


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise InputError(f"crf {text[:40]} is not a whole number.")
    return int(text[:9])


READERS: Mapping[str, Callable[[str], Any]] = {
    "speed": _number("speed"),
    "length": parse_typed_length,
    "method": str,
    "encoder": str,
    "balance": _number("balance"),
    "audio": _one_of("audio", get_args(AudioMode)),
    "min_speed": _number("min_speed"),
    "max_speed": _number("max_speed"),
    "agent": str,
    "ramp": _one_of("ramp", RAMPS),
    "text_part": _one_of("text_part", get_args(TextPart)),
    "listen": _one_of("listen", get_args(Listen)),
    "strict": _yes_or_no("strict"),
    "crf": _whole,
    "preset": str,
    "codec": str,
    "subtitle_lines": _one_of("subtitle_lines", get_args(LineMode)),
    "burn": _one_of("burn", get_args(BurnMode)),
    "chapters": _one_of("chapters", get_args(ChapterMode)),
    "allow_damage": _yes_or_no("allow_damage"),
}
COLUMNS = (*READERS, *CORRECTIONS)
"""Columns of a list beside those that name files."""
