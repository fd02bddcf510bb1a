"""The commands about one video: accelerate, align, render and demo, each a few lines over the API."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from saffa.cli import options as flag
from saffa.core.corrections import Correction, Cut, Skip, read_here, read_keep, read_only, read_weight
from saffa.core.document import MAX_BYTES, Document, TextPart
from saffa.core.errors import InputError
from saffa.core.video import NARRATION

WRITABLE = (".mp4", ".mkv", ".mov", ".webm")


def accelerate(
    video: flag.VideoStream = None,
    text: flag.TextFile = None,
    step: flag.Step = None,
    text_part: flag.TextPart = "steps",
    subtitles: flag.SubtitleFile = None,
    listen: flag.Listen = "auto",
    read_screen: flag.ReadScreen = "auto",
    speed: flag.Speed = None,
    length: flag.Length = None,
    output: flag.Output = None,
    method: flag.Method = None,
    balance: flag.Balance = None,
    min_speed: flag.MinSpeed = None,
    max_speed: flag.MaxSpeed = None,
    keep: flag.KeepRanges = [],  # noqa: B006
    skip: flag.SkipRanges = [],  # noqa: B006
    cut: flag.CutRanges = [],  # noqa: B006
    weight: flag.Weights = [],  # noqa: B006
    here: flag.HereRanges = [],  # noqa: B006
    only: flag.OnlySentences = [],  # noqa: B006
    ramp: flag.RampName = None,
    whole_lines: flag.WholeLines = None,
    start_from: flag.FromTimeline = None,
    subtitle_lines: flag.SubtitleLines = "readable",
    burn: flag.Burn = "nothing",
    chapters: flag.Chapters = "source",
    agent: flag.AgentName = None,
    encoder: flag.EncoderChoice = None,
    strict: flag.Strict = False,
    single_pass: flag.SinglePass = False,
    duration: flag.Duration = None,
    model: flag.ModelName = None,
    no_cache: flag.NoCache = False,
    audio: flag.Audio = "stretch",
    crf: flag.Crf = None,
    preset: flag.Preset = None,
    codec: flag.Codec = None,
    timeline: flag.TimelineFile = None,
    plot: flag.PlotFile = None,
    dry_run: flag.DryRun = False,
    allow_damage: flag.AllowDamage = False,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Write a shorter video that follows the text."""
    from saffa import api  # noqa: PLC0415
    from saffa.cli import report  # noqa: PLC0415
    from saffa.core.clock import parse_typed_length  # noqa: PLC0415
    from saffa.core.whole_file import check_distinct, told_what_is_whole  # noqa: PLC0415
    from saffa.media.writer import RenderOptions, check_choice  # noqa: PLC0415

    wanted = report.Reports(timeline, plot, as_json, overwrite)
    source = _source(video, start_from)
    target = None if dry_run else output or _default_output(source)
    check_distinct(wanted.files(target))
    wanted.check((*_inputs(source, text, subtitles), *([start_from] if start_from else [])))
    if target is None:  # what the real run would refuse is refused here too, but for a file that exists
        check_choice(output or _default_output(source), codec, crf, preset)
    options = RenderOptions(audio, crf, preset, codec, overwrite, subtitle_lines, burn, chapters, allow_damage)
    again = start_from is not None and text is None and not step
    with told_what_is_whole(wanted.files(target), _subtitles_of(target)):
        with report.progress_bar() as progress:
            result = api.accelerate(
                video,
                None if again else _given_text(text, step or (), text_part),
                text_part=text_part,
                speed=speed,
                length=None if length is None else parse_typed_length(length),
                output=target,
                subtitles=subtitles,
                listen=listen,
                read_screen=read_screen,
                method=method,
                balance=balance,
                min_speed=min_speed,
                max_speed=max_speed,
                agent=agent,
                ramp=ramp,
                whole_lines=None if whole_lines is None else whole_lines == "on",
                encoder=_encoder(encoder, model) if encoder or model else None,
                corrections=_corrections(keep, skip, cut, weight, only, here),
                start_from=start_from,
                strict=strict,
                single_pass=single_pass,
                duration=_duration(duration),
                cache=not no_cache,
                options=options,
                planned=wanted.show_plan,
                progress=progress,
            )
        wanted.finish(result, target)


