import json
from pathlib import Path

import numpy as np
import pytest

from saffa.research.datasets import msvd_long
from saffa.research.datasets.msvd_long import source_of

pytest.importorskip("torch", reason="training needs saffa[train]")

from saffa.research.training.contrastive.training import ContrastiveSettings, train_contrastive
from saffa.research.training.saffa.signals import crossed, dealt

NAMES = [f"source{k // 2}_{k}_{k + 10}" for k in range(60)]
WORDS = ["man", "dog", "runs", "cooks", "fast", "soup"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """60 clips of 30 YouTube videos, and words."""
    random = np.random.default_rng(0)
    (tmp_path / "msvd").mkdir()
    (tmp_path / "glove").mkdir()
    np.savez(
        tmp_path / "msvd/msvd_features.npz",
        features=random.normal(size=(60, 20, 8)).astype(np.float16),
        clip_ids=NAMES,
        split=["train"] * 60,
    )
    captions = {
        name: {"split": "train", "seconds": 10, "captions": [f"a {WORDS[k % 6]} and a {WORDS[(k + 1) % 6]} here"] * 6}
        for k, name in enumerate(NAMES)
    }
    (tmp_path / "msvd/msvd_captions.json").write_text(json.dumps(captions))
    np.savez(
        tmp_path / "glove/glove_100d_subset.npz",
        words=np.array(WORDS),
        vectors=random.normal(size=(6, 100)).astype(np.float16),
    )
    return tmp_path


def test_clips_of_one_video_share_a_fold() -> None:
    folds = dealt(NAMES, 4, seed=0)
    assert sorted(set(folds)) == [0, 1, 2, 3]
    by_source: dict[str, set[int]] = {}
    for name, fold in zip(NAMES, folds, strict=True):
        by_source.setdefault(source_of(name), set()).add(fold)
    assert all(len(own) == 1 for own in by_source.values())
    assert max(map(folds.count, range(4))) - min(map(folds.count, range(4))) <= 2
    assert dealt(NAMES, 4, seed=0) == folds != dealt(NAMES, 4, seed=1)


def test_no_encoder_has_seen_the_clips_it_judges(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[str]] = []
    judged: list[set[str]] = []
    train, assemble = train_contrastive, msvd_long.assemble

    def noting_train(training, *rest, **options):  # type: ignore[no-untyped-def]
        seen.append(set(training.ids))
        return train(training, *rest, **options)

    def noting_assemble(folder, split, count, seed, among):  # type: ignore[no-untyped-def]
        judged.append(set(among))
        return assemble(folder, split, count, seed, among=among)

    monkeypatch.setattr("saffa.research.training.saffa.signals.train_contrastive", noting_train)
    monkeypatch.setattr(msvd_long, "assemble", noting_assemble)
    settings = ContrastiveSettings(embedding=4, epochs=1, batch=16)
    made = list(crossed(data, tmp_path / "kept", 2, seed=0, folds=2, settings=settings))
    assert [len(videos) for _, videos in made] == [2, 2]
    assert set().union(*judged) == set(NAMES)
    for training, held_out, (encoder, videos) in zip(seen, judged, made, strict=True):
        assert not {source_of(name) for name in training} & {source_of(name) for name in held_out}
        alignment = encoder.encode(videos[0], videos[0].document, None)
        assert alignment.frames == videos[0].frames
