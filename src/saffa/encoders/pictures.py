"""What a video looks like, whatever the text: features of about two pictures a second."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.encoders.runtime import open_session
from saffa.errors import InputError
from saffa.media.lanes import Lanes
from saffa.media.looks import Look, Rgb, looks
from saffa.media.probe import Video

BACKBONE = Path(__file__).resolve().parent.parent / "models" / "visual" / "backbone.onnx"
"""EfficientNet-Lite0 with its normalisation; see backbone.json beside it."""
SIZE = 224
FEATURES = 1280
_TOGETHER = 4  # pictures in a run: more are slower, they no longer fit the processor's cache
_AHEAD = 16  # decoded pictures that may wait

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SeenVideo:
    """Features (T, z) of what is seen at times (T,), seconds from the first frame, increasing."""

    times: Floats
    features: Floats


class PictureBackbone:
    """The shipped network. `threads` = 0: half of the processors, the others decode."""

    size = SIZE

    def __init__(self, path: Path = BACKBONE, *, threads: int = 0) -> None:
        self._path, self._threads = path, threads or max(1, (os.cpu_count() or 1) // 2)

    @cached_property
    def _session(self) -> Any:
        return open_session(self._path, self._threads)

    def features(self, pictures: Rgb) -> Floats:
        """(n, 224, 224, 3) RGB bytes → (n, 1280)."""
        features: Floats = self._session.run(["features"], {"pictures": pictures})[0]
        return features


def see(
    video: Video, backbone: PictureBackbone | None = None, progress: Callable[[float], None] = lambda _: None
) -> SeenVideo:
    """One sequential pass over the file: decoding and scaling in one thread, the network in this one."""
    backbone = backbone or PictureBackbone()
    times: list[float] = []
    rows: list[Floats] = []
    with Lanes() as lanes:
        found = lanes.run("looks", looks(video, backbone.size), _AHEAD)
        for some in _batches(found):
            rows.append(backbone.features(np.stack([look.picture for look in some])))
            times.extend(look.time for look in some)
            progress(min(1.0, times[-1] / max(float(video.duration), 1e-9)))
    if not rows:
        raise InputError(f"{video.path} has no picture that can be decoded; the file is damaged.")
    order, features = np.argsort(times, kind="stable"), np.concatenate(rows)
    return SeenVideo(np.array(times, np.float32)[order], features[order])


def _batches(items: Iterable[Look]) -> Iterator[list[Look]]:
    source = iter(items)
    while some := list(islice(source, _TOGETHER)):
        yield some
