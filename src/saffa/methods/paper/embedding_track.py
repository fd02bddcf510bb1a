"""A video as the agent meets it: one pair of embeddings for every frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.core.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Track:
    """Embeddings on a grid, and which row of the grid each frame reads.

    embeddings  (T, 2d)  [e_D ; e_v]
    rows        (F,)     row of each frame
    fit         (T,)     e_D·e_v of each row
    encoder              where the embeddings come from, if that is known
    """

    embeddings: Floats = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)
    name: str = ""
    encoder: str = ""
    fit: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        half = self.embeddings.shape[1] // 2
        fit = np.einsum("td,td->t", self.embeddings[:, :half], self.embeddings[:, half:])
        object.__setattr__(self, "fit", fit)

    @property
    def frames(self) -> int:
        """Length of the video, F."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """2d."""
        return int(self.embeddings.shape[1])

    def at(self, frame: int | Ints) -> Floats:
        """[e_D ; e_v] at a frame, (2d,), or at n frames, (n, 2d)."""
        found: Floats = self.embeddings[self.rows[frame]]
        return found

    def fit_at(self, frames: Ints) -> Floats:
        """e_D·e_v at n frames, (n,)."""
        found: Floats = self.fit[self.rows[frames]]
        return found

    def content(self) -> bytes:
        """All that an episode depends on, for the fingerprint of a run."""
        return self.embeddings.tobytes() + self.rows.tobytes()

    @cached_property
    def mean_fit(self) -> float:
        """Mean of e_D·e_v over all frames."""
        return float(self.fit[self.rows].mean(dtype=np.float64))

    @classmethod
    def of_embeddings(cls, embeddings: ArrayLike, name: str = "") -> Track:
        """Build a track from one row per frame, (F, 2d)."""
        array = np.ascontiguousarray(embeddings, np.float32)
        if array.ndim != 2 or not array.size or array.shape[1] % 2:
            raise InputError(f"Embeddings must be (frames, 2d) = [e_D ; e_v], not {array.shape}.")
        if not np.isfinite(array).all():
            raise InputError("The embeddings have values that are not finite.")
        return cls(array, np.arange(len(array)), name)

    @classmethod
    def of_alignment(cls, alignment: Alignment, name: str = "") -> Track:
        """A track from an encoder's grid: each frame reads the nearest time, of two equally near ones the earlier.

        Neighbours that are equal (frames that show one feature) become one row: less memory, fewer looks.
        """
        e_d, e_v = (np.asarray(part, np.float32) for part in (alignment.e_d, alignment.e_v))
        new = np.ones(len(e_d), np.bool_)
        new[1:] = np.any(e_v[1:] != e_v[:-1], axis=1) | np.any(e_d[1:] != e_d[:-1], axis=1)
        pairs = cls.of_embeddings(np.concatenate([e_d[new], e_v[new]], 1)).embeddings
        return cls(pairs, (np.cumsum(new) - 1)[alignment.row_of_frame()], name, alignment.encoder)

    @classmethod
    def load_folder(cls, folder: Path) -> list[Track]:
        """All alignments (npz) in a folder, by file name."""
        if not folder.is_dir():
            raise InputError(f"There is no folder {folder}. Give one with alignments (see `saffa align`).")
        paths = sorted(folder.glob("*.npz"))
        if not paths:
            raise InputError(f"There is no alignment (.npz) in {folder}. Make some with `saffa align`.")
        return [cls.of_alignment(Alignment.load(path), path.stem) for path in paths]


Video = Track | Alignment | Floats
"""Whatever can be turned into a track."""


def as_track(video: Video) -> Track:
    """A track from an alignment, from embeddings per frame (F, 2d), or as it is."""
    if isinstance(video, Track):
        return video
    return Track.of_alignment(video) if isinstance(video, Alignment) else Track.of_embeddings(video)


def as_tracks(videos: Iterable[Video]) -> list[Track]:
    """Tracks of one encoder; InputError if there are none or they come from several."""
    tracks = [as_track(video) for video in videos]
    if not tracks:
        raise InputError("There are no videos to train on.")
    kinds = sorted({f"{track.encoder or 'unknown'} of width {track.width // 2}" for track in tracks})
    if len(kinds) > 1:
        raise InputError(f"The videos come from different encoders ({', '.join(kinds)}). Use one for all.")
    return tracks
