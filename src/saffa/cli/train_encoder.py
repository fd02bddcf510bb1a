"""`saffa train encoder`: VDAN+ or VDAN as in the paper, on clips of videos or on features of clips."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from saffa.core.errors import InputError
from saffa.core.strict_json import json_text
from saffa.encoders.vdan.dimensions import Dimensions, FirstState

RESULT = "result.json"


def encoder(
    output: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the run's files go.")],
    words: Annotated[Path, typer.Option("--words", metavar="FILE", help="Word vectors: GloVe text, or npz.")],
    features: Annotated[
        Path | None, typer.Option("--features", metavar="FILE.npz", help="Features of clips instead of videos.")
    ] = None,
    captions: Annotated[
        Path | None, typer.Option("--captions", metavar="FILE.json", help="Captions of the clips in --features.")
    ] = None,
    vatex: Annotated[
        Path | None, typer.Option("--vatex", metavar="FILE.json", help="VaTeX training list; needs --videos.")
    ] = None,
    vatex_validation: Annotated[
        Path | None, typer.Option("--vatex-validation", metavar="FILE.json", help="VaTeX validation list.")
    ] = None,
    videos: Annotated[Path | None, typer.Option("--videos", metavar="DIR", help="Folder of the VaTeX videos.")] = None,
    backbone: Annotated[
        Path | None, typer.Option("--backbone", metavar="FILE.pth", help="IG-65M weights, for videos.")
    ] = None,
    model: Annotated[
        Literal["vdan_plus", "vdan"], typer.Option("--model", help="Which of the paper's two.")
    ] = "vdan_plus",
    h0: Annotated[Literal["clip", "zeros", "learned"], typer.Option("--h0", help="First state of the text.")] = "clip",
    views: Annotated[
        Literal["mean", "one"], typer.Option("--views", help="φ(v): mean of a clip's features, or one of them.")
    ] = "mean",
    hidden: Annotated[int, typer.Option("--hidden", min=1, help="Word-level units per direction.")] = 512,
    embedding: Annotated[int, typer.Option("--embedding", min=2, help="Width of e_v and e_D.")] = 128,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the data.")] = 100,
    batch: Annotated[int, typer.Option("--batch", min=2, help="Pairs in a step, over all processes.")] = 64,
    rate: Annotated[float, typer.Option("--lr", min=0, help="Adam's learning rate.")] = 1e-5,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 123,
    threads: Annotated[int, typer.Option("--threads", min=0, help="CPU threads; 0: all.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in FOLDER.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train VDAN+ or VDAN as in the paper. Under `torchrun --nproc-per-node N` processes share the batch."""
    from saffa.storage.checkpoints import import_torch  # noqa: PLC0415

    torch = import_torch("Training")
    if threads:
        torch.set_num_threads(threads)
    from saffa.research.training.run import joined_world  # noqa: PLC0415
    from saffa.research.training.vdan.training import VdanSettings  # noqa: PLC0415

    if vatex is not None and backbone is None:
        raise InputError("Training on videos needs --backbone (see `saffa models list`: ig65m).")
    settings = VdanSettings(model, epochs, batch, rate, seed)
    clips = _clips(features, captions, vatex, vatex_validation, videos, views)
    with joined_world() as world:
        if world.leads:
            _check_folder(output, resume=resume)
        facts = _train(output, words, backbone, clips, settings, (h0, hidden, embedding), world, resume)
        if world.leads:
            (output / RESULT).write_text(json_text(facts) + "\n", "utf-8")
            _say(facts, as_json)


def _train(
    output: Path,
    words: Path,
    backbone: Path | None,
    clips: Any,
    settings: Any,
    sizes: tuple[FirstState, int, int],
    world: Any,
    resume: bool,
) -> dict[str, Any]:
    from saffa.cli import report  # noqa: PLC0415
    from saffa.research.training.vdan.training import VdanTrainer, finish  # noqa: PLC0415
    from saffa.research.training.word_vectors import read_words  # noqa: PLC0415

    training, validation = clips
    vectors = read_words(words)
    trainer = VdanTrainer(output, _dimensions(settings.kind, vectors, training, sizes), vectors, settings, world)
    if training.decoded and backbone is not None:
        trainer.give_backbone(_backbone(backbone))
    with report.progress_bar() as progress:
        best = trainer.fit(training, validation, resume=resume, progress=progress if world.leads else lambda *_: None)
    return finish(trainer, validation, best) if world.leads else best


def _dimensions(kind: str, vectors: Any, training: Any, sizes: tuple[FirstState, int, int]) -> Dimensions:
    h0, hidden, embedding = sizes
    visual = 512 if training.decoded else int(training.features.shape[-1])
    size, width = vectors.vectors.shape
    wide = 2 if kind == "vdan" else 1  # the CVPR network is twice as wide at the word level
    return Dimensions(
        vocabulary=size,
        word=width,
        word_hidden=hidden * wide,
        word_attention=2 * hidden,
        sentence_hidden=visual,
        sentence_attention=2 * visual,
        visual=visual,
        embedding=embedding,
        h0=h0,
    )


def _clips(
    features: Path | None,
    captions: Path | None,
    vatex: Path | None,
    vatex_validation: Path | None,
    videos: Path | None,
    views: Literal["mean", "one"],
) -> tuple[Any, Any]:
    """Training and validation clips, from one of the two kinds of data."""
    if features is not None and captions is not None and vatex is None:
        from saffa.research.datasets.base import load_clips  # noqa: PLC0415

        return load_clips(features, captions, "train", views), load_clips(features, captions, "val", views)
    if vatex is not None and vatex_validation is not None and videos is not None and features is None:
        from saffa.cli import report  # noqa: PLC0415
        from saffa.research.datasets import vatex as layout  # noqa: PLC0415

        with report.progress_bar() as progress:
            both = tuple(layout.load(path, videos, partial(progress, "Videos")) for path in (vatex, vatex_validation))
        for name, clips in zip(("training", "validation"), both, strict=True):
            if clips.missing:
                report.warn((f"{len(clips.missing)} {name} videos are not in {videos}",))
            if clips.damaged:
                first = clips.damaged[0][1]
                report.warn((f"{len(clips.damaged)} {name} videos are damaged and left out; the first: {first}",))
        return both[0], both[1]
    raise InputError("Give --features and --captions, or --vatex, --vatex-validation and --videos.")


def _backbone(path: Path) -> Any:
    from saffa.research.training.vdan.backbones import R2Plus1D34, from_ig65m  # noqa: PLC0415
    from saffa.storage.checkpoints import read_checkpoint  # noqa: PLC0415

    (network,) = read_checkpoint(path)
    if network.kind != "backbone":
        raise InputError(f"{path} holds a {network.kind}, not an IG-65M backbone.")
    backbone = R2Plus1D34()
    backbone.load_state_dict(from_ig65m(network.tensors))
    return backbone


def _check_folder(output: Path, *, resume: bool) -> None:
    from saffa.research.training.run import check_run_folder  # noqa: PLC0415

    check_run_folder(output, resume=resume)
    output.mkdir(parents=True, exist_ok=True)


def _say(facts: dict[str, Any], as_json: bool) -> None:
    typer.echo(json_text(facts) if as_json else "  ".join(f"{k} {v}" for k, v in facts.items()))
