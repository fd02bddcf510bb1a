"""`saffa train ffnet`: from a benchmark's labelled training videos to an FFNet model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from saffa.cli import options as flag


def train_ffnet(
    benchmark: Annotated[
        str, typer.Argument(metavar="BENCHMARK", help="youcook2-narrated, msvd-long, youcook2 or coin.")
    ],
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder with the benchmark's data.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="RUN", help="Folder for the run: log, agent.")],
    split: Annotated[str, typer.Option("--split", help="Whose step boundaries it learns from.")] = "training",
    encoder: flag.EncoderName = "auto",
    domain: flag.Domain = None,
    store: flag.KeptAlignments = None,
    batches: Annotated[int, typer.Option("--batches", help="Updates, of 128 jumps each.")] = 6_000,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same model.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder, exactly.")] = False,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Train FFNet, the supervised baseline, on the step boundaries of training videos (needs PyTorch)."""
    from saffa.cli import report  # noqa: PLC0415
    from saffa.storage.checkpoints import import_torch  # noqa: PLC0415

    import_torch("Training FFNet")
    from saffa.research.datasets.coin import domain_of  # noqa: PLC0415
    from saffa.research.training.ffnet import FfnetSettings, labelled_videos  # noqa: PLC0415
    from saffa.research.training.ffnet import train_ffnet as train  # noqa: PLC0415
    from saffa.storage.models import RUN_AGENT  # noqa: PLC0415

    with report.progress_bar() as progress:
        lessons = labelled_videos(
            benchmark, data, split, encoder, lambda share: progress("Encoding", share), domain=domain, store=store
        )
        report.warn((lessons.left_out,) if lessons.left_out else ())
        source = benchmark if domain is None else f"{benchmark}, domain {domain_of(domain)}"
        facts = {
            "data": f"{len(lessons.videos)} videos of {source}, split {split}, with their step boundaries",
            "supervised": True,
        }
        settings = FfnetSettings(batches=batches, seed=seed)
        train(
            lessons.videos,
            output,
            settings,
            encoder=lessons.encoder,
            facts=facts,
            resume=resume,
            overwrite=overwrite,
            progress=progress,
        )
    done = {"model": str(output / RUN_AGENT), "videos": len(lessons.videos), "batches": batches, "seed": seed}
    report.say(done, f"wrote {output / RUN_AGENT}: {batches} batches on {len(lessons.videos)} videos", as_json)
