"""More long videos from MSVD clips, put together as those of MSVD-Long are: other draws, to train on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from saffa.data.features import FeatureVideo
from saffa.data.msvd_long import clip_features, video_of
from saffa.errors import InputError

RATE = 30
CLIPS = (3, 7)
"""Fewest and most step clips, and background clips."""
FRAMES, STEP_SHARE = (1500, 5000), (0.35, 0.65)
WORDS = (4, 20)
"""Of a caption that may be a sentence of the document."""
SHARED = 0.5
"""A background clip is refused if a caption of it shares so much of the content words with a sentence."""
TRIES = 10_000
"""Draws before a set of clips is given up."""
EMPTY_WORDS = (
    " a an the is are was were be being been and or of in on at to from with by for into onto over out up down off his "
    "her its their he she it they them this that some someone something there while as "
)


def assemble(folder: Path, split: str, count: int, seed: int) -> list[FeatureVideo]:
    """`count` videos of captioned clips of a split, put together by the rules of MSVD-Long."""
    captions = _captions(folder / "msvd" / "msvd_captions.json")
    clips = clip_features(folder / "msvd" / "msvd_features.npz")
    names = [name for name, facts in captions.items() if facts["split"] == split and name in clips]
    if not names:
        raise InputError(f"msvd has no captioned clips in the split {split!r}; it has train, val and test.")
    random = np.random.default_rng(seed)
    videos: list[FeatureVideo] = []
    for _ in range(TRIES):
        segments, document = _draw(names, captions, random)
        if _allowed(segments, document, captions):
            entry = {"fps": RATE, "segments": segments}
            videos.append(video_of(entry, f"{split}-assembled-{len(videos)}", document, clips))
        if len(videos) == count:
            return videos
    raise InputError(f"The clips of the split {split!r} do not make {count} long videos; {len(videos)} were found.")


def _draw(
    names: list[str], captions: dict[str, Any], random: np.random.Generator
) -> tuple[list[dict[str, Any]], list[str]]:
    """Segments of one video, and its document: a caption of each step clip."""
    steps, others = random.integers(CLIPS[0], CLIPS[1] + 1, size=2)
    by_source: dict[str, str] = {}
    for name in random.permutation(names).tolist():
        by_source.setdefault(name.rsplit("_", 2)[0], name)
    chosen = list(by_source.values())[: steps + others]
    kinds = random.permutation([True] * steps + [False] * others).tolist()
    segments, document, start = [], [], 0
    for name, is_step in zip(chosen, kinds, strict=False):
        end = start + RATE * round(captions[name]["seconds"])
        segments.append({"clip": name, "start": start, "end": end, "is_step": is_step})
        start = end
        if is_step:
            fitting = typical_captions(captions[name]["captions"])
            document.append(fitting[random.integers(len(fitting))])
    return segments, document


def typical_captions(captions: list[str]) -> list[str]:
    """Those of 4-20 words that agree with the clip's other captions as much as the median one or more."""
    words = [content_words(caption) for caption in captions]
    agreement = [
        float(np.mean([shared_words(mine, other) for k, other in enumerate(words) if k != n] or [0.0]))
        for n, mine in enumerate(words)
    ]
    level = float(np.median(agreement))
    able = [WORDS[0] <= len(caption.split()) <= WORDS[1] for caption in captions]
    fitting = [c for c, fits, share in zip(captions, able, agreement, strict=True) if fits and share >= level]
    return fitting or [c for c, fits in zip(captions, able, strict=True) if fits] or captions


def content_words(sentence: str) -> frozenset[str]:
    """Words that say something, crudely stemmed."""
    words = (word.strip(".,!?;:\"'()").lower() for word in sentence.split())
    return frozenset(_stem(word) for word in words if word and f" {word} " not in EMPTY_WORDS)


def shared_words(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the words of both that are in each (Jaccard)."""
    return len(one & other) / max(len(one | other), 1)


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _allowed(segments: list[dict[str, Any]], document: list[str], captions: dict[str, Any]) -> bool:
    """Length and share of steps as in the benchmark, a background between steps, none that a sentence also fits."""
    frames = segments[-1]["end"]
    share = sum(s["end"] - s["start"] for s in segments if s["is_step"]) / frames
    if not (FRAMES[0] <= frames <= FRAMES[1] and STEP_SHARE[0] <= share <= STEP_SHARE[1]):
        return False
    kinds = [s["is_step"] for s in segments]
    first, last = kinds.index(True), len(kinds) - kinds[::-1].index(True)
    sentences = [content_words(sentence) for sentence in document]
    others = [c for s in segments if not s["is_step"] for c in captions[s["clip"]]["captions"]]
    close = any(shared_words(content_words(c), sentence) >= SHARED for c in others for sentence in sentences)
    return not all(kinds[first:last]) and not close


def _captions(path: Path) -> dict[str, Any]:
    try:
        captions: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no {path}. The data folder must hold msvd/.") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"Cannot read {path}: {error}.") from None
    return captions
