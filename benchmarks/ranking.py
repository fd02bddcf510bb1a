"""The paper's ranking, SAFFA > Non-RL, BoT, SAS, uniform, at equal length and with one signal for all methods.

    python -m benchmarks.ranking --data DIR [--speed 12] [--signals relevance,product] [--benchmarks …]

Validation videos of youcook2-narrated with the learned encoder `narrated`, test videos of msvd-long with `msvd-plus`.
All methods that follow a signal read the same one; BoT has its own (topics of the narration) where there is speech, and
the agent as published reads embeddings. Gain: F1 less that of as many evenly spaced frames of the same video, mean ±
standard error. p: paired t-test of the gains against those of SAFFA with the compact state. Wrong: of another video.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.agent_share import BENCHMARKS, signalled
from saffa.core.alignment import Alignment
from saffa.core.document import Document
from saffa.core.selection import Selection
from saffa.core.types import Doubles
from saffa.core.video import Axis, Narration
from saffa.encoders.base import Encoder
from saffa.methods.base import Sampler
from saffa.methods.paper.compact import Signal
from saffa.research.baselines.bot import Bot
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.registry import WantedVideos, encoder_for, load_videos
from saffa.research.evaluation.metrics import Scores
from saffa.research.evaluation.protocol import MSVD_LONG, NARRATED
from saffa.research.evaluation.score import evaluate, sampler_for
from saffa.research.evaluation.significance import paired_t_test
from saffa.research.evaluation.texts import with_texts
from saffa.research.evaluation.variants import variants

METHODS = ("uniform", "middle", "sas", "sasv2", "bot", "non-rl", "saffa", "plan", "oracle")
OURS = "saffa"
PUBLISHED = "saffa-published"
BENCHES = {bench.name: bench for bench in (NARRATED, MSVD_LONG)}
COLUMNS = (
    "benchmark",
    "signal",
    "method",
    "OS",
    "F1",
    "F1, even frames",
    "gain",
    "p to saffa",
    "gain, wrong text",
)


@dataclass(frozen=True, eq=False)
class OneSignal:
    """An encoder whose relevance is the signal."""

    encoder: Encoder = field(repr=False)
    signal: Signal
    streaming: bool = False

    @property
    def name(self) -> str:
        """As the encoder's."""
        return self.encoder.name

    def encode(self, video: Axis, document: Document, narration: Narration | None) -> Alignment:
        """What the encoder answers, with the signal as relevance."""
        return signalled(self.encoder.encode(video, document, narration), self.signal)


@dataclass(frozen=True, eq=False)
class NonRlOnRelevance:
    """Non-RL's sampler over relevance instead of e_D·e_v: BoT's, told nothing of what is said."""

    sampler: Bot = field(default_factory=lambda: Bot(name="non-rl"))
    name: str = "non-rl"
    reads_text: bool = True

    def select(self, alignment: Alignment, speed: float) -> Selection:
        """Plan over the whole video."""
        return self.sampler.select(alignment, speed)


def samplers(benchmark: str, signal: Signal) -> dict[str, Sampler]:
    """All methods by name; the agent as published once for each seed."""
    made: dict[str, Sampler] = {name: sampler_for(name) for name in METHODS}
    if signal == "relevance":
        made["non-rl"] = NonRlOnRelevance()
    agents = variants(PUBLISHED, BENCHES[benchmark], Path())
    return made | {f"{PUBLISHED} {agent.seed}": agent.sampler for agent in agents}


def scores(
    videos: Sequence[BenchmarkVideo], encoder: Encoder, chosen: Mapping[str, Sampler], speed: float
) -> dict[str, list[list[Scores]]]:
    """For every method, of every seed, the scores of all videos."""
    _, found = evaluate(videos, encoder, tuple(chosen), speed, samplers=chosen)
    made: dict[str, list[list[Scores]]] = {}
    for name, by_video in found.items():
        made.setdefault(name.partition(" ")[0], []).append(list(by_video.values()))
    return made


def means(seeds: Sequence[Sequence[Scores]], figure: str) -> Doubles:
    """One figure of every video, averaged over the seeds."""
    return np.asarray(np.mean([[getattr(one, figure) for one in seed] for seed in seeds], axis=0), np.float64)


def lines(place: str, own: Mapping[str, list[list[Scores]]], wrong: Mapping[str, list[list[Scores]]]) -> Iterator[str]:
    """Markdown rows, the largest gain first."""
    gains = {name: means(seeds, "gain") for name, seeds in own.items()}
    for name in sorted(own, key=lambda one: -gains[one].mean()):
        os, f1, even = (f"{means(own[name], figure).mean():.2f}" for figure in ("os", "f1", "f1_even"))
        p = "–" if name == OURS else f"{paired_t_test(gains[name], gains[OURS]):.1e}"
        misled = spread(means(wrong[name], "gain"))
        yield f"| {place} | {name} | {os} | {f1} | {even} | {spread(gains[name])} | {p} | {misled} |"


def spread(values: Doubles) -> str:
    """Mean ± standard error."""
    return f"{values.mean():+.2f} ± {values.std(ddof=1) / len(values) ** 0.5:.2f}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="The paper's ranking at equal length.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--speed", type=float, default=12)
    parser.add_argument("--signals", default="relevance,product")
    parser.add_argument("--benchmarks", default=",".join(BENCHMARKS))
    chosen = parser.parse_args()
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for benchmark in chosen.benchmarks.split(","):
        videos = load_videos(benchmark, WantedVideos(chosen.data, BENCHMARKS[benchmark])).videos
        for signal in chosen.signals.split(","):
            encoder = OneSignal(encoder_for(benchmark, "auto"), signal)
            rows = samplers(benchmark, signal)
            own, wrong = (
                scores(with_texts(videos, "whole", wrong=other), encoder, rows, chosen.speed) for other in (False, True)
            )
            print("\n".join(lines(f"{benchmark} | {signal}", own, wrong)), flush=True)


if __name__ == "__main__":
    main()
