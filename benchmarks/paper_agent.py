"""What trained agents of the paper select: quality, speed, actions, regret against the planner, t-tests.

    python -m benchmarks.paper_agent msvd-long test LABEL=RUN[,RUN...] ... --encoder ENCODER --data DIR
        [--speeds 12] [--first N] [--last N] [--sampled] [--figure STEM]

RUN is a folder of `saffa train saffa`, one of its checkpoints or a shipped agent's name; runs behind one label are
seeds of the same recipe and give mean ± deviation. ENCODER is a name, a model folder, or a folder of alignments
(ID.npz) made with it. --first / --last take so many videos of the split (to look at training videos that were held
out). Regret: mean relevance of the frames that the planner selects, as many as the agent, less that of the agent's.
Even: F1 of evenly spaced frames, as many as the agent selected in each video. Gain: mean e_D·e_v at the selected
frames over that of the whole video, as a share of what the planner gains. p: two-sided unpaired t-tests of F1 per
video, one for each seed. --sampled draws the actions from the policy, as training does, instead of taking the likeliest
one. --figure draws OS − S* for S* = 2..20.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from saffa.core.alignment import Alignment
from saffa.core.types import Doubles, Ints
from saffa.encoders.registry import load_encoder
from saffa.methods.base import Settings
from saffa.methods.paper.agent import Agent
from saffa.methods.paper.embedding_track import Track
from saffa.methods.paper.loading import load_agent
from saffa.methods.paper.rollouts import Rollout, walk
from saffa.methods.registry import load_sampler
from saffa.research.datasets.base import BenchmarkVideo
from saffa.research.datasets.registry import WantedVideos, load_videos
from saffa.research.datasets.store import axis_of
from saffa.research.evaluation.markdown import spread
from saffa.research.evaluation.metrics import Scores, overall_performance, score
from saffa.research.evaluation.significance import t_test
from saffa.research.reproduce.figures import Errors, draw_speed_errors

SPEEDS = range(2, 21)
HEADING = (
    "agent | S* | accelerate / nothing / decelerate | P | R | F1 | OS | mean abs(OS−S*) | OP | regret | gain "
    "| p, uniform | even | p, even"
)


@dataclass(frozen=True, eq=False)
class Scene:
    """A video with what the encoder says about it, as alignment and as the agent's track."""

    video: BenchmarkVideo
    alignment: Alignment
    track: Track

    def scores(self, frames: Ints) -> Scores:
        return score(frames, self.video)

    def regret(self, frames: Ints) -> float:
        relevance, speed = self.alignment.relevance_per_frame(), max(1.0, self.video.frames / len(frames))
        best = load_sampler("plan", Settings(balance=0.0)).select(self.alignment, speed).frames
        return float(relevance[best].mean() - relevance[frames].mean())

    def gain(self, frames: Ints) -> float:
        return float(self.track.fit_at(frames).mean()) - self.track.mean_fit


@dataclass(frozen=True, eq=False)
class Outcome:
    """Per video (n,): the measures; shares of the three actions, (3,)."""

    precision: Doubles
    recall: Doubles
    f1: Doubles
    os: Doubles
    gain: Doubles
    regret: Doubles
    even: Doubles
    actions: Doubles


def scenes(benchmark: str, split: str, encoder: str, data: Path) -> list[Scene]:
    """All videos of a split, encoded."""
    videos, folder = load_videos(benchmark, WantedVideos(data, split)).videos, Path(encoder)
    if any(folder.glob("*.npz")):
        known = [Alignment.load(folder / f"{video.id}.npz") for video in videos]
    else:
        made = load_encoder(encoder)
        known = [made.encode(axis_of(video), video.document, video.narration) for video in videos]
    return [Scene(v, a, Track.of_alignment(a, v.id)) for v, a in zip(videos, known, strict=True)]


def outcome(chosen: Sequence[Scene], selected: Sequence[Ints], actions: Doubles) -> Outcome:
    """Score what was selected in each video."""
    scored = [scene.scores(frames) for scene, frames in zip(chosen, selected, strict=True)]
    even = [
        scene.scores(np.unique(np.linspace(0, scene.video.frames - 1, len(frames)).round().astype(np.int64))).f1
        for scene, frames in zip(chosen, selected, strict=True)
    ]
    return Outcome(
        precision=np.array([s.precision for s in scored]),
        recall=np.array([s.recall for s in scored]),
        f1=np.array([s.f1 for s in scored]),
        os=np.array([s.os for s in scored]),
        gain=np.array([scene.gain(frames) for scene, frames in zip(chosen, selected, strict=True)]),
        regret=np.array([scene.regret(frames) for scene, frames in zip(chosen, selected, strict=True)]),
        even=np.array(even),
        actions=actions,
    )


