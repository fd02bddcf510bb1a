"""Assembled videos: real files whose steps lie where they are said to lie."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saffa.core.errors import InputError
from saffa.media.thumbnails import thumbnails
from saffa.research.datasets import assembled
from saffa.research.datasets.assembled import RATE, SECONDS, STEPS, STRANGERS, assemble, find_scenes, stranger
from saffa.research.datasets.assembled import scenes as known_scenes


@pytest.fixture
def photographs(tmp_path: Path) -> Path:
    """Flat pictures under known names, each in its own grey."""
    (tmp_path / "photographs").mkdir()
    for k, name in enumerate(sorted(known_scenes())):
        Image.new("RGB", (64, 48), (9 * k, 9 * k, 9 * k)).save(tmp_path / "photographs" / f"{name}.png")
    return tmp_path


def test_a_plan_says_what_is_seen_when() -> None:
    scenes = sorted(known_scenes())
    for seed in range(20):
        parts = assemble(scenes, np.random.default_rng(seed))
        assert [part.start for part in parts[1:]] == [part.end for part in parts[:-1]]
        assert len({part.scene for part in parts}) == len(parts)
        steps = [part for part in parts if part.sentence is not None]
        assert STEPS[0] <= len(steps) < STEPS[1]
        assert all(part.sentence in known_scenes()[part.scene] for part in steps)
        assert all(SECONDS[0] - 0.1 <= (part.end - part.start) / RATE <= SECONDS[1] + 0.1 for part in parts)


def test_every_scene_is_step_and_background() -> None:
    plans = [assemble(sorted(known_scenes()), np.random.default_rng([1, n])) for n in range(60)]
    for scene in known_scenes():
        roles = [part.sentence is None for plan in plans for part in plan if part.scene == scene]
        assert 0.1 < np.mean(roles) < 0.9, scene


def test_a_strangers_text_is_about_nothing_seen() -> None:
    plans = [assemble(sorted(known_scenes()), np.random.default_rng([1, n])) for n in range(24)]
    for n, plan in enumerate(plans):
        texts = [stranger(plans, n, k) for k in range(STRANGERS)]
        assert len(set(texts)) == STRANGERS
        for text in texts:
            assert text
            assert not [part.scene for part in plan if set(text) & set(known_scenes()[part.scene])]


def test_frames_show_their_scene(photographs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFFA_CACHE", str(photographs / "cache"))
    monkeypatch.setattr(assembled, "VIDEOS", {"validation": (4, 5)})
    videos = assembled.load(photographs, "validation")
    plans = [assemble(sorted(find_scenes(photographs)), np.random.default_rng([5, n])) for n in range(4)]
    for video, plan in zip(videos, plans, strict=True):
        assert video.frames == video.file.frames == plan[-1].end
        grey = {part.scene: 9 * sorted(known_scenes()).index(part.scene) for part in plan}
        for look in thumbnails(video.file, 32):
            (part,) = [part for part in plan if part.start <= round(look.time * RATE) < part.end]
            assert abs(float(look.picture.mean()) - grey[part.scene]) < 4
        assert video.steps == tuple((part.start, part.end) for part in plan if part.sentence is not None)
        assert video.document.sentences == tuple(part.sentence for part in plan if part.sentence is not None)
    again = assembled.load(photographs, "validation", shuffled_documents=True)
    assert [video.file.path for video in again] == [video.file.path for video in videos for _ in range(STRANGERS)]
    assert again[0].document != videos[0].document


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="0 of the"):
        find_scenes(tmp_path)
    with pytest.raises(InputError, match="validation, test"):
        assembled.load(tmp_path, "training")
