"""Agents that a table needs and nobody has trained yet, with a small budget; resumable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from saffa.methods.paper.embedding_track import Track
from saffa.research.datasets.store import axis_of
from saffa.research.evaluation.protocol import Bench
from saffa.research.evaluation.variants import variants
from saffa.research.reproduce.context import Context
from saffa.storage.models import MANIFEST, RUN_AGENT

TRAINED = ("sff-rl", "saffa-published")
"""Methods that `--epochs` trains; FFNet has its own command (`saffa train ffnet`)."""


def train_missing(context: Context, bench: Bench) -> None:
    """Methods with fewer agents than wanted get all of them anew: seeds of one table have one budget."""
    for method in (one for one in TRAINED if one in context.methods_of(bench)):
        if len(variants(method, bench, context.agents)) < context.seeds:
            for seed in range(context.seeds):
                train(context, bench, method, context.agents / bench.short / f"{method}-{seed}", seed)


def train(
    context: Context, bench: Bench, method: str, folder: Path, seed: int, *, position: bool = True, skip: bool = True
) -> None:
    """With the authors' settings, except the number of epochs and of videos; goes on where it was broken off."""
    if (folder / RUN_AGENT / MANIFEST).is_file():
        return
    from saffa.storage.checkpoints import import_torch  # noqa: PLC0415

    import_torch("Training an agent")
    from saffa.research.training.saffa.presets import PRESETS, speed_weight  # noqa: PLC0415
    from saffa.research.training.saffa.training import LAST, train_agent  # noqa: PLC0415

    preset = PRESETS["sff-rl" if method == "sff-rl" else "saffa"]
    reward = preset.reward
    if method != "sff-rl":
        reward = replace(reward, weight=speed_weight(context.material(bench).encoder.name))
    settings = replace(
        preset,
        reward=reward,
        epochs=context.epochs,
        seed=seed,
        position=preset.position and position,
        skip=preset.skip and skip,
        snapshot=max(context.epochs, 1),
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    train_agent(
        tracks(context, bench),
        folder,
        settings,
        resume=(folder / LAST).exists(),
        progress=lambda _, share: context.progress(f"training {bench.short} {folder.name}", share),
    )


def tracks(context: Context, bench: Bench) -> list[Track]:
    """Of the first training videos; kept for the next agent."""
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
