"""`saffa train vdan` on clips of videos or features of clips: VDAN+ or VDAN with the published network and loss."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from saffa.core.errors import InputError
from saffa.core.strict_json import json_text
from saffa.encoders.vdan.dimensions import Dimensions, FirstState

RESULT = "result.json"
PUBLISHED_HIDDEN = 512


@dataclass(frozen=True)
class ClipsAsked:
    """What `saffa train vdan` was asked for clips; None: the published value."""

    data: Path | None
    words: Path | None
    features: Path | None
    captions: Path | None
    vatex: Path | None
    vatex_validation: Path | None
    videos: Path | None
    backbone: Path | None
    model: Literal["vdan_plus", "vdan"]
    views: Literal["mean", "one"]
    h0: FirstState | None
    hidden: int | None
    embedding: int
    epochs: int | None
    batch: int | None
    rate: float | None
    per_clip: int
    seed: int


def train_clips(output: Path, asked: ClipsAsked, *, resume: bool) -> dict[str, Any] | None:
    """Train VDAN+ or VDAN as in the paper; None in the processes of torchrun that do not lead."""
    from saffa.research.training.run import check_run_folder, joined_world  # noqa: PLC0415
    from saffa.research.training.vdan.training import VdanSettings  # noqa: PLC0415

    if asked.words is None:
        raise InputError("Training on clips needs word vectors: --words FILE (GloVe text, or npz).")
    if asked.vatex is not None and asked.backbone is None:
        raise InputError("Training on videos needs --backbone (see `saffa models list`: ig65m).")
    usual = VdanSettings()
    settings = VdanSettings(
        asked.model,
        asked.epochs or usual.epochs,
        asked.batch or usual.batch,
        usual.rate if asked.rate is None else asked.rate,
        asked.seed,
        asked.per_clip,
    )
    clips = _clips(asked)
    with joined_world() as world:
        if world.leads:
            check_run_folder(output, resume=resume)
            output.mkdir(parents=True, exist_ok=True)
        facts = _train(output, asked, asked.words, clips, settings, world, resume)
        if not world.leads:
            return None
        (output / RESULT).write_text(json_text(facts) + "\n", "utf-8")
        return facts


def _train(
    output: Path, asked: ClipsAsked, words: Path, clips: Any, settings: Any, world: Any, resume: bool
) -> dict[str, Any]:
    from saffa.cli import report  # noqa: PLC0415
    from saffa.research.training.vdan.training import VdanTrainer, finish  # noqa: PLC0415
    from saffa.research.training.word_vectors import read_words  # noqa: PLC0415

    training, validation = clips
    vectors = read_words(words)
    trainer = VdanTrainer(output, _dimensions(asked, vectors, training), vectors, settings, world)
    if training.decoded and asked.backbone is not None:
        trainer.give_backbone(_backbone(asked.backbone))
    with report.progress_bar() as progress:
        best = trainer.fit(training, validation, resume=resume, progress=progress if world.leads else lambda *_: None)
    return finish(trainer, validation, best) if world.leads else best


def _dimensions(asked: ClipsAsked, vectors: Any, training: Any) -> Dimensions:
    hidden = asked.hidden or PUBLISHED_HIDDEN
    visual = 512 if training.decoded else int(training.features.shape[-1])
    size, width = vectors.vectors.shape
    wide = 2 if asked.model == "vdan" else 1  # the CVPR network is twice as wide at the word level
    return Dimensions(
        vocabulary=size,
        word=width,
        word_hidden=hidden * wide,
        word_attention=2 * hidden,
        sentence_hidden=visual,
        sentence_attention=2 * visual,
        visual=visual,
        embedding=asked.embedding,
        h0=asked.h0 or "clip",
    )


def _clips(asked: ClipsAsked) -> tuple[Any, Any]:
    """Training and validation clips, from one of the three kinds of data."""
    if asked.data is not None:
        return _own_clips(asked.data)
    features, captions, lists = asked.features, asked.captions, (asked.vatex, asked.vatex_validation)
    if features is not None and captions is not None and asked.vatex is None:
        from saffa.research.datasets.base import load_clips  # noqa: PLC0415

        training, validation = (load_clips(features, captions, split, asked.views) for split in ("train", "val"))
        return training, validation
    if None in (*lists, asked.videos) or features is not None:
        raise InputError("Give --features and --captions, or --vatex, --vatex-validation and --videos.")
    from saffa.cli import report  # noqa: PLC0415
    from saffa.research.datasets import vatex  # noqa: PLC0415

    folder = asked.videos or Path()
    with report.progress_bar() as progress:
        both = [vatex.load(path or Path(), folder, partial(progress, "Videos")) for path in lists]
    for name, clips in zip(("training", "validation"), both, strict=True):
        if clips.missing:
            report.warn((f"{len(clips.missing)} {name} videos are not in {folder}",))
        if clips.damaged:
            first = clips.damaged[0][1]
            report.warn((f"{len(clips.damaged)} {name} videos are damaged and left out; the first: {first}",))
    return both[0], both[1]


def _own_clips(data: Path) -> tuple[Any, Any]:
    from saffa.cli import report  # noqa: PLC0415
    from saffa.research.datasets.captioned_clips import own_clips  # noqa: PLC0415
    from saffa.research.datasets.captioned_folder import CaptionedFolder  # noqa: PLC0415

    with report.progress_bar() as progress:
        training, validation = own_clips(CaptionedFolder.open(data), partial(progress, "Videos"))
    return training, validation


def _backbone(path: Path) -> Any:
    from saffa.research.training.vdan.importing import open_backbone  # noqa: PLC0415
    from saffa.storage.checkpoints import read_checkpoint  # noqa: PLC0415

    (network,) = read_checkpoint(path)
    if network.kind != "backbone":
        raise InputError(f"{path} holds a {network.kind}, not an IG-65M backbone.")
    return open_backbone(network)
