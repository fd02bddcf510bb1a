import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from saffa.core.errors import InputError
from saffa.media.probe import probe
from saffa.media.subtitles.lines import find_narration, find_sidecar, read_narration
from saffa.sample import VIDEO

SRT = """2
00:00:05,000 --> 00:00:07,500
pour the <b>water</b>

1
00:00:01,000 --> 00:00:02,000
grind the beans

3
00:00:08,000 --> 00:00:09,000

"""


@pytest.fixture
def subtitles(tmp_path: Path) -> Path:
    path = tmp_path / "said.srt"
    path.write_text(SRT, encoding="utf-8")
    return path


def test_lines_come_in_order_and_without_markup(subtitles: Path) -> None:
    narration = read_narration(subtitles)
    assert [(c.start, c.end, c.text) for c in narration.cues] == [
        (Fraction(1), Fraction(2), "grind the beans"),
        (Fraction(5), Fraction(15, 2), "pour the water"),
    ]


def test_a_late_container_start_moves_the_lines(subtitles: Path) -> None:
    assert read_narration(subtitles, Fraction(-1, 4)).cues[0].start == Fraction(3, 4)


def test_sidecar_by_name(tmp_path: Path) -> None:
    video = tmp_path / "film.mp4"
    for name in ("film2.srt", "other.srt", "film.en.x.srt"):
        (tmp_path / name).write_text(SRT)
    assert find_sidecar(video) is None
    (tmp_path / "film.en.vtt").write_text("WEBVTT\n")
    assert find_sidecar(video) == tmp_path / "film.en.vtt"
    (tmp_path / "film.vtt").write_text("WEBVTT\n")
    (tmp_path / "film.srt").write_text(SRT)
    assert find_sidecar(video) == tmp_path / "film.srt"


def test_given_then_sidecar_then_embedded(tmp_path: Path, subtitles: Path) -> None:
    video = tmp_path / "film.mp4"
    shutil.copy(VIDEO, video)
    embedded = find_narration(probe(video))
    assert embedded is not None
    assert len(embedded) > 20
    assert "stream" in embedded.source
    shutil.copy(subtitles, tmp_path / "film.srt")
    beside = find_narration(probe(video))
    assert beside is not None
    assert beside.source.endswith("film.srt")
    given = find_narration(probe(video), subtitles)
    assert given is not None
    assert given.source.endswith("said.srt")


def test_unreadable_subtitles(tmp_path: Path) -> None:
    path = tmp_path / "x.srt"
    path.write_text("nothing that is a subtitle")
    with pytest.raises(InputError, match=r"x\.srt"):
        read_narration(path)


def test_lines_of_another_video_are_refused(tmp_path: Path) -> None:
    late = tmp_path / "late.srt"
    late.write_text("1\n00:09:00,000 --> 00:09:02,000\npour the water\n", encoding="utf-8")
    video = probe(VIDEO)
    with pytest.raises(InputError, match=r"No line of .*late.srt falls into the video: the first is at 9:00"):
        find_narration(video, late)
    assert find_narration(video, late, Fraction(600)) is not None  # a pipe of which that length was told