def align(
    video: flag.VideoFile,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT.npz", help="Where to write the alignment.")],
    text: flag.TextFile = None,
    step: flag.Step = None,
    text_part: flag.TextPart = "steps",
    subtitles: flag.SubtitleFile = None,
    listen: flag.Listen = "auto",
    read_screen: flag.ReadScreen = "auto",
    encoder: flag.EncoderName = "auto",
    model: flag.ModelName = None,
    no_cache: flag.NoCache = False,
    sheet: flag.SheetFile = None,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Compare a video with a text and save the result (for `saffa.select` in Python)."""
    from saffa import api  # noqa: PLC0415
    from saffa.cli import report  # noqa: PLC0415
    from saffa.core.whole_file import check_distinct, check_output_file, told_what_is_whole  # noqa: PLC0415

    outputs = (output,) if sheet is None else (output, sheet)
    check_distinct(outputs)
    for path in outputs:
        check_output_file(path, _inputs(video, text, subtitles), overwrite)
    notes: list[str] = []
    with told_what_is_whole(outputs):
        with report.progress_bar() as progress:
            found = api.align(
                video,
                _given_text(text, step or (), text_part),
                text_part=text_part,
                subtitles=subtitles,
                listen=listen,
                read_screen=read_screen,
                noted=notes.append,
                encoder=_encoder(encoder, model),
                cache=not no_cache,
                progress=progress,
            )
        found.save(output, overwrite=overwrite)
        if sheet is not None:
            from saffa.cli.contact_sheet import draw_sheet  # noqa: PLC0415
            from saffa.media.probe import probe  # noqa: PLC0415

            draw_sheet(probe(video), found, sheet, overwrite=overwrite)
    facts = {
        "output": str(output),
        "sheet": None if sheet is None else str(sheet),
        "encoder": found.encoder,
        "times": len(found.times),
        "sentences": len(found.document),
        "notes": notes,
    }
    wrote = f"wrote {', '.join(map(str, outputs))}: {len(found.times)} times × {len(found.document)} sentences"
    report.say(facts, "\n".join([*notes, wrote]), as_json)


def render(
    timeline: Annotated[Path, typer.Argument(metavar="TIMELINE.json", help="A timeline that saffa wrote.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="OUT", help="mp4, mkv, mov or webm.")],
    audio: flag.Audio = "stretch",
    crf: flag.Crf = None,
    preset: flag.Preset = None,
    codec: flag.Codec = None,
    subtitle_lines: flag.SubtitleLines = "readable",
    burn: flag.Burn = "nothing",
    chapters: flag.Chapters = "source",
    allow_damage: flag.AllowDamage = False,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Render a timeline again, for example with another codec."""
    from saffa import api  # noqa: PLC0415
    from saffa.cli import report  # noqa: PLC0415
    from saffa.core.clock import format_length  # noqa: PLC0415
    from saffa.core.whole_file import told_what_is_whole  # noqa: PLC0415
    from saffa.media.writer import RenderOptions  # noqa: PLC0415

    options = RenderOptions(audio, crf, preset, codec, overwrite, subtitle_lines, burn, chapters, allow_damage)
    with told_what_is_whole([output], _subtitles_of(output)), report.progress_bar() as progress:
        done = api.render(timeline, output, options=options, progress=progress)
    report.warn(done.warnings)
    facts = {"output": str(output), "frames": done.frames, "seconds": float(done.duration), "warnings": done.warnings}
    facts |= {"subtitles": None if done.subtitles is None else str(done.subtitles), "notes": done.notes}
    files = f"{output}, {done.subtitles}" if done.subtitles else str(output)
    news = f"wrote {files}: {done.frames} frames, {format_length(done.duration)}"
    report.say(facts, "\n".join([*done.notes, news]), as_json)


def demo(
    speed: Annotated[
        float, typer.Option("--speed", parser=flag.parse_speed, help="How many times faster on average.")
    ] = 4.0,
    overwrite: flag.Overwrite = False,
    as_json: flag.AsJson = False,
) -> None:
    """Shorten the sample video that comes with saffa, in the current folder."""
    from saffa.sample import RECIPE, VIDEO  # noqa: PLC0415

    accelerate(
        VIDEO,
        str(RECIPE),
        speed=speed,
        output=Path("saffa-demo.mp4"),
        timeline=Path("saffa-demo.json"),
        plot=Path("saffa-demo.png"),
        overwrite=overwrite,
        as_json=as_json,
    )


def _source(video: Path | None, start_from: Path | None) -> Path:
    """The video that will be read, given or named by a timeline."""
    from saffa.core.timeline import Timeline  # noqa: PLC0415

    if video is None and start_from is None:
        raise InputError("Missing argument 'VIDEO'. See `saffa accelerate --help`.")
    return video or Path(Timeline.load(start_from or Path()).source.path)


def _encoder(encoder: str | None, model: str | None) -> str:
    """`--encoder clip --model FOLDER` as one name."""
    from saffa.encoders.registry import entry_of  # noqa: PLC0415

    if model is not None and not entry_of(encoder or "auto").takes_model:
        raise InputError("--model goes with --encoder clip; other models are named by --encoder itself.")
    return f"{encoder}:{model}" if model else encoder or "auto"


def _corrections(
    keep: Sequence[str],
    skip: Sequence[str],
    cut: Sequence[str],
    weight: Sequence[str],
    only: Sequence[str],
    here: Sequence[str],
) -> list[Correction]:
    """The corrections that these flags ask for."""
    found: list[Correction] = [read_keep(text) for text in keep]
    found += [Skip(text) for text in skip]
    found += [Cut(text) for text in cut]
    found += [read_here(text) for text in here]
    return found + [read_weight(text) for text in weight] + [read_only(text) for text in only]


def _duration(text: str | None) -> Fraction | None:
    """`--duration` in seconds; a minus is read too, so that it is refused for what it is."""
    from saffa.core.clock import parse_typed_length  # noqa: PLC0415

    if text is None:
        return None
    seconds = parse_typed_length(text.strip().removeprefix("-"))
    return -seconds if text.strip().startswith("-") else seconds


def _given_text(text: str | None, steps: Sequence[str], part: TextPart) -> str | Document:
    """The name of a file, or what came through `--text -` or `--step`."""
    if steps and text is not None:
        raise InputError("Give --text or --step, not both.")
    if steps:
        return Document.from_steps(steps)
    if text is None:
        raise InputError("There is no text to follow. Give a file with --text FILE, or each step with --step TEXT.")
    if text != "-":
        return text
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"Standard input is too large for a text (over {MAX_BYTES // 2**20} MB).")
    return Document.from_bytes(data, name="standard input", part=part)


