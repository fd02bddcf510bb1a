"""SAS's minimum sparse reconstruction: few frames whose sum stands for a range (method.md E, SAS steps 3 and 5)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from saffa.core.alignment import Alignment
from saffa.core.types import Doubles, Ints

EPSILON = 1e-4
TIME_BINS = 100
REDUNDANCY = 2
"""The sparse step takes 1/REDUNDANCY of the wanted frames; smoothing adds the others."""
PENALTIES = 10.0 ** -np.arange(1, 11)


@dataclass(frozen=True, eq=False)
class Descriptor:
    """A row for every frame (F, w), and a weight for every frame (F,) that multiplies its distance."""

    rows: Doubles = field(repr=False)
    weights: Doubles = field(repr=False)

    @classmethod
    def of(cls, rows: NDArray[np.floating], weights: Doubles | None = None) -> Descriptor:
        """Whiten, append the time as one of 100 bins, whiten again."""
        frames = len(rows)
        time = np.zeros((frames, TIME_BINS))
        time[np.arange(frames), np.arange(frames) * TIME_BINS // frames] = TIME_BINS / frames
        joined = np.concatenate([whitened(rows.astype(np.float64)), time], 1)
        return cls(whitened(joined), np.ones(frames) if weights is None else weights)

    @classmethod
    def of_features(cls, alignment: Alignment) -> Descriptor:
        """Describe frames by the encoder's e_v, linear between the times at which it changes.

        Frames that share a row exactly would be all taken or all left.
        """
        rows, held = alignment.held_features()
        kinds, place, counts = np.unique(held, return_inverse=True, return_counts=True)
        frames = np.arange(len(held))
        centres = np.bincount(place, weights=frames) / counts
        distinct = rows[kinds].astype(np.float64)
        if len(distinct) < distinct.shape[1]:  # few rows of many numbers: as many numbers as rows will do
            left, scale, _ = np.linalg.svd(distinct - distinct.mean(0), full_matrices=False)
            distinct = left * scale
        return cls.of(np.stack([np.interp(frames, centres, axis) for axis in distinct.T], 1))

    def sparse_frames(self, start: int, end: int, speed: float) -> Ints:
        """Frames of [start, end) that reconstruct it, about (end - start) / (REDUNDANCY · speed) of them, in order."""
        length = end - start
        wanted = max(1, round(length / (REDUNDANCY * speed)))
        atoms = self.rows[start:end]
        atoms = atoms / np.maximum(np.linalg.norm(atoms, axis=1, keepdims=True), 1e-12)
        whole = atoms.sum(0)
        whole /= max(float(np.linalg.norm(whole)), 1e-12)
        apart = ((atoms - whole) ** 2).sum(1) * self.weights[start:end]
        near = np.sort(np.argsort(apart, kind="stable")[: min(length, REDUNDANCY * wanted)])
        return start + near[chosen(atoms[near] - whole, wanted)]


def whitened(rows: Doubles) -> Doubles:
    """Rows (F, w) with covariance I, (F, ≤ w).

    ZCA up to a rotation, which changes no distance and no angle; directions without variance are left out.
    """
    centred = rows - rows.mean(0)
    power, axes = np.linalg.eigh(centred.T @ centred / len(rows))
    kept = power > 1e-12 * max(float(power[-1]), 1e-300)
    out: Doubles = centred @ (axes[:, kept] / np.sqrt(power[kept] + EPSILON))
    return out


def chosen(away: Doubles, wanted: int) -> Ints:
    """Indices of the atoms that take part, given their offsets from the whole (n, w).

    (Z Zᵀ + λ tr(Z Zᵀ) I) c = 1, c / Σc, those with c > 0; λ from 10⁻¹ to 10⁻¹⁰, the one whose count is nearest.
    """
    left, scale, _ = np.linalg.svd(away, full_matrices=False)
    power = scale**2
    total = float(power.sum())
    if total <= 0:  # all atoms are the whole itself
        return np.arange(min(wanted, len(away)))
    sums = left.sum(0)
    best = np.arange(len(away))
    for penalty in PENALTIES:
        ridge = penalty * total
        code = 1 - left @ (power / (power + ridge) * sums)  # the inverse, times λ tr: the thin side suffices
        picked = np.flatnonzero(code / code.sum() > 0)
        if abs(len(picked) - wanted) < abs(len(best) - wanted):
            best = picked
    return best
