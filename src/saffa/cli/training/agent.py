"""`saffa train saffa` and `saffa train ffnet`: from alignments, or the benchmarks' data, to an agent."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from saffa.cli import options as flag


def train_agent(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="RUN", help="Folder for the run: log, agent.")],
    alignments: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Folder of alignments (npz; see `saffa align`).")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="Instead of DIR: the benchmarks' data, from which the shipped compact agent learned."
        ),
    ] = None,
    state: Annotated[
        Literal["published", "compact"],
        typer.Option("--state", help="What saffa sees: the paper's state, or one signal and the way to the target."),
    ] = "published",
    learner: Annotated[
        Literal["published", "compact"] | None,
        typer.Option("--learner", help="Preset of all options below that are not given. Default: the state's own."),
    ] = None,
    signal: Annotated[
        Literal["relevance", "product", "both"] | None,
        typer.Option("--signal", help="What the compact state reads: relevance, e_D·e_v or both. Default: relevance."),
    ] = None,
    look_ahead: Annotated[
        bool | None,
        typer.Option("--look-ahead/--no-look-ahead", help="Compact, two passes or a single one. Default: look ahead."),
    ] = None,
    keep_length: Annotated[
        bool | None,
        typer.Option("--keep-length/--no-keep-length", help="Compact: bar actions that miss the length. Default: yes."),
    ] = None,
    method: Annotated[
        Literal["saffa", "sff-rl"], typer.Option("--method", help="What to train, with its authors' settings.")
    ] = "saffa",
    epochs: Annotated[
        int | None, typer.Option("--epochs", help="Passes over all videos. Default: 100; compact: 6")
    ] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", help="Videos per update. Default: 1; compact: 8; sff-rl: all (0).")
    ] = None,
    episodes: Annotated[
        int | None, typer.Option("--episodes", help="Episodes of each video in an update. Default: 1; compact: 4.")
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", help="Fixed target speed. Default: drawn from 1..24 (compact: 2..25).")
    ] = None,
    weight: Annotated[
        Literal["F*", "F", "0"] | None,
        typer.Option("--weight", help="λ of the speed reward. Default: F*; F for embeddings of VDAN, as in the paper."),
    ] = None,
    sigma: Annotated[float | None, typer.Option("--sigma", help="σ of the speed reward. Default: 0.5.")] = None,
    first_sigma: Annotated[
        float | None, typer.Option("--first-sigma", help="σ falls from here. Default: it does not; compact: 3.")
    ] = None,
    lr: Annotated[float | None, typer.Option("--lr", help="Step size. Default: 5e-5; compact: 2e-3, falling.")] = None,
    critic_lr: Annotated[float | None, typer.Option("--critic-lr", help="Of the critic. Default: 1e-3.")] = None,
    gamma: Annotated[float | None, typer.Option("--gamma", help="Discount. Default: 0.99; sff-rl, compact: 1.")] = None,
    centre: Annotated[
        bool | None, typer.Option("--centre/--no-centre", help="Pay the fit less its mean. Default: no; compact: yes.")
    ] = None,
    capped: Annotated[
        bool | None, typer.Option("--capped/--no-capped", help="Pay F* frames at most. Default: no; compact: yes.")
    ] = None,
    group: Annotated[
        bool | None,
        typer.Option("--group/--no-group", help="Baseline: the video's other episodes. Default: no; compact: yes."),
    ] = None,
    normalise: Annotated[
        bool | None,
        typer.Option("--normalise", help="Standardise the advantages of an episode. Default: no."),
    ] = None,
    position: Annotated[
        bool | None, typer.Option("--position/--no-position", help="NRPE in the state. Default: yes; sff-rl: never.")
    ] = None,
    skip: Annotated[
        bool | None, typer.Option("--skip/--no-skip", help="Average skip in the state. Default: yes; sff-rl: never.")
    ] = None,
    variant: Annotated[
        Literal["code", "paper"] | None, typer.Option("--variant", help="Order of the dynamics. Default: code.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same agent.")] = 0,
    snapshot: Annotated[
        int | None, typer.Option("--snapshot", help="Keep a checkpoint every so many epochs. Default: 10; compact: 2.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder, exactly.")] = False,
    tensorboard: Annotated[bool, typer.Option("--tensorboard", help="Also write curves for TensorBoard.")] = False,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Train the fast-forward agent (needs PyTorch; also runs under torchrun)."""
    from saffa.cli import report  # noqa: PLC0415
    from saffa.core.errors import InputError  # noqa: PLC0415
    from saffa.storage.checkpoints import import_torch  # noqa: PLC0415

    import_torch("Training an agent")
    from saffa.research.training.run import leads, note_run  # noqa: PLC0415
    from saffa.research.training.saffa.presets import preset_for, speed_weight  # noqa: PLC0415
    from saffa.research.training.saffa.training import train_agent as train  # noqa: PLC0415
    from saffa.research.training.saffa.training import train_compact  # noqa: PLC0415

    if method == "sff-rl" and (position or skip or state == "compact"):
        raise InputError("sff-rl sees embeddings alone; leave --position, --skip and --state away, or use saffa.")
    if (alignments is None) == (data is None) or (data is not None and state == "published"):
        raise InputError("Give a folder of alignments, or with --state compact the benchmarks' folder as --data.")
    preset = preset_for(state, learner, method)
    if weight is None and state == "published" and method == "saffa" and alignments is not None:
        weight = speed_weight(_encoder(alignments))
    try:
        settings = replace(
            preset,
            **_given(epochs=epochs, variant=variant, position=position, skip=skip, snapshot=snapshot),
            **_given(signal=signal, look_ahead=look_ahead, keep_length=keep_length, episodes=episodes),
            speeds=preset.speeds if speed is None else (speed, speed),
            batch=preset.batch if batch is None else batch or None,
            reward=replace(
                preset.reward,
                **_given(weight=weight, sigma=sigma, first_sigma=first_sigma, centre=centre, capped=capped),
            ),
            learning=replace(
                preset.learning, **_given(lr=lr, critic_lr=critic_lr, gamma=gamma, group=group, normalise=normalise)
            ),
            seed=seed,
        )
    except ValueError as error:
        raise InputError(f"{error}.") from None
    with report.progress_bar() as progress:
        if data is not None:
            from saffa.research.training.saffa.signals import collect  # noqa: PLC0415

            alignments = output / "signals"
            collect(data, alignments, progress)
        begun = {"resume": resume, "overwrite": overwrite, "tensorboard": tensorboard}
        if state == "compact" and alignments:
            train_compact(alignments, output, settings, **begun, progress=progress)
        elif alignments:
            train(alignments, output, settings, **begun, progress=progress)
    if leads():
        facts, text = _outcome(output)
        note_run(output, method, facts)
        report.say(facts, text, as_json)


