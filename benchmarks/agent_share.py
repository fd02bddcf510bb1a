"""What agents gain over as many even frames, beside the planner on the same signal: own, wrong and half texts.

    python -m benchmarks.agent_share --data DIR [--speeds 6,8,12,16] [--signal relevance|product] [--runs RUN,RUN,…]

Validation videos of youcook2-narrated and test videos of msvd-long. Gain: F1 less that of as many evenly spaced frames
of the same video, mean over the videos ± its standard error. Share: of the planner's gain at that speed, with the own
text. `saffa` is the shipped compact agent, in two passes (it looks ahead) and as in a single pass; `--runs` adds
further compact agents (`saffa train`), each in the passes that it has learned.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.types import Doubles
from saffa.encoders.base import Encoder
from saffa.methods.base import Sampler, Settings
from saffa.methods.paper.compact import CompactAgent, CompactSaffa, Signal, find_compact, shipped_agent
from saffa.methods.paper.saffa import Saffa
from saffa.methods.registry import load_sampler
from saffa.methods.uniform import Uniform
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.registry import WantedVideos, encoder_for, load_videos
from saffa.research.datasets.store import axis_of
from saffa.research.evaluation.metrics import score
from saffa.research.evaluation.texts import with_texts

BENCHMARKS = {"youcook2-narrated": "validation", "msvd-long": "test"}
TEXTS = {"own": ("whole", False), "wrong": ("whole", True), "half": ("half", False)}
PLANNER = "planner"
COLUMNS = ("benchmark", "text", "S*", "method", "F1", "gain over even frames", "share", "mean, worst abs(OS − S*)")


@dataclass(frozen=True, eq=False)
class Outcome:
    """One method at one speed, a number per video each, (n,)."""

    f1: Doubles
    gain: Doubles
    error: Doubles


def outcomes(
    videos: Sequence[BenchmarkVideo],
    encoder: Encoder,
    rows: Mapping[str, Sampler],
    speeds: Sequence[float],
    signal: Signal,
) -> dict[float, dict[str, Outcome]]:
    """Every method at every speed. A video's alignment may be large: it is dropped before the next one is made."""
    found: dict[tuple[float, str], list[tuple[float, float, float]]] = {(s, name): [] for s in speeds for name in rows}
    for video in videos:
        seen = signalled(encoder.encode(axis_of(video), video.document, video.narration), signal)
        for (speed, name), numbers in found.items():
            own = score(rows[name].select(seen, speed).frames, video)
            numbers.append((own.f1, own.f1 - own.f1_even, abs(own.os - speed)))
    made: dict[float, dict[str, Outcome]] = {speed: {} for speed in speeds}
    for (speed, name), numbers in found.items():
        made[speed][name] = Outcome(*np.array(numbers).T)
    return made


def methods(runs: Sequence[Path], signal: Signal) -> dict[str, Sampler]:
    """All rows by name. The published agent reads embeddings; all others one signal."""
    made: dict[str, Sampler] = {"uniform": Uniform(), PLANNER: load_sampler("plan", Settings(balance=0.0))}
    agents = {"saffa": shipped_agent()} | {run.name: _agent(run) for run in runs}
    for name, agent in agents.items():
        if agent.ahead is not None:
            made[f"{name}, two passes"] = CompactSaffa(agent, signal=signal)
        if agent.online is not None:
            made[f"{name}, single pass"] = CompactSaffa(agent, signal=signal, look_ahead=False)
    return made | {"saffa-published": Saffa()}


def _agent(run: Path) -> CompactAgent:
    found = find_compact(run)
    if found is None:
        raise SystemExit(f"{run} is not a compact agent.")
    return found


def signalled(alignment: Alignment, signal: Signal) -> Alignment:
    """An alignment whose relevance is the signal, so that the planner reads it too."""
    products = np.einsum("td,td->t", alignment.e_d, alignment.e_v)
    return alignment if signal == "relevance" else replace(alignment, relevance=products)


def lines(benchmark: str, text: str, speed: float, made: dict[str, Outcome], best: float) -> Iterator[str]:
    """Markdown rows of one benchmark, text and speed; `best` is the planner's gain with the own text."""
    for name, row in made.items():
        gain, error = float(row.gain.mean()), float(row.gain.std(ddof=1) / len(row.gain) ** 0.5)
        share = f"{100 * gain / best:.0f} %" if best > 0 and name != "uniform" else "–"
        told = f"{row.f1.mean():.2f} | {gain:+.2f} ± {error:.2f} | {share}"
        missed = f"{row.error.mean():.2f}, {row.error.max():.2f}"
        yield f"| {benchmark} | {text} | {speed:g} | {name} | {told} | {missed} |"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Agents against as many even frames and the planner.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--speeds", default="6,8,12,16")
    parser.add_argument("--signal", choices=("relevance", "product"), default="relevance")
    parser.add_argument("--runs", default="")
    parser.add_argument("--texts", default="own,wrong,half")
    parser.add_argument("--benchmarks", default=",".join(BENCHMARKS))
    chosen = parser.parse_args()
    speeds = [float(speed) for speed in chosen.speeds.split(",")]
    rows = methods([Path(run) for run in chosen.runs.split(",") if run], chosen.signal)
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for benchmark in chosen.benchmarks.split(","):
        encoder = encoder_for(benchmark, "auto")
        videos = load_videos(benchmark, WantedVideos(chosen.data, BENCHMARKS[benchmark])).videos
        best: dict[float, float] = {}
        for text in chosen.texts.split(","):
            amount, wrong = TEXTS[text]
            made = outcomes(with_texts(videos, amount, wrong=wrong), encoder, rows, speeds, chosen.signal)
            for speed in speeds:
                own = float(made[speed][PLANNER].gain.mean())
                share = own if text == "half" else best.setdefault(speed, own)
                print("\n".join(lines(benchmark, text, speed, made[speed], share)), flush=True)


if __name__ == "__main__":
    main()
