"""`saffa train vdan`: the paper's encoder, on pictures, on clips, or on features of clips with captions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from saffa.cli import options as flag
from saffa.core.errors import InputError
from saffa.core.strict_json import json_text


def train_vdan(
    output: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the run's files go.")],
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Clips or pictures with captions.csv; or what holds image_text/."),
    ] = None,
    features: Annotated[
        Path | None, typer.Option("--features", metavar="FILE.npz", help="Instead: features of clips (VDAN+).")
    ] = None,
    captions: Annotated[
        Path | None, typer.Option("--captions", metavar="FILE.json", help="Captions of the clips in --features.")
    ] = None,
    vatex: Annotated[
        Path | None, typer.Option("--vatex", metavar="FILE.json", help="Instead: VaTeX training list.")
    ] = None,
    vatex_validation: Annotated[
        Path | None, typer.Option("--vatex-validation", metavar="FILE.json", help="VaTeX validation list.")
    ] = None,
    videos: Annotated[Path | None, typer.Option("--videos", metavar="DIR", help="Folder of the VaTeX videos.")] = None,
    backbone: Annotated[
        Path | None,
        typer.Option("--backbone", metavar="FILE.pth", help="IG-65M weights (VDAN+): for VaTeX, or clips of --data."),
    ] = None,
    words: Annotated[
        Path | None, typer.Option("--words", metavar="FILE", help="Word vectors (GloVe text, npz), for clips.")
    ] = None,
    model: Annotated[
        Literal["vdan_plus", "vdan"] | None, typer.Option("--model", help="Clips: which network. Default: vdan_plus.")
    ] = None,
    views: Annotated[
        Literal["mean", "one"] | None,
        typer.Option("--views", help="Clips: φ(v) is the mean of the features, or one. Default: mean."),
    ] = None,
    loss: Annotated[
        Literal["contrastive", "cosine"] | None,
        typer.Option("--loss", help="Pictures: contrastive with attention, or the paper's. Default: contrastive."),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option("--steps", min=1, help="Pictures: batches. Default: 4000. With --resume also fewer or more."),
    ] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="Clips: passes. Default: 100.")] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", min=2, help="Pictures in a batch (128), or pairs of clips (64).")
    ] = None,
    rate: Annotated[
        float | None, typer.Option("--lr", min=0, help="Adam's. Default: 1e-3; clips: 1e-5 (published, slow).")
    ] = None,
    hidden: Annotated[
        int | None, typer.Option("--hidden", min=1, help="Units per direction. Default: 128; clips: 512 (published).")
    ] = None,
    attention: Annotated[
        int | None, typer.Option("--attention", min=1, help="Pictures: width of both attentions. Default: 128.")
    ] = None,
    embedding: Annotated[
        int, typer.Option("--embedding", min=2, help="d, the width of e_v and e_D; the paper tried 128, 512, 1024.")
    ] = 128,
    h0: Annotated[
        Literal["mapped", "clip", "zeros", "learned"] | None,
        typer.Option("--h0", help="First state: a map of φ(v) (pictures), φ(v) itself (clips), 0, or learned."),
    ] = None,
    per_clip: Annotated[
        int, typer.Option("--captions-per-clip", min=1, help="Clips: captions that each gives to a document.")
    ] = 10,
    precision: Annotated[
        Literal["float32", "bfloat16"] | None,
        typer.Option("--precision", help="Pictures: bfloat16 takes a third of the time where the CPU has it."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0)] = 123,
    threads: Annotated[int, typer.Option("--threads", min=0, help="CPU threads; 0: all.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in FOLDER.")] = False,
    as_json: flag.AsJson = False,
) -> None:
    """Train VDAN. With --data FOLDER/model reads any video: `saffa accelerate … --encoder FOLDER/model`.

    Clips (--features, --vatex, or --data with --backbone) take the published network and loss, under `torchrun` with a
    shared batch.
    """
    from saffa.cli.training.clips import ClipsAsked, train_clips  # noqa: PLC0415
    from saffa.storage.checkpoints import import_torch  # noqa: PLC0415

    torch = import_torch("Training")
    if threads:
        torch.set_num_threads(threads)
    from saffa.research.training.run import note_run  # noqa: PLC0415

    if data is None or backbone is not None:
        _refuse("clips", {"--loss": loss, "--steps": steps, "--attention": attention, "--precision": precision})
        if data is not None:
            _refuse("--data", {"--features": features, "--captions": captions, "--vatex": vatex})
        if h0 == "mapped":
            raise InputError("--h0 mapped is for --data; clips have φ(v) itself (clip), zeros or learned.")
        asked = ClipsAsked(
            data=data,
            words=words,
            features=features,
            captions=captions,
            vatex=vatex,
            vatex_validation=vatex_validation,
            videos=videos,
            backbone=backbone,
            model=model or "vdan_plus",
            views=views or "mean",
            h0=h0,
            hidden=hidden,
            embedding=embedding,
            epochs=epochs,
            batch=batch,
            rate=rate,
            per_clip=per_clip,
            seed=seed,
        )
        made = train_clips(output, asked, resume=resume)
        if made is None:
            return
        told = "  ".join(f"{key} {value}" for key, value in made.items())
    else:
        ours = {"--features": features, "--captions": captions, "--vatex": vatex, "--words": words, "--model": model}
        _refuse("--data", ours | {"--epochs": epochs, "--views": views})
        if h0 == "clip":
            raise InputError("--h0 clip is for clips; with --data φ(v) is mapped, or the first state zeros or learned.")
        chosen: dict[str, Any] = {"loss": loss, "steps": steps, "batch": batch, "rate": rate, "hidden": hidden}
        chosen |= {"h0": h0, "attention": attention, "embedding": embedding, "precision": precision, "seed": seed}
        made = _pictures(output, data, chosen, resume)
        told = _told(made)
    note_run(output, "vdan", made)
    typer.echo(json_text(made) if as_json else told)


def _refuse(kind: str, options: dict[str, Any]) -> None:
    """Options that would be ignored."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise InputError(f"{', '.join(given)} cannot be used with {kind}; see `saffa train vdan --help`.")


def _pictures(output: Path, data: Path, chosen: dict[str, Any], resume: bool) -> dict[str, Any]:
    from saffa.cli import report  # noqa: PLC0415
    from saffa.research.training.run import check_run_folder  # noqa: PLC0415
    from saffa.research.training.vdan.picture_run import train_pictures  # noqa: PLC0415
    from saffa.research.training.vdan.picture_training import PictureSettings  # noqa: PLC0415

    if data.resolve() == output.resolve():
        raise InputError("The run needs a folder of its own, not that of --data.")
    settings = PictureSettings(**{name: value for name, value in chosen.items() if value is not None})
    check_run_folder(output, resume=resume)
    output.mkdir(parents=True, exist_ok=True)
    with report.progress_bar() as progress:
        return train_pictures(data, output, settings, resume=resume, progress=progress)


def _told(done: dict[str, Any]) -> str:
    lines = [f"wrote {done['model']} (step {done['step']}, {done['hours']:.2f} h)"]
    for name, own in done["validation"].items():
        chance = 1 / own["sentences"]
        lines.append(
            f"{name}: AUC {own['auc']:.3f}, with other texts {own['wrong_auc']:.3f}; attention on the own sentence "
            f"{own['attention']:.3f} (chance {chance:.3f}); MRR {own['mrr']:.3f}"
        )
    return "\n".join(lines)
