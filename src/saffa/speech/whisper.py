"""faster-whisper (MIT): any language and size, from a folder, the local cache of models, or a download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saffa.core.errors import InputError, SaffaError
from saffa.core.types import Floats
from saffa.core.video import Word
from saffa.speech.backend import HeardLine

DEFAULT_MODEL = "small"
_FEW = 8  # languages that are told by name


@dataclass(frozen=True, eq=False)
class WhisperListener:
    """A loaded model with the language to listen for; None: told from the sound."""

    model: Any
    name: str
    language: str | None

    def hear(self, samples: Floats) -> Sequence[HeardLine]:
        """Lines said in these samples, with the time of each word."""
        try:
            segments, _ = self.model.transcribe(
                samples,
                language=self.language,
                word_timestamps=True,
                vad_filter=True,
                condition_on_previous_text=False,  # a mistake must not spread
            )
            return [_line(segment) for segment in segments]
        except (RuntimeError, ValueError) as error:
            raise SaffaError(f"Listening failed: {error}.") from None


def _line(segment: Any) -> HeardLine:
    words = tuple(Word(float(w.start), float(w.end), w.word.strip()) for w in segment.words or () if w.word.strip())
    return HeardLine(float(segment.start), float(segment.end), segment.text.strip(), words)


def load_whisper(model: str | None, language: str | None, offline: bool) -> WhisperListener:
    """A model by its folder or name; with `offline` it must be there already."""
    import ctranslate2  # noqa: PLC0415
    from faster_whisper import WhisperModel  # noqa: PLC0415

    name = model or DEFAULT_MODEL
    folder = Path(name)
    looks_like_a_folder = folder.exists() or name.startswith((".", "/")) or len(folder.parts) > 2
    if looks_like_a_folder and not (folder / "model.bin").is_file():
        raise InputError(f"{name} is no folder of a CTranslate2 Whisper model (model.bin is missing).")
    supported = ctranslate2.get_supported_compute_types("cpu")
    compute = "int8" if "int8" in supported else "float32"
    try:
        loaded = WhisperModel(name, device="cpu", compute_type=compute, local_files_only=offline)
    except Exception as error:  # the hub, the network, the file format: each raises its own
        lines = str(error).strip().splitlines() or [type(error).__name__]
        if offline and type(error).__name__ == "LocalEntryNotFoundError":
            raise InputError(
                f"The speech model {name} is not on this machine, and --offline downloads nothing. "
                "Leave it out once, or give a folder with --model."
            ) from None
        if offline:
            offered = "With --offline it must be downloaded before."
        elif "ConnectError" in lines[0]:
            offered = "It is downloaded at its first use; without a network, give a folder with --model."
        else:
            offered = ""
        raise InputError(f"The speech model {name} cannot be loaded ({lines[0][:200]}). {offered}".rstrip()) from None
    code = None if language is None else language.lower().split("-")[0]  # faster-whisper knows neither DE nor de-AT
    if code is not None and code not in loaded.supported_languages:
        known = ", ".join(loaded.supported_languages) if len(loaded.supported_languages) < _FEW else "en, de, fr, …"
        raise InputError(f"The speech model {name} does not know the language {language!r}; it knows {known}.")
    return WhisperListener(loaded, f"whisper:{folder.resolve() if folder.is_dir() else name}", code)
