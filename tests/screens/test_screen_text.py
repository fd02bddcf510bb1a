"""The text on the screen of whole films, by the real recogniser."""

from pathlib import Path

import numpy as np
import pytest

from saffa.core.errors import InputError, SaffaError
from saffa.media.probe import probe
from saffa.sample import VIDEO
from saffa.screens import ocr
from saffa.screens.ocr import WrittenLine, can_read, load_reader
from saffa.screens.screen_text import glance, looks_written, read_screen
from tests.screens.slides import film, slide, texture

installed = pytest.mark.skipif(not can_read(), reason="saffa[ocr] is not installed")


@installed
def test_slides_are_read_with_their_times(tmp_path: Path) -> None:
    shots = [(texture(1), 6), (slide(["Boil the water"]), 7), (slide(["Boil the water", "Grind the beans"]), 7)]
    video = probe(film(tmp_path / "slides.mp4", [*shots, (texture(2), 6)]))
    lines = read_screen(video, glance(video), asked=False).lines
    assert [line.text for line in lines] == ["Boil the water", "Grind the beans"]
    assert [line.kind for line in lines] == ["shown", "shown"]
    for line, (start, end) in zip(lines, [(6, 20), (13, 20)], strict=True):
        assert abs(float(line.start) - start) <= 1.1
        assert abs(float(line.end) - end) <= 1.1


def test_a_film_without_letters_is_glanced_at_only(tmp_path: Path) -> None:
    video = probe(film(tmp_path / "film.mp4", [(texture(k), 3) for k in range(8)]))
    seen = glance(video)
    assert len(seen.times) == 5  # its key pictures
    assert not looks_written(seen)


def test_key_pictures_alone_decide_where_to_look(tmp_path: Path) -> None:
    """Of a long film with one title, only the pictures around the title are shown to the reader."""
    shots = [(texture(k), 10) for k in range(12)]
    shots[6] = (slide(["The second part"]), 10)
    video = probe(film(tmp_path / "film.mp4", shots))
    seen = glance(video)
    assert 0.04 < seen.share < 0.2
    wanted = seen.wanted(120.0)
    assert [second for second in range(0, 120, 5) if wanted(float(second))] == [55, 60, 65, 70]


@pytest.mark.parametrize("codec", ["mjpeg", "mpeg4"])
def test_films_of_key_pictures_and_of_long_groups(tmp_path: Path, codec: str) -> None:
    name = "film.avi" if codec == "mpeg4" else "film.mkv"
    video = probe(film(tmp_path / name, [(slide(["Boil the water"]), 4), (texture(2), 4)], codec=codec))
    times: list[int] = []

    def read(picture: np.ndarray) -> list[WrittenLine]:
        times.append(len(picture))
        return [WrittenLine("Boil the water", (80, 90, 500, 160))]

    lines = read_screen(video, glance(video), asked=True, read=read).lines
    assert [(float(line.start), round(float(line.end))) for line in lines] == [(0.0, 4)]


@pytest.mark.slow
@installed
def test_the_labels_of_the_sample_are_read() -> None:
    """All seven steps have a label in the picture."""
    video = probe(VIDEO)
    lines = read_screen(video, glance(video), asked=True).lines
    labels = ["Heat the water", "Grind the beans", "Rinse the filter", "Let it bloom", "Pour in circles"]
    read = " / ".join(line.text for line in lines)
    assert [label for label in [*labels, "Let it drain", "Serve"] if label not in read] == []


@installed
def test_a_sign_that_is_always_there_is_left_out(tmp_path: Path) -> None:
    sign = "Channel five"
    video = probe(film(tmp_path / "film.mp4", [(slide([sign]), 6), (slide([sign, "Boil the water"]), 6)]))
    assert [line.text for line in read_screen(video, glance(video), asked=True).lines] == ["Boil the water"]


def test_without_the_extra_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "can_read", lambda: False)
    with pytest.raises(InputError, match=r"saffa\[ocr\]"):
        load_reader()


@installed
def test_a_recogniser_that_fails_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    import rapidocr_onnxruntime  # noqa: PLC0415

    def fails(*_: object, **__: object) -> None:
        raise ValueError("no memory\nfor this picture")

    monkeypatch.setattr(rapidocr_onnxruntime, "RapidOCR", lambda **_: fails)
    with pytest.raises(SaffaError, match=r"^Reading the screen failed: no memory\.$"):
        load_reader()(slide(["Boil"]))
