"""`saffa reproduce`: the paper's tables and figures, each with one command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from saffa.cli import options as flag
from saffa.cli import report
from saffa.core.errors import InputError
from saffa.research.evaluation.protocol import MSVD_LONG, NARRATED, Bench
from saffa.research.evaluation.score import METHODS, sampler_for
from saffa.research.reproduce.context import SPEEDS, Context
from saffa.research.reproduce.page import TARGETS, write_page
from saffa.research.reproduce.section import ReportSection
from saffa.scale.engines import research_engine
from saffa.storage.fingerprint import sources

ALL = "all"


def reproduce(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="table1, table2, significance, speedup-error, times, selections, ablation, grid, roc, attention, "
            "products, mrr, h0, tsne, asr or all.",
        ),
    ],
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder with the benchmarks' data.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where the report goes.")],
    methods: Annotated[
        str, typer.Option("--methods", help="Comma-separated. Default: all (asr: saffa-published, saffa, plan).")
    ] = "",
    benchmarks: Annotated[
        str, typer.Option("--benchmarks", help="youcook2-narrated, msvd-long. Default: those whose data is there.")
    ] = "",
    speeds: Annotated[
        str, typer.Option("--speeds", help="Target speeds of speedup-error, like 2,5,12. Default: 2-20.")
    ] = "",
    few_speeds: Annotated[
        str,
        typer.Option(
            "--few-speeds",
            help="The same for sas, sasv2, bot and non-rl, which are slow. Default: as --speeds.",
        ),
    ] = "",
    epochs: Annotated[
        int,
        typer.Option("--epochs", min=0, help="Train missing agents (saffa, sff-rl, ablation, grid) so long. 0: not."),
    ] = 0,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Agents per trained method.")] = 3,
    videos: Annotated[
        int, typer.Option("--training-videos", min=1, help="Training videos used at most with --epochs.")
    ] = 200,
    encoder: Annotated[
        str, typer.Option("--encoder", help="For YouCook2 and COIN where their videos are in DIR.")
    ] = "auto",
    store: Annotated[
        Path | None, typer.Option("--store", metavar="STORE", help="Keep alignments here (`saffa data extract`).")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="PAGE.md", help="Also join all targets to one page with figures.")
    ] = None,
    jobs: flag.Jobs = None,
    ray: flag.RayAddress = None,
    as_json: flag.AsJson = False,
) -> None:
    """Repeat the paper's evaluation on the data at hand; what was computed before and still holds is used again."""
    check_target(target, page)
    if not data.is_dir():
        raise InputError(f"There is no folder {data}; --data must name the folder with the benchmarks' data.")
    chosen, benches = choose_methods(methods), choose_benches(benchmarks, target)
    all_speeds, fewer = choose_speeds(speeds, few_speeds)
    if output.exists() and not output.is_dir():
        raise InputError(f"{output} is a file; the report needs a folder.")
    output.mkdir(parents=True, exist_ok=True)
    sources()
    told: set[str] = set()

    def note(text: str) -> None:
        """Warn once: many targets lack the same data."""
        if text not in told:
            report.warn((text,))
        told.add(text)

    with report.progress_bar() as progress:
        context = Context(
            data,
            output,
            methods=chosen,
            speeds=all_speeds,
            few_speeds=fewer,
            benches=benches,
            named=bool(benchmarks.strip(", ")),
            encoder=encoder,
            store=store,
            epochs=epochs,
            seeds=seeds,
            videos=videos,
            engine=research_engine(jobs, ray),
            progress=progress,
            note=note,
        )
        sections, made = perform(context, target, as_json)
        if page is not None:
            write_page(context, sections, page)
    news = "" if page is None else f"wrote {page}"
    if as_json or news:
        report.say({"targets": made, "page": None if page is None else str(page)}, news, as_json)


def perform(context: Context, target: str, as_json: bool) -> tuple[list[ReportSection], dict[str, list[str]]]:
    """The sections of one target or of all, and the files of each; an InputError if no data for any is here."""
    sections: list[ReportSection] = []
    made: dict[str, list[str]] = {}
    for name in TARGETS if target == ALL else (target,):
        section = TARGETS[name].run(context)
        sections.append(section)
        if not section.ran and target != ALL:
            for reason in section.text.split("\n\n"):
                context.note(reason)
            break
        made[name] = [str(path) for path in section.write(context.out)]
        if not as_json:
            typer.echo(f"{name}: {', '.join(Path(path).name for path in made[name])}")
    if not any(section.ran for section in sections):
        where = "docs/guide/datasets.md says what belongs there"
        raise InputError(f"{context.data} has nothing to run {target} with, for the reasons above; {where}.")
    return sections, made


def check_target(target: str, page: Path | None) -> None:
    """InputError unless the target exists; a page needs all targets."""
    if target not in (*TARGETS, ALL):
        raise InputError(f"Unknown target {target!r}. Use one of: {', '.join((*TARGETS, ALL))}.")
    if page is not None and target != ALL:
        raise InputError("--page joins all targets; use it with `saffa reproduce all`.")


def choose_methods(text: str) -> tuple[str, ...]:
    """Methods by name, in the registry's order, which has uniform first; all without one."""
    names = [name.strip() for name in text.split(",") if name.strip()] or list(METHODS)
    for name in names:
        if name not in METHODS:
            sampler_for(name)  # says what there is
    return tuple(name for name in METHODS if name in names)


def choose_benches(text: str, target: str) -> tuple[Bench, ...]:
    """Benches by name, of those that the target can use; all without one."""
    known = {bench.name: bench for bench in (NARRATED, MSVD_LONG)}
    named = [name.strip() for name in text.split(",") if name.strip()]
    usable = [bench.name for bench in TARGETS[target].uses] if target != ALL else list(known)
    for name in named:
        if name not in known:
            raise InputError(f"Unknown benchmark {name!r}. Use some of: {', '.join(known)}.")
        if name not in usable:
            raise InputError(f"{target} cannot use {name}, only {', '.join(usable)}. Change --benchmarks.")
    return tuple(known[name] for name in known if name in (named or known))


def choose_speeds(speeds: str, few_speeds: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Target speeds of all methods, and of the slow ones: those named for them, else those of all."""
    chosen = parse_speeds(speeds, "--speeds") if speeds else SPEEDS
    return chosen, parse_speeds(few_speeds, "--few-speeds") if few_speeds else chosen


def parse_speeds(text: str, option: str = "--speeds") -> tuple[int, ...]:
    """`2-20` or `2,5,12`: whole numbers from 1 up, increasing."""
    try:
        found: set[int] = set()
        for part in text.split(","):
            first, _, last = part.partition("-")
            found.update(range(int(first), int(last or first) + 1))
    except ValueError:
        found = set()
    if not found or min(found) < 1:
        raise InputError(f"{option} {text} is no list of whole target speeds, like 2-20 or 2,5,12.")
    return tuple(sorted(found))