def sampled(chosen: Sequence[Scene], method: str, speed: float) -> Outcome:
    """A method that takes no actions."""
    sampler = load_sampler(method, Settings(balance=0.0))
    return outcome(chosen, [sampler.select(scene.alignment, speed).frames for scene in chosen], np.zeros(3))


def walks(chosen: Sequence[Scene], agent: Agent, speed: float, drawn: bool) -> list[Rollout]:
    """An agent in every video: the likeliest action at every step, or one drawn from its policy."""
    random = np.random.default_rng(0)
    return [
        walk(agent, scene.track, speed, draws=random.random(scene.track.frames) if drawn else None) for scene in chosen
    ]


def walked(chosen: Sequence[Scene], agent: Agent, speed: float, drawn: bool) -> Outcome:
    """What came of these walks."""
    rolls = walks(chosen, agent, speed, drawn)
    counts = np.sum([np.bincount(roll.actions, minlength=3) for roll in rolls], axis=0)
    return outcome(chosen, [np.unique(np.append(0, roll.selected)) for roll in rolls], counts / counts.sum())


def speed_errors(chosen: Sequence[Scene], groups: Mapping[str, Sequence[Agent]], drawn: bool) -> tuple[Errors, Errors]:
    """Mean over videos of OS − S* and of |OS − S*| for each seed; their means over seeds printed as CSV on the way."""
    signed: dict[str, dict[float, list[float]]] = {}
    absolute: dict[str, dict[float, list[float]]] = {}
    frames = np.array([scene.video.frames for scene in chosen])
    print("\nagent,S*,mean OS-S*,mean abs(OS-S*)")
    for label, agents in groups.items():
        for speed in map(float, SPEEDS):
            counts = [[len(roll.selected) + 1 for roll in walks(chosen, agent, speed, drawn)] for agent in agents]
            gaps = frames / np.array(counts) - speed
            signed.setdefault(label, {})[speed] = gaps.mean(1).tolist()
            absolute.setdefault(label, {})[speed] = np.abs(gaps).mean(1).tolist()
            print(f"{label},{speed:g},{gaps.mean():.3f},{np.abs(gaps).mean():.3f}", flush=True)
    return signed, absolute


def row(label: str, speed: float, seeds: Sequence[Outcome], uniform: Outcome, plan: Outcome) -> str:
    """A line of the table."""
    op = [overall_performance(float(o.f1.mean()), float(o.os.mean()), speed) for o in seeds]
    cells = [
        label,
        f"{speed:g}",
        " / ".join(f"{share:.2f}" for share in np.mean([o.actions for o in seeds], 0))
        if seeds[0].actions.any()
        else "–",
        spread([o.precision.mean() for o in seeds], 1),
        spread([o.recall.mean() for o in seeds]),
        spread([o.f1.mean() for o in seeds]),
        spread([o.os.mean() for o in seeds]),
        spread([np.abs(o.os - speed).mean() for o in seeds]),
        spread(op),
        spread([o.regret.mean() for o in seeds], 3),
        spread([100 * o.gain.mean() / plan.gain.mean() for o in seeds], 0) + " %",
        " / ".join(f"{t_test(o.f1, uniform.f1):.1g}" for o in seeds),
        spread([o.even.mean() for o in seeds]),
        " / ".join(f"{t_test(o.f1, o.even):.1g}" for o in seeds),
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="The paper's agent against uniform and the planner.")
    parser.add_argument("benchmark")
    parser.add_argument("split")
    parser.add_argument("agents", nargs="+", metavar="LABEL=RUN,RUN")
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--speeds", default="12")
    parser.add_argument("--first", type=int)
    parser.add_argument("--last", type=int)
    parser.add_argument("--sampled", action="store_true")
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    chosen = scenes(options.benchmark, options.split, options.encoder, options.data)
    chosen = chosen[: options.first][-(options.last or len(chosen)) :]
    named = [argument.split("=") for argument in options.agents]
    groups = {label: [load_agent(run) for run in runs.split(",")] for label, runs in named}
    print(f"| {HEADING} |\n{'|---' * (HEADING.count('|') + 1)}|")
    for speed in map(float, options.speeds.split(",")):
        uniform, plan = sampled(chosen, "uniform", speed), sampled(chosen, "plan", speed)
        print(row("uniform", speed, [uniform], uniform, plan), flush=True)
        print(row("planner", speed, [plan], uniform, plan), flush=True)
        for label, agents in groups.items():
            seeds = [walked(chosen, agent, speed, options.sampled) for agent in agents]
            print(row(label, speed, seeds, uniform, plan), flush=True)
    if options.figure:
        errors = speed_errors(chosen, groups, options.sampled)
        draw_speed_errors({f"{options.benchmark}, {options.split}": errors}, options.figure)


if __name__ == "__main__":
    main()
