"""`saffa data`: compute what encoders say about a dataset once, and see what is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from saffa.cli import options as flag
from saffa.cli import report
from saffa.core.errors import InputError, SaffaError
from saffa.core.strict_json import json_text
from saffa.research.datasets import store as alignments
from saffa.research.datasets import vatex
from saffa.research.datasets.captioned_folder import CaptionedFolder
from saffa.research.datasets.dataset import NoneUsableError
from saffa.research.datasets.registry import WantedVideos, encoder_for, encoder_name, load_videos
from saffa.scale.engines import research_engine

app = typer.Typer(
    add_completion=False,
    help="Datasets: extract alignments with an encoder, check what is complete.",
    no_args_is_help=True,
)

Benchmark = Annotated[
    str, typer.Argument(metavar="BENCHMARK", help="youcook2, coin, youcook2-narrated, msvd-long or assembled.")
]
Checked = Annotated[
    str,
    typer.Argument(
        metavar="BENCHMARK", help="youcook2, coin, youcook2-narrated, msvd-long, assembled, vatex or captions."
    ),
]
Data = Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder with the dataset's own files.")]
Split = Annotated[str, typer.Option("--split", help="training, validation, testing; msvd-long: train, val, test.")]
Store = Annotated[Path, typer.Option("--store", metavar="STORE", help="Folder of the alignments.")]
StoreIfAny = Annotated[
    Path | None, typer.Option("--store", metavar="STORE", help="Folder of the alignments; without it, videos only.")
]
SHOWN = 10
VATEX, CAPTIONS = "vatex", "captions"


@app.command()
def extract(
    benchmark: Benchmark,
    data: Data,
    store: Store,
    split: Split = "training",
    encoder: flag.EncoderName = "auto",
    domain: flag.Domain = None,
    jobs: flag.Jobs = None,
    ray: flag.RayAddress = None,
    as_json: flag.AsJson = False,
) -> None:
    """Encode every video that is not in the store yet. Interrupt and run again as you like.

    Exit code 1 if a video is damaged or cannot be encoded; the others are kept.
    """
    if benchmark == VATEX:
        raise InputError("VaTeX is for `saffa train vdan --vatex`; it has no alignments to extract.")
    found = load_videos(benchmark, WantedVideos(data, split, encoder == "none", domain=domain))
    named = alignments.NamedEncoder(encoder_name(benchmark, encoder))
    name = "-".join(part for part in (benchmark, domain, split, named.load().name) if part)
    name = "".join(letter if letter.isalnum() or letter in "-+_@." else "_" for letter in name)
    with report.progress_bar() as progress:
        engine = research_engine(jobs, ray)
        done = alignments.extract(found.videos, named, store, name, partial(progress, "Encoding"), engine)
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
    benchmark: Checked,
    data: Data,
    store: StoreIfAny = None,
    split: Split = "training",
    encoder: flag.EncoderName = "auto",
    domain: flag.Domain = None,
    as_json: flag.AsJson = False,
) -> None:
    """Say which videos and alignments are here, missing or damaged. Exit code 1 unless all are here and complete."""
    if benchmark == CAPTIONS:
        _check_captions(data, as_json)
        return
    if benchmark == VATEX:
        if store is not None:
            raise InputError("VaTeX has videos to check, but no alignments: leave out --store.")
        here, missing, damaged, states = _vatex_videos(data, split)
    else:
        here, missing, damaged, states = _states(benchmark, data, split, encoder, domain, store)
    facts: dict[str, Any] = {"videos": {"here": here, "missing": list(missing), "damaged": dict(damaged)}}
    if store is not None:
        listed = {state: [v for v, s in states.items() if s == state] for state in ("missing", "damaged")}
        facts["alignments"] = listed | {"complete": list(states.values()).count("complete")}
    report.warn(tuple(f"{video}: {why}" for video, why in damaged[:SHOWN]))
    typer.echo(json_text(facts) if as_json else _told(facts))
    if missing or damaged or set(states.values()) - {"complete"}:
        raise typer.Exit(1)


def _states(
    benchmark: str, data: Path, split: str, encoder: str, domain: str | None, store: Path | None
) -> tuple[int, Sequence[str], Sequence[tuple[str, str]], Mapping[str, str]]:
    """How many videos are here, which are missing or damaged, and the alignments of those in a store."""
    try:
        found = load_videos(benchmark, WantedVideos(data, split, encoder == "none", domain=domain))
    except NoneUsableError as error:  # to say so is what this command is for
        return 0, error.missing, error.damaged, {}
    states: Mapping[str, str] = {}
    if store is not None:
        states = alignments.check(found.videos, encoder_for(benchmark, encoder), store)
    return len(found.videos), found.missing, found.damaged, states


def _vatex_videos(data: Path, split: str) -> tuple[int, Sequence[str], Sequence[tuple[str, str]], Mapping[str, str]]:
    """How many videos of VaTeX are here, which are missing or damaged; it has no alignments."""
    try:
        with report.progress_bar() as progress:
            clips = vatex.load_split(data, split, partial(progress, "Videos"))
    except NoneUsableError as error:
        return 0, error.missing, error.damaged, {}
    return len(clips), clips.missing, clips.damaged, {}


def _check_captions(data: Path, as_json: bool) -> None:
    """A folder for `saffa train vdan`; InputError says what is wrong with it."""
    folder = CaptionedFolder.open(data)
    counts = {split: list(folder.splits.values()).count(split) for split in ("train", "val")}
    facts = {"files": len(folder.captions), "captions": sum(map(len, folder.captions.values())), **counts}
    told = f"{facts['files']} files with {facts['captions']} captions"
    typer.echo(json_text(facts) if as_json else f"{told}: {counts['train']} to train, {counts['val']} to choose")


def _told(facts: dict[str, Any]) -> str:
    """The facts of `check` as lines for people."""
    videos, alignments = facts["videos"], facts.get("alignments")
    counts = f"{len(videos['missing'])} missing, {len(videos['damaged'])} damaged"
    lines = [f"videos      {videos['here']} here, {counts}"]
    if alignments is not None:
        counts = f"{len(alignments['missing'])} missing, {len(alignments['damaged'])} damaged"
        lines.append(f"alignments  {alignments['complete']} complete, {counts}")
        for name in ("missing", "damaged"):
            listed = alignments[name]
            if listed:
                lines.append(f"{name:<11} {', '.join(listed[:SHOWN])}{' …' if len(listed) > SHOWN else ''}")
    return "\n".join(lines)
