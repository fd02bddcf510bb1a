"""`saffa data`: compute what encoders say about a dataset once, and see what is there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from saffa import cli_options as flag
from saffa.errors import SaffaError

app = typer.Typer(help="Datasets: extract alignments with an encoder, check what is complete.", no_args_is_help=True)

Benchmark = Annotated[str, typer.Argument(metavar="BENCHMARK", help="youcook2, coin, youcook2-narrated or msvd-long.")]
Data = Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder with the dataset's own files.")]
Split = Annotated[str, typer.Option("--split", help="training, validation, testing; msvd-long: train, val, test.")]
Store = Annotated[Path, typer.Option("--store", metavar="STORE", help="Folder of the alignments.")]
SHOWN = 10


@app.command()
def extract(
    benchmark: Benchmark,
    data: Data,
    store: Store,
    split: Split = "training",
    encoder: flag.EncoderName = "auto",
    domain: flag.Domain = None,
    as_json: flag.AsJson = False,
) -> None:
    """Encode every video that is not in the store yet. Interrupt and run again as you like.

    Exit code 1 if a video is damaged or cannot be encoded; the others are kept.
    """
    from saffa import report  # noqa: PLC0415
    from saffa.data.store import AlignmentStore, extract  # noqa: PLC0415
    from saffa.evaluation.run import encoder_for, load_videos  # noqa: PLC0415

    found = load_videos(benchmark, data, split, encoder, domain=domain)
    loaded = encoder_for(benchmark, encoder)
    name = "-".join(part for part in (benchmark, domain, split, loaded.name) if part)
    name = "".join(letter if letter.isalnum() or letter in "-+_@." else "_" for letter in name)
    with report.progress_bar() as progress:
        done = extract(found.videos, loaded, AlignmentStore(store), name, lambda share: progress("Encoding", share))
    problems = dict(found.damaged) | dict(done.failed)
    facts = {
        "set": str(store / "sets" / name),
        "made": len(done.made),
        "kept": len(done.kept),
        "missing": len(found.missing),
        "failed": problems,
    }
    report.warn(tuple(f"{video}: {why}" for video, why in list(problems.items())[:SHOWN]))
    counts = f"{len(done.made)} made, {len(done.kept)} were there, {len(found.missing)} videos missing"
    report.say(facts, f"{facts['set']}: {counts}, {len(problems)} failed", as_json)
    if not done.made and not done.kept:
        raise SaffaError("No video could be encoded.")
    if problems:
        raise typer.Exit(1)


@app.command()
def check(
    benchmark: Benchmark,
    data: Data,
    store: Store,
    split: Split = "training",
    encoder: flag.EncoderName = "auto",
    domain: flag.Domain = None,
    as_json: flag.AsJson = False,
) -> None:
    """Say which videos and alignments are here, missing or damaged. Exit code 1 unless all are here and complete."""
    from saffa import report  # noqa: PLC0415
    from saffa.data.store import AlignmentStore  # noqa: PLC0415
    from saffa.data.store import check as states_of  # noqa: PLC0415
    from saffa.evaluation.run import encoder_for, load_videos  # noqa: PLC0415

    found = load_videos(benchmark, data, split, encoder, domain=domain)
    states = states_of(found.videos, encoder_for(benchmark, encoder), AlignmentStore(store))
    counts = Counter(states.values())
    facts: dict[str, Any] = {
        "videos": {"here": len(found.videos), "missing": list(found.missing), "damaged": dict(found.damaged)},
        "alignments": {state: [v for v, s in states.items() if s == state] for state in ("missing", "damaged")}
        | {"complete": counts["complete"]},
    }
    report.warn(tuple(f"{video}: {why}" for video, why in found.damaged[:SHOWN]))
    if as_json:
        typer.echo(json.dumps(facts, indent=1, ensure_ascii=False))
    else:
        typer.echo(
            f"videos      {len(found.videos)} here, {len(found.missing)} missing, {len(found.damaged)} damaged\n"
            f"alignments  {counts['complete']} complete, {counts['missing']} missing, {counts['damaged']} damaged"
        )
        for name in ("missing", "damaged"):
            listed = facts["alignments"][name]
            if listed:
                typer.echo(f"{name:<11} {', '.join(listed[:SHOWN])}{' …' if len(listed) > SHOWN else ''}")
    if found.missing or found.damaged or counts["complete"] < len(found.videos):
        raise typer.Exit(1)
