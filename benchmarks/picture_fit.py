"""Fit the chance that text and video belong together by pictures alone, and score it: what `visual` and `vdan` claim.

python -m benchmarks.picture_fit --data DIR [--test] [--real] [--encoder visual|vdan] [--plot OUT.png]

Videos: `saffa evaluate assembled` (real files), and rows of validation photographs of coco, flickr8k and
youcook2_frames (`benchmarks.visual_calibration`). Each with its own text and with others', whole, halved and as one
sentence; other texts of assembled videos leave out what is seen in them. The weights are fitted on assembled
validation videos, coco and youcook2_frames; `--test` scores the assembled test videos too. Columns: as in
`benchmarks.fit_calibration`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.fit_calibration import calibration_rows, centres_of_best, draw
from saffa.core.document import Document
from saffa.core.types import Doubles, Flags, Floats
from saffa.encoders.narrated.grid import Grid
from saffa.encoders.narrated.lexicon import word_counts
from saffa.encoders.registry import load_encoder
from saffa.encoders.vdan.picture_encoder import PictureVdanEncoder, evidence_of
from saffa.encoders.visual.confidence import VOTES, BestMoments, moment_chance
from saffa.encoders.visual.encoder import in_order, pooled
from saffa.encoders.visual.evidence import VisualEvidence
from saffa.encoders.visual.frame_features import PictureBackbone, SeenVideo, recall_or_see
from saffa.encoders.visual.model import VisualModel
from saffa.encoders.words import words
from saffa.research.datasets import assembled
from saffa.research.datasets.image_text import NAMES, load
from saffa.research.datasets.picture_rows import picture_row
from saffa.research.evaluation.texts import HALVES
from saffa.storage.store import user_cache

ROWS = 40
"""Videos of photographs of each set."""
FAR = 7
"""How much further in the list the row stands whose text is the wrong one."""
ELSEWHERE = (
    ("Loosen the wheel nuts.", "Jack up the car.", "Take off the wheel and put on the spare tyre."),
    ("asdf qwer zxcv",),
    ("The debtor bears the burden of proof.", "The court dismisses the appeal.", "The contract is void."),
    ("Open the layer panel.", "Click on the new layer button.", "Choose the brush tool."),
)
"""Texts of other domains."""


@dataclass(frozen=True, eq=False)
class Film:
    """What is seen, its own text with the seconds in which each sentence is shown, and others' texts."""

    seen: SeenVideo = field(repr=False)
    seconds: float
    document: tuple[str, ...]
    steps: tuple[tuple[float, float], ...]
    others: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Case:
    """A film with a text: how high its sentences stand, and for each its peak and whether that is right."""

    features: tuple[float, float, float, float]
    """Votes times standing, and votes: of what is no cooking and of what is."""
    fit: float
    peaks: Doubles
    right: Flags


class Judge:
    """An encoder's parts, loaded once."""

    def __init__(self, name: str) -> None:
        self.model = VisualModel.load_for_videos()
        self.bank = VisualEvidence.of(self.model, Document(("A bank.",))).bank
        self.vdan = load_encoder("vdan") if name == "vdan" else None
        self.pictures = cache(self._pictures)  # most texts of a film are compared on the same grid

    def _pictures(self, film: Film, grid: Grid) -> tuple[Floats, Floats]:
        features = pooled(film.seen, grid)
        return features, self.model.embed_images(features)

    def look(self, film: Film, text: Sequence[str], steps: Sequence[tuple[float, float]] | None) -> Case:
        """With its own text (`steps` known) or another's."""
        grid = Grid.of(film.seconds, len(text))
        features, images = self.pictures(film, grid)
        sight, groups = VisualEvidence(self.model, tuple(text), self.bank), grid.groups(len(text))
        if isinstance(self.vdan, PictureVdanEncoder):
            read = self.vdan.model.read(text)
            evidence = evidence_of(self.vdan.model.pair(read, self.vdan.model.space(features)), groups)
        else:
            evidence = sight.evidence(images, groups)
        shown = in_order(evidence, word_counts([words(sentence) for sentence in text]), groups)
        best, known = BestMoments.of(sight, self.model, images, grid.seconds), self.model.known(text)
        votes, high, cooking = min(int((known >= 0).sum()), VOTES), best.standing(known), best.cooking
        rest = 1 - cooking
        weighed = (rest * votes * high, rest * votes, cooking * votes * high, cooking * votes)
        peaks = moment_chance(shown, grid.seconds, groups).astype(np.float64)
        right = np.zeros(len(text), bool)
        if steps is not None:
            centres = centres_of_best(shown, grid.seconds)
            right = np.array([a <= c <= b for c, (a, b) in zip(centres, steps, strict=True)])
        return Case(weighed, best.fit(known), peaks, right)


