"""Sound is cut in pauses, nothing is lost, and hours need no more memory than a minute."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from saffa.media.probe import probe
from saffa.speech.stretches import LONGEST, RATE, SHORTEST, Stretch, speech_track, stretches
from tests.speech.sounds import Samples, film


def bursts(seconds: int) -> Samples:
    """A tone that pauses for half a second at the end of every four seconds."""
    time = np.arange(seconds * RATE) / RATE
    return (0.3 * np.sin(2 * np.pi * 300 * time) * (time % 4 < 3.5)).astype(np.float32)


def cut(path: Path) -> list[Stretch]:
    video = probe(path)
    track = speech_track(video)
    assert track is not None
    return list(stretches(video, track))


@pytest.mark.parametrize("rate", [16_000, 44_100])
def test_stretches_follow_each_other_and_end_in_pauses(tmp_path: Path, rate: int) -> None:
    time = np.arange(100 * rate) / rate
    tone = (0.3 * np.sin(2 * np.pi * 300 * time) * (time % 4 < 3.5)).astype(np.float32)
    pieces = cut(film(tmp_path / "tone.mp4", tone, rate))
    ends = [piece.start + len(piece.samples) / RATE for piece in pieces]
    assert [piece.start for piece in pieces[1:]] == pytest.approx(ends[:-1])
    assert ends[-1] == pytest.approx(100, abs=0.3)
    assert all(SHORTEST <= len(piece.samples) <= LONGEST for piece in pieces[:-1])
    assert all(3.5 < piece.start % 4 < 4 for piece in pieces[1:])  # in a pause
    whole = np.concatenate([piece.samples for piece in pieces])
    onsets = np.flatnonzero(np.diff((np.abs(whole) > 0.05).astype(int)) == 1) / RATE
    assert any(abs(onset - 48.0) < 0.05 for onset in onsets)  # on the picture's clock


def test_memory_does_not_grow_with_the_film(tmp_path: Path) -> None:
    def peak(seconds: int) -> int:
        path = film(tmp_path / f"{seconds}.mp4", bursts(seconds), frames_a_second=1)
        video = probe(path)
        track = speech_track(video)
        assert track is not None
        tracemalloc.start()
        for _ in stretches(video, track):
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(300) < 1.5 * peak(60)


def test_silence_is_known_without_listening(tmp_path: Path) -> None:
    assert all(piece.silent for piece in cut(film(tmp_path / "quiet.mp4", np.zeros(50 * RATE, np.float32))))
    assert not any(piece.silent for piece in cut(film(tmp_path / "tone.mp4", bursts(20))))


def test_a_silent_film_has_no_track(tmp_path: Path) -> None:
    assert speech_track(probe(film(tmp_path / "mute.mp4", None))) is None
