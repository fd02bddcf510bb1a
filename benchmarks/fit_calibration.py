"""Fit the chance that text and narration belong together on training videos, and score it elsewhere.

python -m benchmarks.fit_calibration --data DIR [--texts whole|half|one|both] [--plot OUT.png]

Own texts against those of another video (17 further on in the list), whole and halved; for the weights also long talks,
each four narrations one after the other with the text of one of them or of none. Printed: the fitted weights;
per set the AUC of `fit`, the share of own texts doubted and of wrong ones told at the product's threshold, the expected
calibration error (ten bins) of `fit` and of `confidence` (right = the centre of a sentence's best 3 s lies in its step;
a moment claimed for a wrong text is never right).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import numpy as np

from saffa.core.alignment import DOUBTED
from saffa.core.types import Doubles, Flags, Floats
from saffa.core.video import Cue, Narration
from saffa.encoders.narrated.confidence import moments, nearness, sentence_confidence, text_fit
from saffa.encoders.narrated.encoder import Heard
from saffa.research.datasets import narrated
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.evaluation.roc import frame_auc
from saffa.research.evaluation.texts import with_texts

Curves = tuple[list[tuple[float, float]], list[tuple[float, float]]]
"""Of `fit` and of `confidence`: (claimed, true) of each bin."""
HEADING = (
    "| set | n | AUC of fit | own doubted | wrong told | … at 5 % doubted | ECE of fit | ECE of confidence |\n"
    + "|---" * 8
    + "|"
)
PARTS = 4
"""Narrations of a long talk."""


@dataclass(frozen=True)
class Case:
    """A video with a text: what the fit is read from, and for each sentence its peak and whether that is right."""

    nearness: float
    spoken: int
    peaks: Doubles
    right: Flags

    @property
    def fit(self) -> float:
        return text_fit(self.nearness, self.spoken)


def look(video: BenchmarkVideo, *, own: bool) -> Case:
    heard = Heard.of(video, video.document, video.narration)
    shown = heard.shown(heard.evidence)
    near = nearness(heard.lexicon.vectors, heard.lexicon.said, heard.lexicon.sentences)
    peaks = sentence_confidence(shown, heard.grid.seconds, heard.groups, 1.0).astype(np.float64)
    return Case(
        near, len(heard.times), peaks, hits(video, shown, heard.grid.seconds) if own else np.zeros(len(peaks), bool)
    )


def hits(video: BenchmarkVideo, shown: Floats, seconds: float) -> Flags:
    """Whether the centre of each sentence's best moment lies in its step."""
    centres = centres_of_best(shown, seconds) * float(video.rate)
    return np.array([a <= c <= b for c, (a, b) in zip(centres, video.steps, strict=True)])


def centres_of_best(shown: Floats, seconds: float) -> Doubles:
    """The centre of each sentence's best moment, seconds; shown (T, N) in cells that are `seconds` long."""
    found = moments(shown, seconds)
    return np.asarray((found.argmax(0) + (len(shown) - len(found) + 1) / 2) * seconds)


def cases(videos: Sequence[BenchmarkVideo], kinds: Sequence[str]) -> tuple[list[Case], list[Case]]:
    own, wrong = ([v for kind in kinds for v in with_texts(videos, kind, wrong=other)] for other in (False, True))
    return [look(v, own=True) for v in own], [look(v, own=False) for v in wrong]


def long_talks(videos: Sequence[BenchmarkVideo]) -> tuple[list[Case], list[Case]]:
    """Every fourth video with the narrations of three others after it, and its own text or that of a fifth."""
    own, wrong = [], []
    for place in range(0, len(videos), 4):
        parts = [videos[(place + 5 * k) % len(videos)] for k in range(PARTS)]
        talk = joined(parts)
        own.append(look(replace(talk, document=parts[0].document, steps=parts[0].steps), own=True))
        other = videos[(place + 23) % len(videos)]
        wrong.append(look(replace(talk, document=other.document, steps=other.steps), own=False))
    return own, wrong


def joined(parts: Sequence[BenchmarkVideo]) -> BenchmarkVideo:
    """A video of what is said in several, one after the other."""
    cues: list[Cue] = []
    begin = Fraction(0)
    for video in parts:
        said = video.narration.cues if video.narration else ()
        cues += [replace(cue, start=cue.start + begin, end=cue.end + begin) for cue in said]
        begin += Fraction(video.frames) / Fraction(video.rate)
    rate = parts[0].rate
    return replace(parts[0], frames=int(begin * rate), narration=Narration(tuple(cues)))