def parts(count: int) -> Iterator[slice]:
    """Whole, both halves, and the middle."""
    yield slice(None)
    yield from (half for _, half in HALVES if range(count)[half])
    yield slice(count // 2, count // 2 + 1)


def cases(judge: Judge, films: Sequence[Film], most: int | None = None) -> tuple[list[Case], list[Case]]:
    """Own and wrong ones; `most` 1: whole texts only."""
    own = [judge.look(f, f.document[p], f.steps[p]) for f in films for p in islice(parts(len(f.document)), most)]
    wrong = [judge.look(f, t[p], None) for f in films for t in f.others for p in islice(parts(len(t)), most)]
    return own, wrong


def assembled_films(data: Path, split: str) -> list[Film]:
    own, wrong = (assembled.load(data, split, shuffled_documents=other) for other in (False, True))
    films = []
    for place, video in enumerate(own):
        seen = recall_or_see(video.file, PictureBackbone(), user_cache())
        steps = tuple((a / float(video.rate), b / float(video.rate)) for a, b in video.steps)
        several = wrong[place * assembled.STRANGERS : (place + 1) * assembled.STRANGERS]
        others = tuple(other.document.sentences for other in several)
        films.append(Film(seen, float(video.frames / video.rate), video.document.sentences, steps, others))
    return films


def photograph_films(data: Path, name: str) -> list[Film]:
    random, pictures = np.random.default_rng(5), load(data, name).part("val")
    rows = [picture_row(pictures, random) for _ in range(ROWS)]
    texts = [row.document.sentences for row in rows]
    films = []
    for place, row in enumerate(rows):
        times = np.arange(len(row.shown), dtype=np.float32) + np.float32(0.5)
        spans = [np.flatnonzero(row.shown == k) for k in range(len(row.document))]
        steps = tuple((float(span[0]), float(span[-1] + 1)) for span in spans)
        others = (texts[(place + FAR) % ROWS],)
        films.append(Film(SeenVideo(times, row.features), float(len(times)), texts[place], steps, others))
    return films


def fitted(sets: Sequence[tuple[list[Case], list[Case]]]) -> Doubles:
    """The four weights by Newton's method. Own and wrong texts count the same, the real videos (first) twice."""
    x = np.array([case.features for own, wrong in sets for case in (*own, *wrong)])
    y = np.concatenate([np.repeat([1.0, 0.0], [len(own), len(wrong)]) for own, wrong in sets])
    w = np.concatenate([np.repeat([1 / len(own), 1 / len(wrong)], [len(own), len(wrong)]) for own, wrong in sets])
    w[: len(sets[0][0]) + len(sets[0][1])] *= 2
    found = np.zeros(x.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-x @ found))
        curvature = (x * (w * chance * (1 - chance))[:, None]).T @ x + 1e-6 * np.eye(len(found))
        found += np.linalg.solve(curvature, x.T @ (w * (y - chance)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", choices=("visual", "vdan"), default="visual")
    parser.add_argument("--test", action="store_true", help="score the assembled test videos too")
    parser.add_argument("--real", action="store_true", help="assembled videos only; nothing is fitted")
    parser.add_argument("--plot", type=Path)
    chosen = parser.parse_args()
    judge = Judge(chosen.encoder)
    films = {
        f"assembled, {split}": assembled_films(chosen.data, split)
        for split in ("validation", "test")[: 1 + chosen.test]
    }
    names = () if chosen.real else NAMES
    films |= {f"photographs, {name}": photograph_films(chosen.data, name) for name in names}
    sets = {name: cases(judge, some) for name, some in films.items()}
    if names:
        fitting = ("assembled, validation", "photographs, coco", "photographs, youcook2_frames")
        weights = fitted([sets[name] for name in fitting])
        print("fitted: standing {:.2f}, constant {:.2f}; cooking: {:.2f}, {:.2f}".format(*weights))
    sets |= {
        f"{name}, whole texts": cases(judge, some, 1) for name, some in films.items() if name.startswith("assembled")
    }
    curves = calibration_rows(sets)
    for text in ELSEWHERE:
        told = {
            name: np.mean([judge.look(film, text, None).fit < 0.3 for film in some])
            for name, some in films.items()
            if name.startswith("assembled")
        }
        print(f"told, {text[0]!r}: " + ", ".join(f"{share:.2f} ({name})" for name, share in told.items()))
    if chosen.plot:
        draw(curves, chosen.plot)


if __name__ == "__main__":
    main()
