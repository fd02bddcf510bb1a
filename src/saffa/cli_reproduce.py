"""`saffa reproduce`: the paper's tables and figures, each with one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saffa import cli_options as flag

if TYPE_CHECKING:
    from saffa.evaluation.bench import Bench

ALL = "all"


def reproduce(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="table1, table2, ablation, speedup-error, roc, tsne, asr, significance, times, selections or all.",
        ),
    ],
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder with the benchmarks' data.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where the report goes.")],
    methods: Annotated[str, typer.Option("--methods", help="Comma-separated. Default: all.")] = "",
    benchmarks: Annotated[str, typer.Option("--benchmarks", help="youcook2-narrated, msvd-long. Default: both.")] = "",
    speeds: Annotated[str, typer.Option("--speeds", help="Target speeds of speedup-error: 2-20, or 2,5,12.")] = "2-20",
    few_speeds: Annotated[
        str, typer.Option("--few-speeds", help="The same for sas, sasv2, bot and non-rl, which are slow.")
    ] = "2,12,20",
    epochs: Annotated[
        int, typer.Option("--epochs", help="Train missing agents (saffa, sff-rl, ablation) for so long. 0: not.")
    ] = 0,
    seeds: Annotated[int, typer.Option("--seeds", help="Agents per trained method.")] = 3,
    videos: Annotated[int, typer.Option("--training-videos", help="Training videos used at most with --epochs.")] = 200,
    encoder: Annotated[
        str, typer.Option("--encoder", help="For YouCook2 and COIN where their videos are in DIR.")
    ] = "auto",
    store: Annotated[
        Path | None, typer.Option("--store", metavar="STORE", help="Keep alignments here (`saffa data extract`).")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="PAGE.md", help="Also join all targets to one page with figures.")
    ] = None,
    as_json: flag.AsJson = False,
) -> None:
    """Repeat the paper's evaluation on the data at hand; what was computed before and still holds is used again."""
    from saffa import report  # noqa: PLC0415
    from saffa.code_print import sources  # noqa: PLC0415
    from saffa.errors import InputError  # noqa: PLC0415
    from saffa.evaluation.benchmark import METHODS, sampler_for  # noqa: PLC0415
    from saffa.evaluation.reproduce.context import Context  # noqa: PLC0415
    from saffa.evaluation.reproduce.page import write_page  # noqa: PLC0415
    from saffa.evaluation.reproduce.targets import TARGETS  # noqa: PLC0415

    if target not in (*TARGETS, ALL):
        raise InputError(f"Unknown target {target!r}. Use one of: {', '.join((*TARGETS, ALL))}.")
    if page is not None and target != ALL:
        raise InputError("--page joins all targets; use it with `saffa reproduce all`.")
    if not data.is_dir():
        raise InputError(f"There is no folder {data}; --data must name the folder with the benchmarks' data.")
    chosen = tuple(m.strip() for m in methods.split(",") if m.strip()) or METHODS
    for method in chosen:
        if method not in METHODS:
            sampler_for(method)  # says what there is
    if output.exists() and not output.is_dir():
        raise InputError(f"{output} is a file; the report needs a folder.")
    output.mkdir(parents=True, exist_ok=True)
    sources()
    wanted = list(TARGETS) if target == ALL else [target]
    with report.progress_bar() as progress:
        context = Context(
            data,
            output,
            chosen,
            parse_speeds(speeds),
            parse_speeds(few_speeds),
            choose_benches(benchmarks),
            encoder,
            store,
            epochs,
            seeds,
            videos,
            progress=progress,
            note=lambda text: report.warn((text,)),
        )
        sections = []
        made: dict[str, list[str]] = {}
        for name in wanted:
            sections.append(TARGETS[name](context))
            made[name] = [str(path) for path in sections[-1].write(output)]
            if not as_json:
                typer.echo(f"{name}: {', '.join(Path(path).name for path in made[name])}")
    if page is not None:
        write_page(sections, output, page)
    news = "" if page is None else f"wrote {page}"
    if as_json or news:
        report.say({"targets": made, "page": None if page is None else str(page)}, news, as_json)


def choose_benches(text: str) -> tuple[Bench, ...]:
    """By name; all without one."""
    from saffa.errors import InputError  # noqa: PLC0415
    from saffa.evaluation.bench import MSVD_LONG, NARRATED  # noqa: PLC0415

    known = {bench.name: bench for bench in (NARRATED, MSVD_LONG)}
    names = [name.strip() for name in text.split(",") if name.strip()] or list(known)
    for name in names:
        if name not in known:
            raise InputError(f"Unknown benchmark {name!r}. Use some of: {', '.join(known)}.")
    return tuple(known[name] for name in known if name in names)


def parse_speeds(text: str) -> tuple[int, ...]:
    """`2-20` or `2,5,12`: whole numbers from 1 up, increasing."""
    from saffa.errors import InputError  # noqa: PLC0415

    try:
        found: set[int] = set()
        for part in text.split(","):
            first, _, last = part.partition("-")
            found.update(range(int(first), int(last or first) + 1))
    except ValueError:
        found = set()
    if not found or min(found) < 1:
        raise InputError(f"--speeds {text} is no list of whole target speeds, like 2-20 or 2,5,12.")
    return tuple(sorted(found))
