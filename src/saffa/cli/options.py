"""The flags of the command line, each defined once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from saffa.core.errors import InputError


def parse_speed(text: str | float) -> float:
    """A speed as people write it: 8, 2.5, 8x, 8×."""
    try:
        return float(str(text).strip().lower().rstrip("x×").strip())
    except ValueError:
        raise InputError(f"--speed {text} is not a number; write it like 8 or 8x.") from None


VideoFile = Annotated[Path, typer.Argument(metavar="VIDEO", help="The video file.")]
VideoStream = Annotated[
    Path | None, typer.Argument(metavar="VIDEO", help="The video file; - is standard input (with saffa).")
]
SinglePass = Annotated[
    bool, typer.Option("--single-pass", help="Read the video once, as from a pipe; for saffa and sff-rl.")
]
Duration = Annotated[
    str | None,
    typer.Option("--duration", help="How long a video from a pipe will be, if it does not tell: 12:30, 750."),
]
TextFile = Annotated[
    str | None,
    typer.Option(
        "--text",
        metavar="FILE",
        help="Recipe, steps or transcript: txt, md, html, docx, pdf, srt, vtt, json; - is stdin.",
    ),
]
Step = Annotated[
    list[str] | None, typer.Option("--step", metavar="TEXT", help="A step in words, instead of --text; repeat it.")
]
TextPart = Annotated[
    Literal["steps", "all"],
    typer.Option("--text-part", help="steps leaves out ingredients, tips, tables; all takes everything."),
]
SubtitleFile = Annotated[
    Path | None,
    typer.Option("--subtitles", metavar="FILE", help="What is said (srt, vtt, ass). Default: beside or in the video."),
]
Listen = Annotated[
    Literal["auto", "on", "off"],
    typer.Option("--listen", help="Recognise speech: auto where there are no subtitles, on instead of them, off."),
]
ReadScreen = Annotated[
    Literal["auto", "on", "off"],
    typer.Option("--read-screen", help="Read slides and captions: auto where subtitles are missing or few, on, off."),
]
Speed = Annotated[
    float | None,
    typer.Option("--speed", parser=parse_speed, metavar="TIMES", help="How many times faster on average. Default: 8."),
]
Length = Annotated[str | None, typer.Option("--length", help="Length of the output instead: 2:30, 90, 1h2m.")]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        help="How frames are chosen: plan (default), saffa or uniform. (Others: docs/method/methods.md.)",
    ),
]
Balance = Annotated[
    float | None,
    typer.Option(
        "--balance", help="0: the most relevant seconds only. 1: every sentence gets its share. Default: 0.5."
    ),
]
MinSpeed = Annotated[
    float | None, typer.Option("--min-speed", parser=parse_speed, metavar="TIMES", help="Never slower than this.")
]
MaxSpeed = Annotated[
    float | None, typer.Option("--max-speed", parser=parse_speed, metavar="TIMES", help="Never faster than this.")
]
AgentName = Annotated[str | None, typer.Option("--agent", help="Trained agent for saffa, sff-rl, ffnet: name or path.")]
_ENCODER = typer.Option(
    "--encoder", help="How video and text are compared: auto, narrated, visual, vdan, fused, clip, or a model."
)
EncoderName = Annotated[str, _ENCODER]
EncoderChoice = Annotated[str | None, _ENCODER]
Domain = Annotated[str | None, typer.Option("--domain", help="coin: one domain, by code or name.")]
KeptAlignments = Annotated[
    Path | None, typer.Option("--store", metavar="STORE", help="Alignments of `saffa data extract`.")
]
ModelName = Annotated[
    str | None,
    typer.Option("--model", metavar="PATH|NAME", help="The model of --encoder clip: a folder of ONNX files."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse a text that does not seem to fit the video.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Look at the video anew, and keep nothing of it.")]
Audio = Annotated[
    Literal["stretch", "mute", "drop"],
    typer.Option("--audio", help="stretch follows the picture and keeps the pitch."),
]
Crf = Annotated[int | None, typer.Option("--crf", help="Picture quality: lower is better and larger.")]
Preset = Annotated[
    str | None, typer.Option("--preset", help="Encoder effort, ultrafast … veryslow. Default: veryfast.")
]
Codec = Annotated[str | None, typer.Option("--codec", help="h264, hevc, vp9, av1 or mpeg4. Default: by extension.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="OUT",
        help="mp4, mkv, mov, webm. Default: NAME-short, here, in the video's own format or mp4.",
    ),
]
TimelineFile = Annotated[
    Path | None, typer.Option("--timeline", metavar="OUT.json", help="Also write the timeline (for `saffa render`).")
]
PlotFile = Annotated[
    Path | None, typer.Option("--plot", metavar="OUT.png", help="Also draw relevance, speed and sentences.")
]
SheetFile = Annotated[
    Path | None,
    typer.Option("--sheet", metavar="OUT.png", help="Also draw pictures with their best sentence and relevance."),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Show the length and the speed curve; write no video, only --timeline and --plot if given."
    ),
]
AllowDamage = Annotated[
    bool,
    typer.Option("--allow-damage", help="Write the video even if more than 5 % of its frames cannot be decoded."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace output files that exist.")]
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", help="How many at a time.")]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray", metavar="ADDRESS|local", help="Work on a Ray cluster, HOST:PORT (needs `pip install saffa\\[ray]`)."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
KeepRanges = Annotated[
    list[str],
    typer.Option("--keep", metavar="A-B[@X]", help="Play 10:40-11:15 or step:3 at 1×, or at most at X×. Repeatable."),
]
SkipRanges = Annotated[
    list[str], typer.Option("--skip", metavar="A-B", help="As fast as the limits allow. Repeatable, as --keep.")
]
CutRanges = Annotated[
    list[str], typer.Option("--cut", metavar="A-B", help="Leave out altogether. Repeatable, as --keep.")
]
Weights = Annotated[
    list[str], typer.Option("--weight", metavar="N=X", help="Sentence N counts X times as much. Repeatable.")
]
HereRanges = Annotated[
    list[str], typer.Option("--here", metavar="N=A-B", help="Sentence N is shown in that range. Repeatable.")
]
OnlySentences = Annotated[
    list[str], typer.Option("--only", metavar="N,N-M", help="Use only these sentences of the text.")
]
RampName = Annotated[
    Literal["soft", "normal", "hard"] | None,
    typer.Option("--ramp", help="How quickly the speed may change. Default: normal."),
]
WholeLines = Annotated[
    Literal["on", "off"] | None,
    typer.Option("--whole-lines", help="Let slow parts begin and end between spoken lines. Default: on."),
]
FromTimeline = Annotated[
    Path | None,
    typer.Option("--from", metavar="TIMELINE.json", help="Plan again from a timeline, with what is given changed."),
]
SubtitleLines = Annotated[
    Literal["all", "readable", "slow"],
    typer.Option("--subtitle-lines", help="All, those that can be read, or those of parts at no more than 2×."),
]
Burn = Annotated[
    Literal["nothing", "steps"],
    typer.Option("--burn", help="steps: a small caption of the current step and speed in the picture."),
]
Chapters = Annotated[
    Literal["source", "steps", "both", "none"],
    typer.Option("--chapters", help="Those of the video, one for each step of the text, both or none."),
]

PANELS = {
    "Corrections": ("keep", "skip", "cut", "weight", "here", "only", "ramp", "whole_lines", "start_from"),
    "Picture and sound": ("audio", "crf", "preset", "codec", "subtitle_lines", "chapters", "burn"),
    "Finer choices and research": (
        "min_speed",
        "max_speed",
        "agent",
        "encoder",
        "model",
        "duration",
        "single_pass",
        "no_cache",
        "allow_damage",
    ),
}
"""Where options stand in the help of a command; all others come first."""
