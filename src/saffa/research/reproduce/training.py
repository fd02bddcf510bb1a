"""Agents that a table needs and nobody has trained yet, with a small budget; resumable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from saffa.methods.paper.embedding_track import Track
from saffa.research.datasets.store import axis_of
from saffa.research.evaluation.kept_runs import Run, RunStore
from saffa.research.evaluation.protocol import Bench
from saffa.research.evaluation.variants import agent_variant, variants
from saffa.research.reproduce.context import Context
from saffa.storage.models import MANIFEST, RUN_AGENT

if TYPE_CHECKING:
    from saffa.research.training.saffa.settings import AgentSettings

TRAINED = ("sff-rl", "saffa-published")
"""Methods that `--epochs` trains; FFNet has its own command (`saffa train ffnet`)."""


def train_missing(context: Context, bench: Bench) -> None:
    """Methods with fewer agents than wanted get all of them anew: seeds of one table have one budget."""
    for method in (one for one in TRAINED if one in context.methods_of(bench)):
        if len(variants(method, bench, context.agents)) < context.seeds:
            for seed in range(context.seeds):
                train(context, bench, method, context.agents / bench.short / f"{method}-{seed}", seed)


def train(
    context: Context,
    bench: Bench,
    method: str,
    folder: Path,
    seed: int,
    changed: Callable[[AgentSettings], AgentSettings] = lambda settings: settings,
) -> None:
    """Train with the authors' settings, except the number of epochs and of videos; goes on where it was broken off.

    `changed` gives the settings of a variant from the usual ones.
    """
    if (folder / RUN_AGENT / MANIFEST).is_file():
        return
    from saffa.storage.checkpoints import import_torch  # noqa: PLC0415

    import_torch("Training an agent")
    from saffa.research.training.saffa.presets import PRESETS, speed_weight  # noqa: PLC0415
    from saffa.research.training.saffa.training import LAST, train_agent  # noqa: PLC0415

    preset = PRESETS["sff-rl" if method == "sff-rl" else "saffa"]
    weight = preset.reward.weight if method == "sff-rl" else speed_weight(context.material(bench).encoder.name)
    settings = replace(
        preset,
        reward=replace(preset.reward, weight=weight),
        epochs=context.epochs,
        seed=seed,
        snapshot=max(context.epochs, 1),
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    train_agent(
        tracks(context, bench),
        folder,
        changed(settings),
        resume=(folder / LAST).exists(),
        progress=lambda _, share: context.progress(f"training {bench.short} {folder.name}", share),
    )


def runs_of(context: Context, bench: Bench, method: str, agents: Mapping[int, Path], name: str) -> list[Run]:
    """A run of each seed's agent; `name` and the seed name its files."""
    store, material = RunStore(context.out / "runs"), context.material(bench)
    found = [agent_variant(method, seed, agent, name=f"{name}-{seed}") for seed, agent in agents.items()]
    return [store.perform(material, one, bench.speed, context.progress) for one in found]


def trained(folders: Mapping[int, Path]) -> dict[int, Path]:
    """The agents of the runs that are finished, by seed."""
    return {seed: run / RUN_AGENT for seed, run in folders.items() if (run / RUN_AGENT / MANIFEST).is_file()}


def tracks(context: Context, bench: Bench) -> list[Track]:
    """Tracks of the first training videos; kept for the next agent."""
    if bench.short not in context.tracks:
        material = context.material(bench)
        videos = material.training_videos()[: context.videos]
        made = []
        for done, video in enumerate(videos):
            alignment = material.encoder.encode(axis_of(video), video.document, video.narration)
            made.append(Track.of_alignment(alignment, video.id))
            context.progress(f"encoding {bench.key} {bench.training}", (done + 1) / len(videos))
        context.tracks[bench.short] = made
    return context.tracks[bench.short]