def _text_files(text: str | None) -> tuple[Path, ...]:
    """The file named by `--text`, if there is one."""
    return () if text in (None, "-", NARRATION) else (Path(text or ""),)


def _inputs(video: Path, text: str | None, subtitles: Path | None) -> tuple[Path, ...]:
    """Every file that will be read, also subtitles found beside the video."""
    from saffa.media.container import (  # noqa: PLC0415
        STDIN,
        is_movie,
        is_pipe,
    )
    from saffa.media.subtitles.lines import find_sidecar  # noqa: PLC0415

    if str(video) == text == STDIN:
        raise InputError("Video and text cannot both come through standard input; give one of them as a file.")
    if text is not None and is_movie(Path(text)) and video.is_file() and not is_movie(video):
        raise InputError(f"The video and the text are swapped: {text} is the video. Write {text} --text {video}.")
    spoken = subtitles or (None if is_pipe(video) else find_sidecar(video))
    return (video, *_text_files(text), spoken) if spoken else (video, *_text_files(text))


def _subtitles_of(video: Path | None) -> list[Path]:
    """Files that may be made beside a video."""
    from saffa.media.subtitles.lines import SIDECAR_SUFFIXES  # noqa: PLC0415

    return [] if video is None or not video.name else [video.with_suffix(suffix) for suffix in SIDECAR_SUFFIXES]


def _default_output(video: Path) -> Path:
    """`NAME-short` in the current folder, in the video's own format if that can be written, else mp4."""
    if str(video) == "-":
        return Path("video-short.mp4")
    suffix = video.suffix.lower()
    return Path(f"{video.stem}-short{suffix if suffix in WRITABLE else '.mp4'}")
