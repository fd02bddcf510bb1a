"""Reading and writing subtitles."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from time import process_time

import pytest

from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.video import Cue, SubtitleTrack
from saffa.media.probe import probe
from saffa.media.subtitles.lines import embedded, load, plain, save
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


@pytest.mark.parametrize("pattern", ["{", "{a}", "{\\p1}", "<a", "\n", "< i", "{\\p1}{\\p0}"])
@pytest.mark.parametrize("suffix", [".srt", ".ass"])
def test_reading_takes_time_in_proportion_to_the_size(tmp_path: Path, pattern: str, suffix: str) -> None:
    head = "1\n00:00:01,000 --> 00:00:02,000\na" if suffix == ".srt" else ASS

    def spent(times: int) -> float:
        path = tmp_path / f"a{suffix}"
        path.write_text(head + pattern * times + "b\n", "utf-8")
        start = process_time()
        with suppress(InputError):
            load(path)
        return process_time() - start

    # A square would be 64 times. 30 ms are lost in the noise of the machine.
    assert spent(24_000) < 3 * 8 * max(spent(3_000), 0.03)


ASS = (
    "[Script Info]\n\n[V4+ Styles]\nFormat: Name, Alignment\nStyle: Default,99\n\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Dialogue: x,0:00:01.00,0:00:02.00,Default,,0,0,0,,"
)


def test_drawings_are_left_out(tmp_path: Path) -> None:
    lines = ["{\\p1}m 0 0 l 9 9{\\p0}", "{\\pos(1,2)}Stir", "Add \\p1 of {salt}", "{\\an8\\p2}m 0 0"]
    (tmp_path / "a.ass").write_text(ASS + ASS.splitlines()[-1].join(f"{line}\n" for line in lines), "utf-8")
    assert [cue.text for cue in load(tmp_path / "a.ass")] == ["Stir", "Add \\p1 of"]


@pytest.mark.parametrize(
    "text",
    [
        '<tt xmlns="http://www.w3.org/ns/ttml"><body><p begin="0s',
        '{"info": {}, "styles": {}, "events": [' + "[" * 50_000,
        "[Script Info]\n[V4+ Styles]\nFormat: Name\nStyle: a,b,c\n[Events]\nDialogue: 1\n",
        "{1}{a}x",
        "\0" * 9,
    ],
)
@pytest.mark.parametrize("suffix", [".srt", ".vtt", ".ass", ".sub", ".txt"])
def test_what_is_no_subtitle_file_is_told(tmp_path: Path, text: str, suffix: str) -> None:
    (tmp_path / f"a{suffix}").write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"subtitle|text file"):
        load(tmp_path / f"a{suffix}")
    if suffix == ".srt":
        with pytest.raises(InputError):
            Document.from_file(tmp_path / "a.srt")
