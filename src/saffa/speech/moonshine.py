"""Moonshine (MIT): English, its small model inside the wheel, nothing to download."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saffa.core.errors import InputError, SaffaError
from saffa.core.types import Floats
from saffa.speech.backend import HeardLine
from saffa.speech.stretches import RATE

_LONGEST_LINE = 10
"""Seconds after which a line is cut, also in running speech; it bounds the memory of the network."""


class MoonshineListener:
    """A loaded model with its own detection of voices (Silero), which keeps it from hearing words in noise."""

    name = "moonshine-0.0.65:tiny-en"

    def __init__(self, transcriber: Any) -> None:
        self._transcriber = transcriber

    def hear(self, samples: Floats) -> Sequence[HeardLine]:
        """Lines said in these samples; this backend gives no times of words."""
        from moonshine_voice.errors import MoonshineError  # noqa: PLC0415

        try:
            heard = self._transcriber.transcribe_without_streaming(samples.tolist(), RATE)
        except MoonshineError as error:
            raise SaffaError(f"Listening failed: {error}.") from None
        _give_back_memory()
        return [
            HeardLine(float(line.start_time), float(line.start_time + line.duration), line.text.strip())
            for line in heard.lines
        ]


def _give_back_memory() -> None:
    """Let the C library return what it has freed; without this, memory grows by 30 MB with each stretch."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def load_moonshine(model: str | None, language: str | None) -> MoonshineListener:
    """The model inside the wheel; it understands English only."""
    if model is not None:
        raise InputError(f"moonshine has one model; {model!r} is none. For other models use --model whisper:NAME.")
    if language is not None and language.lower().split("-")[0] != "en":
        raise InputError(f"moonshine understands English only, not {language}; use --model whisper:small.")
    import moonshine_voice  # noqa: PLC0415
    from moonshine_voice.errors import MoonshineError  # noqa: PLC0415
    from moonshine_voice.moonshine_api import ModelArch  # noqa: PLC0415
    from moonshine_voice.transcriber import Transcriber  # noqa: PLC0415

    folder = Path(moonshine_voice.__file__).parent / "assets" / "tiny-en"
    if not folder.is_dir():
        raise InputError("This version of moonshine-voice carries no model. Install moonshine-voice==0.0.65.")
    settings = {"return_audio_data": "false", "vad_max_segment_duration": str(_LONGEST_LINE)}
    try:
        return MoonshineListener(Transcriber(str(folder), ModelArch.TINY, options=settings))
    except MoonshineError as error:
        raise SaffaError(f"The speech model cannot be loaded: {error}.") from None
