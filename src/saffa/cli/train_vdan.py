"""`saffa train vdan`: the paper's picture encoder on pictures or clips with captions, ready to read videos."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from saffa.core.errors import InputError
from saffa.core.strict_json import json_text


def train_vdan(
    output: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the run's files go.")],
    data: Annotated[
        Path,
        typer.Option("--data", metavar="DIR", help="Clips or pictures with captions.csv; or what holds image_text/."),
    ],
    loss: Annotated[
        Literal["contrastive", "cosine"],
        typer.Option("--loss", help="Contrastive with an attention term, or the paper's cosine loss."),
    ] = "contrastive",
    steps: Annotated[int, typer.Option("--steps", min=1, help="Batches.")] = 4000,
    batch: Annotated[int, typer.Option("--batch", min=2, help="Pictures in a batch.")] = 128,
    rate: Annotated[float, typer.Option("--lr", min=0, help="Adam's learning rate; published: 1e-5.")] = 1e-3,
    hidden: Annotated[int, typer.Option("--hidden", min=1, help="Units per direction of both GRUs.")] = 128,
    attention: Annotated[int, typer.Option("--attention", min=1, help="Width of both attentions.")] = 128,
    embedding: Annotated[int, typer.Option("--embedding", min=2, help="Width of e_v and e_D.")] = 128,
    h0: Annotated[
        Literal["mapped", "zeros", "learned"], typer.Option("--h0", help="First state: of the picture, 0, or learned.")
    ] = "mapped",
    seed: Annotated[int, typer.Option("--seed", min=0)] = 123,
    threads: Annotated[int, typer.Option("--threads", min=0, help="CPU threads; 0: all.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in FOLDER.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Train VDAN. FOLDER/model is then an encoder: `saffa accelerate … --encoder FOLDER/model`."""
    from saffa.cli import report  # noqa: PLC0415
    from saffa.storage.checkpoints import import_torch  # noqa: PLC0415

    torch = import_torch("Training")
    if threads:
        torch.set_num_threads(threads)
    from saffa.research.training.run import check_run_folder  # noqa: PLC0415
    from saffa.research.training.vdan.picture_run import train_pictures  # noqa: PLC0415
    from saffa.research.training.vdan.picture_training import PictureSettings  # noqa: PLC0415

    if data.resolve() == output.resolve():
        raise InputError("The run needs a folder of its own, not that of --data.")
    settings = PictureSettings(
        loss=loss,
        steps=steps,
        batch=batch,
        rate=rate,
        hidden=hidden,
        attention=attention,
        embedding=embedding,
        h0=h0,
        seed=seed,
    )
    check_run_folder(output, resume=resume)
    output.mkdir(parents=True, exist_ok=True)
    with report.progress_bar() as progress:
        done = train_pictures(data, output, settings, resume=resume, progress=progress)
    typer.echo(json_text(done) if as_json else _told(done))


def _told(done: dict[str, Any]) -> str:
    lines = [f"wrote {done['model']} (step {done['step']}, {done['hours']:.2f} h)"]
    for name, own in done["validation"].items():
        chance = 1 / own["sentences"]
        lines.append(
            f"{name}: AUC {own['auc']:.3f}, with other texts {own['wrong_auc']:.3f}; attention on the own sentence "
            f"{own['attention']:.3f} (chance {chance:.3f}); MRR {own['mrr']:.3f}"
        )
    return "\n".join(lines)
