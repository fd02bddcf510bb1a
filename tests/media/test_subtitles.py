"""Reading, retiming and writing subtitles."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saffa.errors import InputError
from saffa.media.probe import SubtitleTrack, probe
from saffa.media.subtitles import READABLE, Cue, embedded, load, plain, retime, save
from saffa.timemap import TimeMap
from tests.media.movies import Movie, make

SRT = "1\n00:00:01,000 --> 00:00:02,500\n<i>Fry the café's eggs</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nStir\nwell\n\n"
WANTED = [
    Cue(Fraction(1), Fraction(5, 2), "Fry the café's eggs"),
    Cue(Fraction(3), Fraction(4), "Stir\nwell"),
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_encodings(tmp_path: Path, encoding: str, newline: str) -> None:
    path = tmp_path / "a.srt"
    path.write_bytes(SRT.replace("\n", newline).encode(encoding))
    assert load(path) == WANTED


@pytest.mark.parametrize("suffix", [".srt", ".vtt", ".ass", ".ssa"])
def test_what_is_saved_can_be_loaded(tmp_path: Path, suffix: str) -> None:
    save(WANTED, tmp_path / f"a{suffix}")
    assert load(tmp_path / f"a{suffix}") == WANTED


def test_vtt_with_all_its_markup(tmp_path: Path) -> None:
    path = tmp_path / "a.vtt"
    path.write_text(
        "WEBVTT\n\nNOTE nothing\n\n1\n00:01.000 --> 00:02.500 align:start\n"
        "<v Ann>Salt &amp; <c.red>pepper</c> <00:01.500>now</v>\n\n"
    )
    assert load(path) == [Cue(Fraction(1), Fraction(5, 2), "Salt & pepper now")]


def test_plain_text() -> None:
    assert plain(r"{\an8}{\i1}Two{\i0}\Nlines\h here") == "Two\nlines here"
    assert plain("1 < 2 and 3 > 2") == "1 < 2 and 3 > 2"
    assert plain("<b>x</b>") == "x"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.srt", b""),
        ("a.srt", b"no times here\n"),
        ("a.srt", bytes(range(256)) * 8),
        ("a.vtt", b"WEBVTT\n\n"),
        ("a.xyz", b"hello"),
    ],
)
def test_bad_files_are_one_plain_line(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as caught:
        load(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no subtitle file"):
        load(tmp_path / "a.srt")
    with pytest.raises(InputError, match="folder"):
        load(tmp_path)
    with pytest.raises(InputError, match="written as"):
        save(WANTED, tmp_path / "a.doc")


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "a.webm"])
def test_embedded_streams(tmp_path: Path, name: str) -> None:
    codec = "libvpx-vp9" if name.endswith("webm") else "libx264"
    cues = [(200, 900, "Hi\\Nyou"), (1000, 2000, "Salt, then pepper")]
    video = probe(make(tmp_path / name, Movie(codec=codec, cues=cues)))
    assert embedded(video, video.subtitles[0]) == [
        Cue(Fraction(1, 5), Fraction(9, 10), "Hi\nyou"),
        Cue(Fraction(1), Fraction(2), "Salt, then pepper"),
    ]


def test_embedded_times_count_from_the_first_frame(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mkv", Movie(start=Fraction(5), cues=[(5200, 6000, "Hi")])))
    assert embedded(video, video.subtitles[0]) == [Cue(Fraction(1, 5), Fraction(1), "Hi")]


def test_pictures_of_text_are_refused(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(frames=3)))
    with pytest.raises(InputError, match="pictures"):
        embedded(video, SubtitleTrack(1, "dvd_subtitle", None, None, is_text=False))


def at_speed(speed: int, seconds: int = 100) -> TimeMap:
    return TimeMap((Fraction(0), Fraction(seconds)), (Fraction(0), Fraction(seconds, speed)))


def cue(start: float, end: float, text: str) -> Cue:
    return Cue(Fraction(str(start)), Fraction(str(end)), text)


def test_normal_speed_changes_nothing() -> None:
    assert retime(WANTED, at_speed(1)) == WANTED


def test_short_cues_linger_in_silence() -> None:
    assert retime([cue(0, 2, "a"), cue(50, 52, "b")], at_speed(10)) == [cue(0, 0.5, "a"), cue(5, 5.5, "b")]


def test_short_neighbours_share_the_screen() -> None:
    cues = [cue(0, 2, "Chop"), cue(2, 4, "Fry"), cue(4, 6, "Eat"), cue(60, 80, "Rest")]
    assert retime(cues, at_speed(10)) == [cue(0, 0.6, "Chop\nFry\nEat"), cue(6, 8, "Rest")]


def test_what_cannot_be_read_at_once_gives_way() -> None:
    long = "x" * (READABLE - 10)
    cues = [cue(0, 2, long), cue(2, 4, long[::-1] + "y"), cue(4, 30, long + "z")]
    shown = retime(cues, at_speed(10))
    assert [c.text for c in shown] == [long, long + "z"]
    assert shown[0].end - shown[0].start >= Fraction(1, 2)


def test_rolling_captions_are_not_repeated() -> None:
    cues = [cue(0, 3, "one"), cue(2, 5, "one\ntwo")]
    assert retime(cues, at_speed(10)) == [cue(0, 0.5, "one\ntwo")]


def test_what_lies_outside_is_left_out() -> None:
    assert retime([cue(200, 300, "late")], at_speed(2)) == []


moments = st.fractions(0, 60, max_denominator=100)
lines = st.text("ab c", min_size=1, max_size=60)
some_cues = st.lists(
    st.builds(lambda s, d, t: Cue(s, s + d, t), moments, st.fractions(0, 8, max_denominator=100), lines), max_size=25
)
maps = st.lists(
    st.tuples(st.fractions(Fraction(1, 10), 10, max_denominator=30), st.integers(1, 25)), min_size=1, max_size=8
)


@given(some_cues, maps)
def test_retimed_cues_always_are_in_order_apart_and_long_enough(
    cues: list[Cue], pieces: list[tuple[Fraction, int]]
) -> None:
    source, output = [Fraction(0)], [Fraction(0)]
    for seconds, speed in pieces:
        source.append(source[-1] + seconds)
        output.append(output[-1] + seconds / speed)
    timemap = TimeMap(tuple(source), tuple(output))
    shown = retime(cues, timemap)
    assert all(c.end - c.start >= Fraction(1, 2) for c in shown)
    assert all(a.end <= b.start for a, b in pairwise(shown))
    assert all(c.start >= 0 and c.end <= timemap.duration for c in shown)
    said = {line for c in cues for line in c.text.split("\n")}
    assert all(line in said for c in shown for line in c.text.split("\n"))


@given(some_cues)
def test_saved_cues_never_overlap(cues: list[Cue]) -> None:
    shown = retime(cues, at_speed(7, 70))
    rounded = [(round(c.start * 1000), round(c.end * 1000)) for c in shown]
    assert all(a[1] <= b[0] for a, b in pairwise(rounded))
    assert all(a < b for a, b in rounded)
