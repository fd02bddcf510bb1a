"""`saffa train agent`: from a folder of alignments to an agent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from saffa.cli import options as flag


def train_agent(
    alignments: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of alignments (npz; see `saffa align`).")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="RUN", help="Folder for the run: log, agent.")],
    method: Annotated[
        Literal["saffa", "sff-rl"], typer.Option("--method", help="What to train, with its authors' settings.")
    ] = "saffa",
    epochs: Annotated[int | None, typer.Option("--epochs", help="Passes over all videos. Default: 100.")] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", help="Videos per update. Default: 1; sff-rl: all of them (0).")
    ] = None,
    speed: Annotated[
        float | None, typer.Option("--speed", help="Fixed target speed. Default: drawn from 1..24 for every episode.")
    ] = None,
    weight: Annotated[
        Literal["F*", "F", "0"] | None, typer.Option("--weight", help="λ of the speed reward. Default: F*.")
    ] = None,
    sigma: Annotated[float | None, typer.Option("--sigma", help="σ of the speed reward. Default: 0.5.")] = None,
    lr: Annotated[float | None, typer.Option("--lr", help="Step size of the policy. Default: 5e-5.")] = None,
    critic_lr: Annotated[float | None, typer.Option("--critic-lr", help="Of the critic. Default: 1e-3.")] = None,
    gamma: Annotated[float | None, typer.Option("--gamma", help="Discount. Default: 0.99; sff-rl: 1.")] = None,
    centre: Annotated[
        bool, typer.Option("--centre", help="Pay e_D·e_v less its mean over the video (not the authors' way).")
    ] = False,
    normalise: Annotated[
        bool, typer.Option("--normalise", help="Standardise the advantages of an episode (not the authors' way).")
    ] = False,
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
    snapshot: Annotated[int, typer.Option("--snapshot", help="Keep a checkpoint every so many epochs.")] = 10,
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
    from saffa.research.training.saffa.sff_rl import PRESETS  # noqa: PLC0415
    from saffa.research.training.saffa.training import train_agent as train  # noqa: PLC0415
    from saffa.research.training.saffa.workers import speaks  # noqa: PLC0415

    preset = PRESETS[method]
    if method == "sff-rl" and (position or skip):
        raise InputError("sff-rl sees embeddings alone; leave --position and --skip away, or use --method saffa.")
    try:
        settings = replace(
            preset,
            **_given(epochs=epochs, variant=variant, position=position, skip=skip),
            speeds=preset.speeds if speed is None else (speed, speed),
            batch=preset.batch if batch is None else batch or None,
            reward=replace(preset.reward, **_given(weight=weight, sigma=sigma), centre=centre),
            learning=replace(preset.learning, **_given(lr=lr, critic_lr=critic_lr, gamma=gamma), normalise=normalise),
            seed=seed,
            snapshot=snapshot,
        )
    except ValueError as error:
        raise InputError(f"{error}.") from None
    with report.progress_bar() as progress:
        train(
            alignments,
            output,
            settings,
            resume=resume,
            overwrite=overwrite,
            tensorboard=tensorboard,
            progress=progress,
        )
    if speaks():
        facts, text = _outcome(output)
        report.say(facts, text, as_json)


def _outcome(run: Path) -> tuple[dict[str, Any], str]:
    """What is told about a finished run; its log may have been moved away or be shorter."""
    from saffa.research.training.saffa.training_log import logged  # noqa: PLC0415
    from saffa.storage.models import RUN_AGENT, ModelFolder  # noqa: PLC0415

    settings = ModelFolder.open(run / RUN_AGENT).facts["training"]["settings"]
    last = next((facts for facts in logged(run) if facts["epoch"] == settings["epochs"]), None)
    error = "" if last is None else f", |average skip − S*| {last['skip_error']:.2f}"
    facts = {"agent": str(run / RUN_AGENT), "settings": settings, "last_epoch": last}
    return facts, f"wrote {run / RUN_AGENT}: {settings['epochs']} epochs{error}"


def _given(**options: Any) -> dict[str, Any]:
    """The options that the user named."""
    return {name: value for name, value in options.items() if value is not None}
