"""Recognisers that fail or cannot be loaded are told in one line; the libraries themselves are not needed here."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from saffa.core.errors import InputError, SaffaError
from saffa.core.video import Word
from saffa.speech.moonshine import MoonshineListener, load_moonshine
from saffa.speech.whisper import WhisperListener, load_whisper

SILENCE = np.zeros(16_000, np.float32)


class Recogniser:
    """What faster-whisper and moonshine-voice give: prepared lines, or an error."""

    supported_languages = ("en", "de")

    def __init__(self, *lines: SimpleNamespace, error: Exception | None = None) -> None:
        self._lines, self._error = lines, error

    def transcribe(self, samples: Any, **asked: Any) -> tuple[tuple[SimpleNamespace, ...], None]:
        assert len(samples) == len(SILENCE) and asked["word_timestamps"]
        if self._error:
            raise self._error
        return self._lines, None

    def transcribe_without_streaming(self, samples: list[float], rate: int) -> SimpleNamespace:
        assert (len(samples), rate) == (len(SILENCE), 16_000)
        if self._error:
            raise self._error
        return SimpleNamespace(lines=self._lines)


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stand-ins for the two libraries; `made` is what WhisperModel raises, if anything."""
    found: dict[str, Any] = {"made": None, "types": {"int8", "float32"}, "asked": []}

    def whisper_model(name: str, **asked: Any) -> Recogniser:
        found["asked"].append((name, asked))
        if isinstance(found["made"], Exception):
            raise found["made"]
        return Recogniser()

    class MoonshineError(Exception):
        pass

    contents: dict[str, dict[str, Any]] = {
        "ctranslate2": {"get_supported_compute_types": lambda _: found["types"]},
        "faster_whisper": {"WhisperModel": whisper_model},
        "moonshine_voice": {},
        "moonshine_voice.errors": {"MoonshineError": MoonshineError},
    }
    for name, content in contents.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    found["MoonshineError"] = MoonshineError
    return found


def test_words_and_lines_of_whisper(libraries: dict[str, Any]) -> None:
    said = [SimpleNamespace(start=0.5, end=0.75, word=" Stir"), SimpleNamespace(start=0.75, end=0.8, word=" ")]
    line = SimpleNamespace(start=0.5, end=1, text=" Stir ", words=said)
    bare = SimpleNamespace(start=2, end=3, text="well", words=None)
    heard = WhisperListener(Recogniser(line, bare), "whisper:x", None).hear(SILENCE)
    assert [(one.start, one.end, one.text, one.words) for one in heard] == [
        (0.5, 1.0, "Stir", (Word(0.5, 0.75, "Stir"),)),
        (2.0, 3.0, "well", ()),
    ]
    assert libraries["asked"] == []


@pytest.mark.parametrize("error", [RuntimeError("out of memory"), ValueError("bad samples")])
def test_whisper_that_fails(error: Exception) -> None:
    with pytest.raises(SaffaError, match=rf"^Listening failed: {error}\.$"):
        WhisperListener(Recogniser(error=error), "whisper:x", None).hear(SILENCE)


def test_moonshine_that_fails_and_that_hears(libraries: dict[str, Any]) -> None:
    with pytest.raises(SaffaError, match=r"^Listening failed: no\.$"):
        MoonshineListener(Recogniser(error=libraries["MoonshineError"]("no"))).hear(SILENCE)
    line = SimpleNamespace(start_time=1.5, duration=2, text=" Stir. ")
    (heard,) = MoonshineListener(Recogniser(line)).hear(SILENCE)
    assert (heard.start, heard.end, heard.text, heard.words) == (1.5, 3.5, "Stir.", ())


def test_moonshine_has_one_model_and_one_language() -> None:
    with pytest.raises(InputError, match="moonshine has one model; 'base' is none"):
        load_moonshine("base", None)
    with pytest.raises(InputError, match="understands English only, not de"):
        load_moonshine(None, "de")


def test_whisper_models_by_name(libraries: dict[str, Any]) -> None:
    listener = load_whisper(None, "DE-at", offline=True)
    assert (listener.name, listener.language) == ("whisper:small", "de")
    libraries["types"].discard("int8")
    load_whisper("base", None, offline=False)
    first, second = libraries["asked"]
    assert first == ("small", {"device": "cpu", "compute_type": "int8", "local_files_only": True})
    assert second == ("base", {"device": "cpu", "compute_type": "float32", "local_files_only": False})


def test_whisper_models_that_cannot_be_loaded(libraries: dict[str, Any], tmp_path: Any) -> None:
    with pytest.raises(InputError, match=r"is no folder of a CTranslate2 Whisper model \(model\.bin is missing\)"):
        load_whisper(str(tmp_path), None, offline=False)
    with pytest.raises(InputError, match="does not know the language 'xx'; it knows "):
        load_whisper("tiny", "xx", offline=False)
    libraries["made"] = OSError("no such model\nin the cache")
    with pytest.raises(InputError, match=r"^The speech model tiny cannot be loaded \(no such model\)\.$"):
        load_whisper("tiny", None, offline=False)
    libraries["made"] = OSError()
    with pytest.raises(InputError, match=r"\(OSError\)\. With --offline it must be downloaded before\.$"):
        load_whisper("tiny", None, offline=True)
