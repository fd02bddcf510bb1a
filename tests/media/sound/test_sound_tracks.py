"""Sound tracks as they come out: any number of channels, slow rates, samples beyond full scale."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from saffa.core.timeline import timemap_of
from saffa.media.probe import probe
from saffa.media.render import render
from saffa.media.writer import RenderOptions


def movie(path: Path, rate: int, layout: str, channels: int, level: float) -> Path:
    """Four seconds of picture at 25 fps with a tone."""
    with av.open(str(path), "w") as target:
        picture = target.add_stream("libx264", rate=25)
        picture.width = picture.height = 64
        picture.pix_fmt = "yuv420p"
        sound = target.add_stream("pcm_f32le", rate=rate, layout=layout)
        for i in range(100):
            frame = av.VideoFrame.from_ndarray(np.full((64, 64, 3), 2 * i, np.uint8), format="rgb24")
            frame.pts, frame.time_base = i, Fraction(1, 25)
            target.mux(picture.encode(frame))
        target.mux(picture.encode(None))
        tone = level * np.sin(2 * np.pi * 440 * np.arange(4 * rate) / rate)
        samples = np.repeat(tone[:, None], channels, 1).astype(np.float32).reshape(1, -1)
        block = av.AudioFrame.from_ndarray(samples, format="flt", layout=layout)
        block.sample_rate, block.pts = rate, 0
        target.mux(sound.encode(block))
        target.mux(sound.encode(None))
    return path


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".webm"])
@pytest.mark.parametrize(
    ("rate", "layout", "channels"), [(8000, "mono", 1), (11025, "stereo", 2), (44100, "5.1", 6), (48000, "7.1", 8)]
)
def test_sound_ends_with_the_picture(tmp_path: Path, suffix: str, rate: int, layout: str, channels: int) -> None:
    video = probe(movie(tmp_path / "in.mkv", rate, layout, channels, 0.5))
    frames = tuple(range(0, 100, 2))
    out = tmp_path / f"out{suffix}"
    render(video, frames, timemap_of(video, frames), out, RenderOptions())
    with av.open(str(out)) as movie_out:
        assert movie_out.streams.audio[0].codec_context.channels == channels
        seconds = sum(f.samples / f.sample_rate for f in movie_out.decode(audio=0))
    assert seconds == pytest.approx(2.0, abs=0.04)


def test_sound_beyond_full_scale_is_clipped_not_wrapped(tmp_path: Path) -> None:
    video = probe(movie(tmp_path / "in.mkv", 48000, "mono", 1, 1.7))
    frames = tuple(range(100))
    out = tmp_path / "out.mp4"
    render(video, frames, timemap_of(video, frames), out, RenderOptions())
    with av.open(str(out)) as movie_out:
        heard = np.concatenate([f.to_ndarray().ravel() for f in movie_out.decode(audio=0)])
    assert np.abs(heard).max() < 1.5
    assert np.abs(heard).max() > 0.9


def test_channels_in_an_order_of_their_own(tmp_path: Path) -> None:
    """QuickTime lists the channels of 7.1 in another order than libav's: PyAV freed that list twice, a crash."""
    video = probe(movie(tmp_path / "in.mov", 48000, "7.1", 8, 0.5))
    assert [(track.channels, track.layout) for track in video.sounds] == [(8, "7.1")]
    frames = tuple(range(0, 100, 2))
    for out in ("out.mp4", "out.mov"):
        render(video, frames, timemap_of(video, frames), tmp_path / out, RenderOptions())
        assert probe(tmp_path / out).sounds[0].channels == 8
