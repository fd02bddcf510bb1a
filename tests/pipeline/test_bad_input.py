"""What people give by mistake is answered in one clear line, and nothing is lost: no half output, no changed file."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

import saffa
from saffa.cli.main import run
from saffa.core.video import Cue
from saffa.media.probe import probe
from saffa.pipeline import narration
from saffa.screens.ocr import can_read
from saffa.speech.backend import can_listen
from tests.core.texts.test_formats import LOCKED, pdf_file
from tests.screens import slides
from tests.speech.sounds import RATE, Samples, film, spoken, with_pauses

pytestmark = pytest.mark.usefixtures("one_process")

STEPS = ["Bring fresh water almost to the boil.", "Measure twenty grams of beans and grind them."]
listens = pytest.mark.skipif(not can_listen(), reason="moonshine-voice is not installed (saffa[asr])")
Told = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_CACHE", str(tmp_path / "cache"))


def noise(seconds: int) -> Samples:
    return np.random.default_rng(1).normal(0, 0.1, seconds * RATE).astype(np.float32)


def made(video: Path, told: Told, *more: str) -> list[str]:
    """The lines before the table, of a run that must succeed and write every frame it promises."""
    output = video.with_name("short.mp4")
    steps = [word for step in STEPS for word in ("--step", step)]
    assert run(["accelerate", str(video), *steps, "--speed", "2", "-o", str(output), *more]) == 0
    source, short = probe(video), probe(output)
    assert short.frames == pytest.approx(source.frames / 2, abs=1)
    assert bool(short.sounds) == bool(source.sounds)
    said = told.readouterr()
    return [*said.err.splitlines(), *said.out.splitlines()]


def refused(command: list[str], told: Told, folder: Path) -> str:
    """The one line of a run that must fail without leaving anything."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert run(command) == 2
    error = told.readouterr().err
    assert error.count("\n") == 1
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    return error


def test_a_silent_file(tmp_path: Path, capsys: Told) -> None:
    lines = made(film(tmp_path / "mute.mp4", None), capsys)
    assert lines.count("no subtitles and no sound: the pictures alone decide") == 1


@listens
@pytest.mark.parametrize("name", ["noise", "silence"])
def test_noise_and_a_silent_track(tmp_path: Path, capsys: Told, name: str) -> None:
    """Hours of it cost no more memory than this: tests/speech/test_stretches.py."""
    sound = noise(12) if name == "noise" else np.zeros(12 * RATE, np.float32)
    path = film(tmp_path / f"{name}.mp4", sound)
    assert made(path, capsys).count("no subtitles, and no speech to be heard: the pictures alone decide") == 1
    heard = refused(["transcribe", str(path), "-o", str(tmp_path / "a.srt")], capsys, tmp_path)
    assert "No speech is to be heard" in heard


@listens
def test_a_sound_track_that_breaks_off(tmp_path: Path, capsys: Told) -> None:
    sound, times = with_pauses([spoken(step, tmp_path) for step in STEPS], [0.7, 0.8])
    whole = film(tmp_path / "whole.mp4", np.concatenate([sound, np.zeros(2 * len(sound), np.float32)]))
    broken = tmp_path / "broken.mp4"
    with av.open(str(whole)) as source, av.open(str(broken), "w") as target:
        streams = {stream.index: target.add_stream_from_template(stream) for stream in source.streams}
        for packet in source.demux():
            late = packet.dts is not None and packet.dts * packet.time_base > times[-1][1] + 0.5
            if packet.dts is not None and not (late and packet.stream.type == "audio"):
                packet.stream = streams[packet.stream.index]
                target.mux(packet)
    (line,) = [line for line in made(broken, capsys) if line.startswith("no subtitles")]
    assert line.startswith("no subtitles: heard 2 lines, none after 0:0")


def test_a_recogniser_that_hears_to_the_end_says_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = film(tmp_path / "talk.mp4", noise(12))
    monkeypatch.setattr(narration, "can_listen", lambda: True)
    for end, note in ((11, "heard 1 line"), (5, "heard 1 line, none after 0:05.0")):
        cue = Cue(Fraction(1), Fraction(end), "boil the water")
        monkeypatch.setattr(narration, "heard_lines", lambda *_, cue=cue: [cue])
        assert saffa.accelerate(path, STEPS, speed=2, encoder="narrated").notes == (f"no subtitles: {note}",)


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("<html><body><nav>Home</nav><script>let a = 1</script></body></html>", "without words"),
        ("<html><body><img src='recipe.jpg'></body></html>", "without words"),
    ],
)
def test_a_page_without_a_recipe(tmp_path: Path, capsys: Told, page: str, line: str) -> None:
    text = tmp_path / "page.html"
    text.write_text(page, "utf-8")
    video = film(tmp_path / "mute.mp4", None)
    command = ["accelerate", str(video), "--text", str(text), "-o", str(tmp_path / "a.mp4")]
    assert line in refused(command, capsys, tmp_path)


def test_a_page_with_prose_only_is_taken_and_told(tmp_path: Path) -> None:
    text = tmp_path / "page.html"
    text.write_text("<html><body><h1>About</h1><p>We walk the dog. Then we boil the water.</p></body></html>", "utf-8")
    document = saffa.Document.from_file(text)
    assert document.sentences == ("We walk the dog.", "Then we boil the water.")


def test_an_encrypted_pdf(tmp_path: Path, capsys: Told) -> None:
    text = tmp_path / "recipe.pdf"
    text.write_bytes(pdf_file("Beat the eggs.", trailer=LOCKED))
    video = film(tmp_path / "mute.mp4", None)
    command = ["accelerate", str(video), "--text", str(text), "-o", str(tmp_path / "a.mp4")]
    assert "recipe.pdf is locked with a password" in refused(command, capsys, tmp_path)


def test_a_picture_that_cannot_be_read(tmp_path: Path, capsys: Told) -> None:
    picture = tmp_path / "slide.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    command = ["accelerate", str(picture), "--step", STEPS[0], "-o", str(tmp_path / "a.mp4")]
    assert "slide.png" in refused(command, capsys, tmp_path)


@pytest.mark.skipif(not can_read(), reason="saffa[ocr] is not installed")
def test_a_screen_that_cannot_be_read(tmp_path: Path, capsys: Told) -> None:
    grain = np.random.default_rng(0).integers(0, 256, slides.texture(0).shape, dtype=np.uint8)
    path = slides.film(tmp_path / "grain.mp4", [(grain, 4)])
    assert made(path, capsys, "--read-screen", "on").count("no text on the screen") == 1
