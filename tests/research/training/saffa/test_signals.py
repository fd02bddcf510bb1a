"""Signals for the compact agent: small alignments that keep both signals, collected once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.methods.paper.compact import signal_of
from saffa.research.training.saffa import signals
from saffa.research.training.saffa.compact import signal_tracks
from saffa.research.training.saffa.presets import preset_for
from tests.methods.paper.test_compact import alignment


def test_both_signals_survive(tmp_path: Path) -> None:
    whole = alignment(300, 1)
    whole = replace(whole, e_d=whole.e_d[::-1].copy())
    kept = signals.small(whole)
    kept.save(tmp_path / "kept.npz")
    again = Alignment.load(tmp_path / "kept.npz")
    for signal in ("relevance", "product"):
        np.testing.assert_allclose(signal_of(again, signal), signal_of(whole, signal), atol=1e-5)
    assert again.e_v.shape[1] == 1 and len(again.document) == 1


def test_what_the_encoder_says_of_the_sentences_is_dropped() -> None:
    whole = alignment(300, 1)
    sure = replace(whole, confidence=np.full(len(whole.document), 0.5, np.float32), fit=0.9)
    assert signals.small(sure).confidence is None


def test_half_a_text_and_a_thinner_video() -> None:
    text = Document(("one", "two", "three"))
    assert signals.half(text, 0).sentences == ("one", "three")
    assert signals.half(text, 1).sentences == ("two",)
    assert signals.half(Document(("one",)), 1).sentences == ("one",)
    whole = alignment(300, 1)
    thin = signals.thinned(whole, 3)
    assert thin.frames == 100 and thin.rate * 3 == whole.rate
    np.testing.assert_allclose(signal_of(thin), signal_of(whole)[::3], atol=1e-6)


def test_they_are_collected_once_and_read_as_two_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def few(data: Path, encoders: Path) -> Iterator[Alignment]:
        asked.append((data, encoders))
        yield from (alignment(200, seed, name) for seed, name in enumerate(("narrated", "visual", "visual")))

    monkeypatch.setattr(signals, "signals", few)
    folder = tmp_path / "signals"
    for _ in range(2):
        signals.collect(tmp_path, folder, lambda _stage, _share: None)
    assert asked == [(tmp_path, folder / "encoders")]
    tracks = signal_tracks(folder, replace(preset_for("compact"), signal="both", look_ahead=False))
    assert sorted({track.encoder for track in tracks}) == ["narrated", "narrated:product", "visual", "visual:product"]
    assert len(tracks) == 6


@pytest.mark.slow
def test_videos_of_pictures_are_read_in_two_ways(shared_data: Path) -> None:
    whole, one_by_one = list(signals.pictured(shared_data, 1))[:2]
    assert (whole.encoder, one_by_one.encoder) == ("visual", "visual-live")
    assert whole.frames == one_by_one.frames
    assert 0.1 < whole.relevance.std() < 0.5
