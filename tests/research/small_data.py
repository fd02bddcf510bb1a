"""A data folder of the benchmarks' form, small enough to run every target in seconds."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.media.clicks import click_sound, make_video

STEPS = ("boil the water in a pot", "chop the onion", "fry the onion in butter", "serve the soup with bread")
_PLACES = ["kitchen", "garden", "street", "beach", "forest", "park", "room", "car", "boat", "stage", "pool", "farm"]
CLIPS = len(_PLACES)


def write_small_data(folder: Path) -> Path:
    """youcook2_narrated, msvd, msvd_long, youcook2 and coin."""
    _write(folder / "youcook2_narrated" / "youcook2_narrated.json", {"videos": _narrated()})
    _msvd(folder)
    entry = {
        "subset": "validation",
        "recipe_type": "101",
        "recipe_name": "soup",
        "duration": 13.0,
        "frames": 390,
        "fps": 30.0,
        "segments": [[2, 6], [8, 11]],
        "sentences": list(STEPS[:2]),
    }
    _write(folder / "youcook2" / "youcook2.json", {"videos": {"a": entry, "b": entry | {"frames": 0, "fps": 0}}})
    craft = {key: entry[key] for key in ("duration", "frames", "fps", "segments", "sentences")}
    craft |= {"domain": "Dish", "task": "MakeSoup", "official_subset": "testing"}
    _write(folder / "coin" / "coin.json", {"videos": {"c": craft, "d": craft | {"domain": "Nursing and Care"}}})
    return folder


def write_youcook2_files(folder: Path) -> Path:
    """YouCook2 as its owners publish it, and nothing else: one training and one validation video with their files."""
    segments = [
        {"id": i, "segment": place, "sentence": STEPS[i]} for i, place in enumerate(([2, 6], [8, 11], [13, 18]))
    ]
    entries = {
        name: {"subset": subset, "recipe_type": "101", "duration": 20.0, "annotations": segments}
        for name, subset in (("learned00000", "training"), ("tested000000", "validation"))
    }
    _write(folder / "youcook2" / "youcookii_annotations_trainval.json", {"database": entries})
    for name in entries:
        _video(folder / "youcook2" / f"{name}.mp4")
        cues = [
            f"{i + 1}\n00:00:{2 + 5 * i:02d},000 --> 00:00:{5 + 5 * i:02d},000\nnow we {STEPS[i]}\n" for i in range(3)
        ]
        (folder / "youcook2" / f"{name}.srt").write_text("\n".join(cues))
    return folder


def write_coin_files(folder: Path) -> Path:
    """COIN with one test video and its file in each of two domains, and nothing else."""
    entry = {"duration": 20.0, "frames": 500, "fps": 25.0, "segments": [[2, 6], [13, 18]], "sentences": list(STEPS[:2])}
    entry |= {"task": "MakeSoup", "official_subset": "testing"}
    videos = {"dish": entry | {"domain": "Dish"}, "wheel": entry | {"domain": "Vehicle"}}
    _write(folder / "coin" / "coin.json", {"videos": videos})
    for name in videos:
        _video(folder / "coin" / f"{name}.mp4")
    return folder


def _video(path: Path) -> None:
    """Twenty seconds, now grey, now white."""
    make_video(path, click_sound([3.0], 20), frames=500, flashes=range(60, 400, 75), flash_frames=20)


def _narrated() -> dict[str, Any]:
    random = np.random.default_rng(5)
    videos = {}
    for number in range(6):
        starts = np.sort(random.choice(np.arange(2, 50, 6), 4, replace=False)).tolist()
        cues = [[s, s + 4, f"now we {step}"] for s, step in zip(starts, STEPS, strict=True)]
        videos[f"video{number}"] = {
            "subset": "training" if number < 3 else "validation",
            "frames": 1500 + 10 * number,
            "fps": 25.0,
            "document": list(STEPS),
            "segments": [[s, s + 5] for s in starts],
            "cues": [[0, 1.5, "hello and welcome"], *cues],
        }
    return videos


def _msvd(folder: Path) -> None:
    random = np.random.default_rng(6)
    ids = [f"clip{i}" for i in range(CLIPS)]
    features = random.normal(0, 0.04, (CLIPS, 20, 512)).astype(np.float16)
    (folder / "msvd").mkdir(parents=True)
    np.savez(
        folder / "msvd" / "msvd_features.npz",
        features=features,
        clip_ids=np.array(ids),
        split=np.array(["val"] * CLIPS),
    )
    who, does = ("a man", "a woman", "a dog", "a child"), ("cooks", "runs", "sings", "plays", "sleeps")
    captions = {
        name: {"captions": [f"{who[(i + k) % 4]} {does[(i * k + 1) % 5]} here {place}" for k in range(4)]}
        for i, (name, place) in enumerate(zip(ids, _PLACES, strict=True))
    }
    _write(folder / "msvd" / "msvd_captions.json", captions)
    for split in ("train", "test"):
        videos = []
        for number in range(3):
            chosen = random.permutation(CLIPS)[:4].tolist()
            segments = [
                {"clip": ids[clip], "start": 300 * i, "end": 300 * (i + 1), "is_step": i % 2 == 0}
                for i, clip in enumerate(chosen)
            ]
            document = ["a man cooks", "a dog runs"]
            videos.append({"id": f"{split}{number}", "fps": 30, "document": document, "segments": segments})
        _write(folder / "msvd_long" / f"msvd_long_{split}.json", {"videos": videos})
        shuffled = {video["id"]: {"document": ["a child plays", "a woman sings"]} for video in videos}
        _write(folder / "msvd_long" / f"msvd_long_{split}_shuffled_documents.json", {"shuffled": shuffled})


def _write(path: Path, data: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))
