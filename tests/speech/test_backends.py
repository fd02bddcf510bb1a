"""The recognisers themselves: English in real and in made speech, a Whisper model in its real format, bad models."""

from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError
from saffa.core.video import Cue
from saffa.media.probe import probe
from saffa.sample import VIDEO
from saffa.speech.backend import BACKENDS, load_listener, model_for
from saffa.speech.stretches import RATE as HEARD_RATE
from saffa.speech.stretches import speech_track, stretches
from saffa.speech.transcript import transcribe
from tests.speech.sounds import RATE, Samples, film, read_wave, spoken, with_pauses
from tests.speech.tiny_whisper import tiny_whisper

SENTENCES = (
    "Bring fresh water almost to the boil.",
    "Measure twenty grams of beans and grind them.",
    "Pour the remaining water in slow spirals.",
    "Remove the cone once it has finished dripping.",
    "Now we clean the machine with a damp cloth.",
    "Switch off the light before you go home.",
)
READ = {
    "austen_0870": "and mister john dashwood had then leisure to consider how much there might be prudently in his "
    "power to do for them",
    "austen_0880": "he was not an ill disposed young man",
    "austen_0890": "unless to be rather cold hearted and rather selfish is to be ill disposed",
}
moonshine = pytest.mark.skipif(not BACKENDS[0].installed, reason="moonshine-voice is not installed (saffa[asr])")
whisper = pytest.mark.skipif(not BACKENDS[1].installed, reason="faster-whisper is not installed (saffa[whisper])")


def words(text: str) -> list[str]:
    plain = "".join(c if c.isalnum() else " " for c in text.lower().replace("mr.", "mister"))
    return plain.split()


def word_errors(said: list[str], heard: list[str]) -> int:
    """Insertions, deletions and exchanges of words (Levenshtein)."""
    row = list(range(len(heard) + 1))
    for i, one in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


@moonshine
def test_lines_are_where_they_are_said(tmp_path: Path) -> None:
    sound, times = with_pauses([spoken(s, tmp_path) for s in SENTENCES], [0.7, 0.6, 1.0, 2.0, 0.8, 1.5])
    cues = transcribe(probe(film(tmp_path / "talk.mp4", sound)), load_listener())
    starts, ends = zip(*times, strict=True)
    off = [min(abs(float(cue.start) - start) for start in starts) for cue in cues]
    off += [min(abs(float(cue.end) - end) for end in ends) for cue in cues]
    assert len(cues) == len(SENTENCES)
    assert float(np.percentile(off, 95)) <= 0.3
    said = [word for sentence in SENTENCES for word in words(sentence)]
    assert word_errors(said, words(" ".join(cue.text for cue in cues))) <= 0.3 * len(said)


@moonshine
@pytest.mark.parametrize("name", READ)
def test_real_speech(shared_data: Path, tmp_path: Path, name: str) -> None:
    file = shared_data / "speech" / f"{name}.wav"
    if not file.is_file():
        pytest.skip("the recordings are not on this machine")
    samples, rate = read_wave(file)
    cues = transcribe(probe(film(tmp_path / "read.mp4", samples, rate)), load_listener())
    heard = words(" ".join(cue.text for cue in cues))
    assert word_errors(words(READ[name]), heard) <= 2


@moonshine
def test_noise_music_and_silence_are_no_speech(tmp_path: Path) -> None:
    time = np.arange(15 * RATE) / RATE
    chords = sum(0.1 * np.sin(2 * np.pi * pitch * time) * (time * pitch % 300 < 200) for pitch in (220, 277, 330, 440))
    sounds: dict[str, Samples] = {
        "noise": np.random.default_rng(1).normal(0, 0.1, len(time)).astype(np.float32),
        "music": np.asarray(chords, np.float32),
        "silence": np.zeros(len(time), np.float32),
    }
    listener = load_listener()
    for name, sound in sounds.items():
        assert transcribe(probe(film(tmp_path / f"{name}.mp4", sound)), listener) == [], name


@whisper
def test_a_whisper_model_from_a_folder(tmp_path: Path) -> None:
    folder = tiny_whisper(tmp_path / "model", "Boil the water.", seconds=2.0)
    voice = spoken(SENTENCES[0], tmp_path)
    sound, _ = with_pauses([voice], [0.5])
    cues: list[Cue] = transcribe(probe(film(tmp_path / "talk.mp4", sound)), load_listener(str(folder)))
    assert [cue.text for cue in cues] == ["Boil the water."]
    assert [word.text for word in cues[0].words] == ["Boil", "the", "water."]
    starts = [word.start for word in cues[0].words]
    assert starts == sorted(starts)
    assert 0 <= starts[0] < cues[0].words[-1].end <= len(sound) / RATE


@whisper
def test_a_whisper_model_hears_the_sample(tmp_path: Path) -> None:
    """The real loading and hearing, on a voice that is in the repository, so that it runs everywhere."""
    folder = tiny_whisper(tmp_path / "model", "Boil the water.", seconds=2.0)
    video = probe(VIDEO)
    track = speech_track(video)
    assert track is not None
    samples = next(iter(stretches(video, track))).samples[: 6 * HEARD_RATE]
    line = load_listener(str(folder), offline=True).hear(samples)[0]
    assert line.text == "Boil the water."
    assert [word.text for word in line.words] == ["Boil", "the", "water."]
    assert all(0 <= word.start <= word.end <= 6 for word in line.words)


@whisper
@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("whisper:/nowhere/at/all", "model.bin is missing"),
        ("./nowhere", "model.bin is missing"),
        ("no-such-model-name", "cannot be loaded"),
        ("nobody-here/no-such-model", "is not on this machine, and --offline downloads nothing"),
    ],
)
def test_models_that_are_not_there(model: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        load_listener(model, offline=True)
    assert "\n" not in str(refused.value)


@whisper
def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"hello")
    with pytest.raises(InputError, match="cannot be loaded"):
        load_listener(str(tmp_path), offline=True)


@moonshine
def test_moonshine_says_what_it_cannot_do() -> None:
    with pytest.raises(InputError, match="English only"):
        load_listener("moonshine", "de")
    with pytest.raises(InputError, match="one model"):
        load_listener("moonshine:huge")


def test_without_a_recogniser_one_line_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saffa.speech.backend.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"saffa\[asr\]"):
        load_listener()
    with pytest.raises(InputError, match=r"for de needs faster-whisper.*saffa\[whisper\]"):
        load_listener(language="de")


def test_the_model_is_named_as_it_is_taken() -> None:
    assert [model_for(None, None), model_for(None, "en-GB"), model_for(None, "de")] == [
        "moonshine",
        "moonshine",
        "whisper:small",
    ]
    assert model_for("whisper:tiny", "en") == "whisper:tiny"