def fitted(own: Sequence[Case], wrong: Sequence[Case]) -> Doubles:
    """Weights of nearness, log(1 + words) and 1 by Newton's method for logistic regression."""
    rows = np.array([[c.nearness, np.log1p(c.spoken), 1.0] for c in (*own, *wrong)])
    truth = np.repeat([1.0, 0.0], [len(own), len(wrong)])
    weights = np.zeros(3)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ weights))
        curvature = (rows * (chance * (1 - chance))[:, None]).T @ rows + 1e-6 * np.eye(3)
        weights += np.linalg.solve(curvature, rows.T @ (truth - chance))
    return weights


def calibration(chance: Doubles, truth: Doubles, count: Doubles) -> tuple[float, list[tuple[float, float]]]:
    """Expected calibration error over ten bins, and (claimed, true) of each; `count` is how much each claim counts."""
    bins = np.minimum((chance * 10).astype(int), 9)
    parts = [bins == b for b in range(10) if (bins == b).any()]
    points = [
        (float(np.average(chance[p], weights=count[p])), float(np.average(truth[p], weights=count[p]))) for p in parts
    ]
    error = sum(float(count[p].sum()) * abs(a - b) for p, (a, b) in zip(parts, points, strict=True))
    return error / float(count.sum()), points


class Judged(Protocol):
    """A video with a text: the claim that they fit, and each sentence's peak and whether that is right."""

    @property
    def fit(self) -> float: ...
    @property
    def peaks(self) -> Doubles: ...
    @property
    def right(self) -> Flags: ...


def row(own: Sequence[Judged], wrong: Sequence[Judged]) -> tuple[list[str], Curves]:
    """The figures of a set; where there are more wrong texts than own ones, each counts for less."""
    both, wrongly = [*own, *wrong], len(own) / len(wrong)
    fits = np.array([c.fit for c in both])
    truth = np.arange(len(fits)) < len(own)
    told, count = fits < DOUBTED, np.where(truth, 1.0, wrongly)
    claimed = np.concatenate([c.fit * c.peaks for c in both])
    right = np.concatenate([c.right for c in both]).astype(np.float64)
    of_fit = calibration(fits, truth.astype(np.float64), count)
    of_moments = calibration(claimed, right, np.repeat(count, [len(c.peaks) for c in both]))
    at_five = float((fits[~truth] < np.quantile(fits[truth], 0.05)).mean())
    figures = [frame_auc(fits, truth), told[truth].mean(), told[~truth].mean(), at_five, of_fit[0], of_moments[0]]
    return [f"{figure:.3f}" for figure in figures], (of_fit[1], of_moments[1])


def calibration_rows(sets: Mapping[str, tuple[Sequence[Judged], Sequence[Judged]]]) -> dict[str, Curves]:
    """Print a row for each set; the curves of fit and of confidence."""
    print(HEADING)
    curves = {}
    for name, (own, wrong) in sets.items():
        figures, curves[name] = row(own, wrong)
        print(f"| {name} | {len(own)} | {' | '.join(figures)} |", flush=True)
    return curves


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--texts", choices=("whole", "half", "one", "both"), default="both")
    parser.add_argument("--plot", type=Path)
    chosen = parser.parse_args()
    kinds = ("whole", "half") if chosen.texts == "both" else (chosen.texts,)
    training = cases(narrated.load(chosen.data, "training"), kinds)
    talks = long_talks(narrated.load(chosen.data, "training"))
    weights = fitted(*([*near, *far] for near, far in zip(training, talks, strict=True)))
    print("fitted: nearness {:.2f}, log(1 + words) {:.2f}, constant {:.2f}".format(*weights))
    sets = {"youcook2-narrated, training": training, "four training narrations in a row": talks}
    for name in (narrated.COOKING, *narrated.OTHERS):
        sets[f"{name}, validation"] = cases(narrated.load(chosen.data, "validation", name), kinds)
    curves = calibration_rows(sets)
    if chosen.plot:
        draw(curves, chosen.plot)


def draw(curves: Mapping[str, Curves], path: Path) -> None:
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(9.5, 4.5), layout="constrained")
    what = ("text and video belong together", "the moment of a sentence is right")
    for axes, title, which in zip(figure.subplots(1, 2), what, (0, 1), strict=True):
        axes.plot([0, 1], [0, 1], color="grey", linestyle=":")
        for name, both in curves.items():
            axes.plot(*zip(*both[which], strict=True), marker="o", markersize=3, label=name)
        axes.set(title=title, xlabel="chance claimed", ylabel="share that is true", xlim=(0, 1), ylim=(0, 1))
    axes.legend(fontsize=7)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