@wraps(train_agent)
def train_plus(**options: Any) -> None:
    """Train the agent with the compact state, `saffa+`: as `saffa train saffa --state compact`."""
    train_agent(**options)


_asked = signature(train_agent, eval_str=True)
train_plus.__signature__ = _asked.replace(  # type: ignore[attr-defined]
    parameters=[p.replace(default="compact") if p.name == "state" else p for p in _asked.parameters.values()]
)
train_plus.__doc__ = "Train the agent with the compact state, saffa+: as `saffa train saffa --state compact`."


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
    from saffa.research.training.run import note_run  # noqa: PLC0415
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
    note_run(output, "ffnet", done)
    report.say(done, f"wrote {output / RUN_AGENT}: {batches} batches on {len(lessons.videos)} videos", as_json)


def _outcome(run: Path) -> tuple[dict[str, Any], str]:
    """What is told about a finished run; its log may have been moved away or be shorter."""
    from saffa.research.training.run import read_log  # noqa: PLC0415
    from saffa.storage.models import RUN_AGENT, ModelFolder  # noqa: PLC0415

    settings = ModelFolder.open(run / RUN_AGENT).facts["training"]["settings"]
    last = next((facts for facts in read_log(run) if facts["epoch"] == settings["epochs"]), None)
    error = "" if last is None else f", |average skip − S*| {last['skip_error']:.2f}"
    facts = {"agent": str(run / RUN_AGENT), "settings": settings, "last_epoch": last}
    return facts, f"wrote {run / RUN_AGENT}: {settings['epochs']} epochs{error}"


def _encoder(alignments: Path) -> str:
    """Whose alignments these are; empty if there are none."""
    from saffa.core.alignment import Alignment  # noqa: PLC0415

    first = next(iter(sorted(alignments.glob("*.npz"))), None)
    return "" if first is None else Alignment.load(first).encoder


def _given(**options: Any) -> dict[str, Any]:
    """The options that the user named."""
    return {name: value for name, value in options.items() if value is not None}
