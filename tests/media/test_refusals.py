"""What is no video, no subtitle file and no possible output: one plain line each that says what to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from PIL import Image

from saffa.core.clock import parse_length
from saffa.core.errors import InputError
from saffa.core.timeline import TimeMap
from saffa.core.video import Cue, Narration, SubtitleTrack
from saffa.media.container import is_movie, open_movie
from saffa.media.frame_stream import read_frames
from saffa.media.probe import probe
from saffa.media.render import render
from saffa.media.subtitles import lines
from saffa.media.writer import RenderOptions, check_output, codec_for, depth_notes, encoder_options
from saffa.pipeline.narration import Said, narration_as_text
from tests.media.movies import Movie, make


def refused(call: Callable[[], object]) -> str:
    """The one line of an InputError."""
    with pytest.raises(InputError) as told:
        call()
    assert "\n" not in str(told.value)
    return str(told.value)


def test_files_that_are_no_video(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "words.mp4").write_text("Boil the water.\n" * 99, "utf-8")
    (tmp_path / "noise.mp4").write_bytes(bytes(range(256)) * 40)
    Image.new("RGB", (64, 48)).save(tmp_path / "picture.png")
    os.mkfifo(tmp_path / "pipe.mp4")
    told = {
        "folder": "is a folder; give the video file itself",
        "missing.mp4": "does not exist; check the name",
        "empty.mp4": "is empty (0 bytes)",
        "pipe.mp4": "is not a regular file; save the video to disk first",
        "words.mp4": "is a text, not a video",
        "picture.png": "is a single picture, not a video",
        "noise.mp4": "cannot be read as a video; it is of another kind or damaged",
    }
    for name, why in told.items():
        assert why in refused(lambda name=name: open_movie(tmp_path / name))  # type: ignore[misc]
        assert not is_movie(tmp_path / name)
    assert not is_movie(Path("x" * 5000))


def test_a_file_without_pictures(tmp_path: Path) -> None:
    with av.open(str(tmp_path / "song.mp4"), "w") as container:
        stream = container.add_stream("aac", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.float32), "fltp", "mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    assert "holds only sound; give a file with a video in it" in refused(lambda: probe(tmp_path / "song.mp4"))
    assert is_movie(tmp_path / "song.mp4")  # libav can open it


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("o.mp4", {"audio": "loud"}, "--audio 'loud' is not known; choose stretch, mute or drop."),
        ("o.mp4", {"subtitle_lines": "few"}, "--subtitle-lines 'few' is not known"),
        ("o.mp4", {"burn": "all"}, "--burn 'all' is not known; choose steps or nothing."),
        ("o.mp4", {"chapters": "some"}, "--chapters 'some' is not known"),
        ("o.mp4", {"codec": "theora"}, "Codec 'theora' is not known; choose one of h264,"),
        ("o.webm", {"codec": "h264"}, "A .webm file cannot hold h264; choose one of vp9, av1."),
        ("o.mp4", {"crf": 52}, "--crf for h264 must be between 0 (best) and 51, not 52."),
        ("o.mkv", {"crf": 0, "codec": "mpeg4"}, "--crf for mpeg4 must be between 1 (best) and 31, not 0."),
        ("o.mp4", {"preset": "fastest"}, "Preset 'fastest' is not known; choose one of ultrafast,"),
        ("o.ogv", {}, "the output must end in one of .m4v, .mkv, .mov, .mp4, .webm."),
    ],
)
def test_outputs_that_cannot_be(tmp_path: Path, name: str, options: dict[str, Any], told: str) -> None:
    assert told in refused(lambda: check_output(tmp_path / name, (), RenderOptions(**options)))


def test_every_preset_has_settings_for_every_codec() -> None:
    quick, slow = (encoder_options("h264", None, preset) for preset in ("veryfast", "veryslow"))
    assert (quick["crf"], quick["preset"], quick["bf"], slow.get("bf")) == ("23", "veryfast", "0", None)
    assert encoder_options("h264", 18, None, large=True)["rc-lookahead"] == "0"
    assert encoder_options("hevc", None, "slow")["preset"] == "slow"
    av1 = [encoder_options("av1", 30, preset)["preset"] for preset in ("ultrafast", "medium", "veryslow")]
    assert av1 == ["8", "6", "2"]
    fast, good = (encoder_options("vp9", None, preset) for preset in (None, "medium"))
    assert (fast["deadline"], fast["cpu-used"], good["deadline"], good["cpu-used"]) == ("realtime", "6", "good", "3")
    assert encoder_options("mpeg4", 3, None) == {"flags": "+qscale", "global_quality": "354"}


def test_codecs_and_depth_by_the_name_of_the_output() -> None:
    assert codec_for(Path("a.mp4"), None, hdr=False) == "h264"
    assert codec_for(Path("a.MOV"), None, hdr=True) == "hevc"
    assert codec_for(Path("a.webm"), None, hdr=True) == "vp9"
    assert codec_for(Path("a.mp4"), "av1", hdr=True) == "av1"
    (note,) = depth_notes(Path("a.mp4"), "h264", "yuv420p10le", "yuv420p")
    assert note.endswith("; --codec hevc keeps 10.")
    assert depth_notes(Path("a.mp4"), "hevc", "yuv420p10le", "yuv420p10le") == ()
    assert depth_notes(Path("a.mp4"), "h264", "yuv420p", "yuv420p") == ()


def test_subtitles_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mkv", Movie(frames=3)))
    (tmp_path / "none.ass").write_text("[Script Info]\n\n[Events]\nFormat: Start, End, Text\n", "utf-8")
    assert "holds no subtitle lines" in refused(lambda: lines.load(tmp_path / "none.ass"))
    pictures = SubtitleTrack(1, "hdmv_pgs_subtitle", "en", None, is_text=False)
    assert "is made of pictures (hdmv_pgs_subtitle)" in refused(lambda: lines.embedded(video, pictures))
    wrong = SubtitleTrack(0, "subrip", None, None, is_text=True)
    assert "Stream 0 of" in refused(lambda: lines.embedded(video, wrong))
    cues = [Cue(Fraction(0), Fraction(1), "boil")]
    assert "subtitles are written as .ass, .srt, .ssa, .vtt." in refused(lambda: lines.save(cues, tmp_path / "a.txt"))
    assert not lines.is_saved(cues, tmp_path / "missing.srt")
    lines.save(cues, tmp_path / "a.srt")
    assert lines.is_saved(cues, tmp_path / "a.srt")
    assert not lines.is_saved([Cue(Fraction(0), Fraction(1), "stir")], tmp_path / "a.srt")


def test_frames_that_are_not_in_the_video(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(frames=5)))
    for wanted in ([3, 2], [1, 1], [-1, 2], [0, 5]):
        with pytest.raises(ValueError, match="strictly increasing indices of the video"):
            next(read_frames(video, wanted))
    assert list(read_frames(video, [])) == []
    timemap = TimeMap((Fraction(0), video.duration), (Fraction(0), Fraction(1)))
    assert "No frame is selected" in refused(lambda: render(video, [], timemap, tmp_path / "b.mp4"))


def test_a_video_in_which_nothing_is_said_is_no_text(tmp_path: Path) -> None:
    video = probe(make(tmp_path / "a.mp4", Movie(frames=3)))
    shown = Narration((Cue(Fraction(0), Fraction(1), "TITLE", kind="shown"),))
    for said in (Said(None), Said(shown)):
        assert "Nothing is said in this video" in refused(lambda said=said: narration_as_text(video, said))  # type: ignore[misc]


@pytest.mark.parametrize("text", ["", "2:99", "1:60:00", "h", "-5", "5 apples", "1::2"])
def test_lengths_that_nobody_can_mean(text: str) -> None:
    assert "Cannot read the length" in refused(lambda: parse_length(text))
