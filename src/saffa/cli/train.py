"""`saffa train`: encoders and agents, each with its own command; here those of the encoders of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from saffa.cli import options as flag
from saffa.cli import report
from saffa.cli.training.agent import train_agent, train_ffnet, train_plus
from saffa.cli.training.vdan import train_vdan
from saffa.core.strict_json import json_text
from saffa.storage.checkpoints import import_torch

RESULT = "result.json"
Words = Annotated[Path, typer.Option("--words", metavar="FILE", help="Word vectors: GloVe text, or npz.")]
Run = Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the run's files go.")]
Seed = Annotated[int, typer.Option("--seed", min=0)]
Threads = Annotated[int, typer.Option("--threads", min=0, help="CPU threads; 0: all.")]


def train_contrastive(
    output: Run,
    words: Words,
    features: Annotated[Path, typer.Option("--features", metavar="FILE.npz", help="Features of clips.")],
    captions: Annotated[Path, typer.Option("--captions", metavar="FILE.json", help="Captions of the clips.")],
    ensemble: Annotated[int, typer.Option("--ensemble", min=1, help="Networks trained and joined.")] = 5,
    seed: Seed = 123,
    threads: Threads = 0,
    as_json: flag.AsJson = False,
) -> None:
    """Train the contrastive encoder for features of clips (msvd-plus)."""
    _set_threads(threads)
    from saffa.research.datasets.base import load_clips  # noqa: PLC0415 (PyTorch is asked for first)
    from saffa.research.training.contrastive.training import train_contrastive as train  # noqa: PLC0415

    _begin(output)
    parts = [load_clips(features, captions, split) for split in ("train", "val")]
    _told(output, "contrastive", train(parts[0], parts[1], words, output, seed=seed, networks=ensemble), as_json)


def train_visual(
    output: Run,
    words: Words,
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder that holds image_text/.")],
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the data.")] = 16,
    ensemble: Annotated[int, typer.Option("--ensemble", min=1, help="Networks trained and joined.")] = 3,
    seed: Seed = 123,
    threads: Threads = 0,
    as_json: flag.AsJson = False,
) -> None:
    """Train the visual encoder that comes with saffa, on pictures with captions."""
    _set_threads(threads)
    from saffa.research.training.visual.run import VisualSettings, train_visual  # noqa: PLC0415
    from saffa.research.training.visual.training import GeneralSettings  # noqa: PLC0415

    _begin(output)
    settings = VisualSettings(GeneralSettings(epochs=epochs), networks=ensemble, seed=seed)
    with report.progress_bar() as progress:
        done = train_visual(data, words, output, settings, lambda share: progress("Training", share))
    (output / RESULT).write_text(json_text(done) + "\n", "utf-8")
    _told(output, "visual", done, as_json)


def train_narrated(
    output: Run,
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder that holds youcook2_narrated/.")],
    network: Annotated[
        Path,
        typer.Option(
            "--network", metavar="DIR", help="all-MiniLM-L6-v2: a folder with model.safetensors and vocab.txt."
        ),
    ],
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the videos.")] = 6,
    ensemble: Annotated[int, typer.Option("--ensemble", min=1, help="Runs that are averaged.")] = 5,
    seed: Seed = 0,
    threads: Threads = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in FOLDER.")] = False,
) -> None:
    """Train the network and the weights of the narrated encoder on videos whose steps are known."""
    from saffa.research.datasets.narrated import load  # noqa: PLC0415
    from saffa.research.training.narrated import NarratedSettings, check_folder, train_narrated  # noqa: PLC0415

    _set_threads(threads)
    from saffa.research.training.passages.contrast import ContrastSettings  # noqa: PLC0415
    from saffa.research.training.passages.folds import train_folds  # noqa: PLC0415

    check_folder(output, resume=resume)
    settings = NarratedSettings(epochs=epochs, runs=ensemble, seed=seed)
    videos = load(data, "training")
    with report.progress_bar() as progress:
        networks = train_folds(videos, network, output / "networks", ContrastSettings(seed=seed), progress)
        train_narrated(videos, output, networks, settings, resume=resume, progress=progress)
    typer.echo(f"The weights are in {output / 'model'}.")


def _set_threads(threads: int) -> None:
    torch = import_torch("Training")
    if threads:
        torch.set_num_threads(threads)


def _begin(output: Path) -> None:
    from saffa.research.training.run import check_run_folder  # noqa: PLC0415

    check_run_folder(output, resume=False)
    output.mkdir(parents=True, exist_ok=True)


def _told(output: Path, kind: str, facts: dict[str, Any], as_json: bool) -> None:
    from saffa.research.training.run import note_run  # noqa: PLC0415

    note_run(output, kind, facts)
    typer.echo(json_text(facts) if as_json else "  ".join(f"{k} {v}" for k, v in facts.items()))


app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Train an encoder or an agent (needs `pip install saffa\\[train]`).",
)
app.command("saffa")(train_agent)
app.command("plus")(train_plus)
app.command("vdan")(train_vdan)
app.command("encoder", hidden=True)(train_vdan)  # its older name
app.command("contrastive")(train_contrastive)
app.command("visual")(train_visual)
app.command("ffnet")(train_ffnet)
app.command("narrated")(train_narrated)
