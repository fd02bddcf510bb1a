"""Features of about two pictures a second of a video, whatever the text."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from saffa.core.errors import InputError
from saffa.core.types import Floats, Rgb, Share
from saffa.core.video import Video
from saffa.core.whole_file import file_sha256
from saffa.encoders.visual.shared_space import Backbone
from saffa.media.render import Prefetch
from saffa.media.thumbnails import Thumbnail, thumbnails
from saffa.storage.fingerprint import fingerprint
from saffa.storage.models import BACKBONE, open_session, shipped
from saffa.storage.store import Store

PICTURES = 1
"""Version of how pictures are read: which ones, and scaled how."""
SIZE = 224
FEATURES = 1280
_TOGETHER = 1  # pictures in a run: more take no less time, and each needs memory of its own
_AHEAD = 16  # decoded pictures that may wait


@dataclass(frozen=True, eq=False)
class SeenVideo:
    """Features (T, z) of what is seen at times (T,), seconds from the first frame, increasing."""

    times: Floats
    features: Floats

    def save(self, path: Path) -> None:
        """Write as npz; features in half precision, which is what they are rounded to."""
        with path.open("wb") as file:
            np.savez(file, times=self.times, features=self.features.astype(np.float16))

    @classmethod
    def load(cls, path: Path) -> SeenVideo:
        """Read what `save` wrote; ValueError if it cannot be that."""
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            times, features = arrays["times"], arrays["features"].astype(np.float32)
        if times.ndim != 1 or features.ndim != 2 or len(times) != len(features) or not len(times):
            raise ValueError("not the features of a video")
        return cls(times, features)


class PictureBackbone:
    """EfficientNet-Lite0 with its normalisation. `threads` = 0: half of the processors, the others decode."""

    size = SIZE

    def __init__(self, *, threads: int = 0) -> None:
        self._path, self._threads = shipped("visual") / BACKBONE, threads or max(1, (os.cpu_count() or 1) // 2)

    @cached_property
    def _session(self) -> Any:
        return open_session(self._path, self._threads)

    @property
    def sha256(self) -> str:
        """SHA-256 of the graph."""
        return file_sha256(self._path)

    def features(self, pictures: Rgb) -> Floats:
        """(n, 224, 224, 3) RGB bytes → (n, 1280)."""
        features: Floats = self._session.run(["features"], {"pictures": pictures})[0]
        return features


def see(video: Video, backbone: Backbone | None = None, progress: Share = lambda _: None) -> SeenVideo:
    """One sequential pass over the file: decoding and scaling in one thread, the network in this one."""
    backbone = backbone or PictureBackbone()
    times: list[float] = []
    rows: list[Floats] = []
    give_back_memory()  # what was read to get here
    with Prefetch() as prefetch:
        found = prefetch.run("thumbnails", thumbnails(video, backbone.size), _AHEAD)
        for some in _batches(found):
            rows.append(backbone.features(np.stack([look.picture for look in some])))
            times.extend(look.time for look in some)
            progress(min(1.0, times[-1] / max(float(video.duration), 1e-9)))
    give_back_memory()  # the decoder is gone, and what follows needs room
    if not rows:
        raise InputError(f"{video.path} has no picture that can be decoded; the file is damaged.")
    order, features = np.argsort(times, kind="stable"), np.concatenate(rows)
    # Rounded as they are kept, so that a video looks the same from the cache.
    return SeenVideo(np.array(times, np.float32)[order], features[order].astype(np.float16).astype(np.float32))


def recall_or_see(
    video: Video,
    backbone: Backbone,
    cache: Store | None,
    progress: Share = lambda _: None,
) -> SeenVideo:
    """Features of a file that was seen before, by its contents, or a look at it now, kept for the next text."""
    if cache is None:
        return see(video, backbone, progress)
    name = f"pictures-{fingerprint(PICTURES, video.sha256 or cache.content_of(video.path), backbone.sha256)[:40]}.npz"
    seen = cache.recall(name, SeenVideo.load)
    if seen is None:
        seen = see(video, backbone, progress)
        cache.keep(name, seen.save)
    return seen


def _batches(items: Iterable[Thumbnail]) -> Iterator[list[Thumbnail]]:
    source = iter(items)
    while some := list(islice(source, _TOGETHER)):
        yield some


def give_back_memory() -> None:
    """Hand back what is free; decoders and networks leave much behind. Only glibc can."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
