"""Recognisers of speech: what each must offer, and which ones are installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol

from saffa.core.errors import InputError
from saffa.core.types import Floats
from saffa.core.video import Word


@dataclass(frozen=True)
class HeardLine:
    """A line that was understood; seconds from the start of the stretch. `words` only where the backend times them."""

    start: float
    end: float
    text: str
    words: tuple[Word, ...] = ()


class Listener(Protocol):
    """A loaded recogniser."""

    @property
    def name(self) -> str:
        """Backend and model, as transcripts are remembered by."""
        ...

    def hear(self, samples: Floats) -> Sequence[HeardLine]:
        """Lines said in these samples, shape (n,), 16,000 a second, in order."""
        ...


@dataclass(frozen=True)
class Backend:
    """How a recogniser is installed and loaded: `load(model, language, offline)`."""

    name: str
    package: str
    extra: str
    load: Callable[[str | None, str | None, bool], Listener]

    @property
    def installed(self) -> bool:
        """Whether its package can be imported."""
        return find_spec(self.package) is not None


def _moonshine(model: str | None, language: str | None, _offline: bool) -> Listener:
    from saffa.speech.moonshine import load_moonshine  # noqa: PLC0415

    return load_moonshine(model, language)


def _whisper(model: str | None, language: str | None, offline: bool) -> Listener:
    from saffa.speech.whisper import load_whisper  # noqa: PLC0415

    return load_whisper(model, language, offline)


BACKENDS = (
    Backend("moonshine", "moonshine_voice", "asr", _moonshine),
    Backend("whisper", "faster_whisper", "whisper", _whisper),
)
NO_BACKEND = "No recogniser of speech is installed. Install one with `pip install 'saffa[asr]'` (English, no download)."


def can_listen() -> bool:
    """Whether speech can be recognised without a model having to be named."""
    return BACKENDS[0].installed


def model_for(model: str | None, language: str | None) -> str:
    """The model that is taken: the one that is named, else the one of the backend for the language."""
    english = (language or "en").lower().split("-")[0] == "en"
    return model or ("moonshine" if english else "whisper:small")


def load_listener(model: str | None = None, language: str | None = None, offline: bool = False) -> Listener:
    """The recogniser for a model: English with moonshine if none is named, else faster-whisper.

    `model` is `moonshine`, or the name or folder of a model for faster-whisper, perhaps after `whisper:`.
    """
    name, _, rest = (model or "").partition(":")
    wanted = BACKENDS[0] if model_for(model, language).partition(":")[0] == "moonshine" else BACKENDS[1]
    if not wanted.installed:
        reason = "" if model else f" for {language}"
        raise InputError(
            NO_BACKEND
            if wanted is BACKENDS[0]
            else f"Listening{reason} needs faster-whisper. Install it with `pip install 'saffa[{wanted.extra}]'`."
        )
    return wanted.load((rest or None) if name in ("moonshine", "whisper") else model, language, offline)
