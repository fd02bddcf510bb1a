"""What people call: align once, select many times, render; or all of it with `accelerate`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from saffa.core.alignment import Alignment
from saffa.core.corrections import Correction, Only, narrowed
from saffa.core.document import Document, TextPart
from saffa.core.errors import InputError
from saffa.core.result import Rendered, Result
from saffa.core.selection import Selection
from saffa.core.timeline import Source, Timeline
from saffa.core.timeline_file import found_file, trusted_subtitles
from saffa.core.types import Progress
from saffa.core.video import NARRATION
from saffa.encoders.base import Encoder
from saffa.media.browser_copy import plays_in_browsers, write_browser_copy
from saffa.media.container import STDIN, is_pipe
from saffa.media.probe import constant_rate_axis, probe
from saffa.media.sheets import write_sheets
from saffa.media.subtitles.lines import find_narration
from saffa.media.writer import RenderOptions, check_output
from saffa.methods.base import Sampler, Settings
from saffa.methods.corrected import corrected
from saffa.methods.registry import load_sampler
from saffa.pipeline.export_run import Exported, ExportOptions, export_timeline
from saffa.pipeline.finish import language_warning, write_timeline
from saffa.pipeline.narration import find_said, narration_as_text
from saffa.pipeline.origin import Origin
from saffa.pipeline.preview import Preview, preview, shown_alignment
from saffa.pipeline.request import Listen, ReadScreen, Request, silent, target_speed
from saffa.pipeline.single_pass import single_pass as run_single_pass
from saffa.pipeline.study import Study, study, write_selection
from saffa.pipeline.two_pass import compare, read_video, two_pass
from saffa.speech.backend import can_listen

__all__ = [
    "Preview",
    "RenderOptions",
    "Study",
    "accelerate",
    "align",
    "can_listen",
    "export",
    "plan",
    "plays_in_browsers",
    "probe",
    "read_document",
    "render",
    "select",
    "shown_alignment",
    "study",
    "write_browser_copy",
    "write_selection",
    "write_sheets",
]
PathLike = str | os.PathLike[str]
Text = PathLike | Document | Sequence[str]


def align(
    video: PathLike,
    text: Text,
    *,
    text_part: TextPart = "steps",
    subtitles: PathLike | None = None,
    listen: Listen = "auto",
    read_screen: ReadScreen = "auto",
    encoder: str | Encoder = "auto",
    cache: bool = True,
    noted: Callable[[str], None] = lambda _: None,
    progress: Progress = silent,
) -> Alignment:
    """Compare a video with a text once; select from the result as often as you like.

    `noted` is called with what is worth knowing, such as how many lines of speech were heard.
    """
    document = _document(text, text_part, Path(video), _path(subtitles), listen, cache, progress)
    request = Request(
        Path(video),
        document,
        subtitles=_path(subtitles),
        listen=listen,
        read_screen=read_screen,
        encoder=encoder,
        cache=cache,
    )
    probed, said = read_video(request, progress)
    foreign = language_warning(document.sentences, said.narration if request.uses_narration else None)
    for note in (*request.notes, *said.notes, *foreign):
        noted(note)
    return compare(progress, constant_rate_axis(probed), said.narration, request)


def select(
    alignment: Alignment,
    *,
    speed: float | None = None,
    length: float | Fraction | None = None,
    method: str | Sampler = "plan",
    balance: float | None = None,
    min_speed: float | None = None,
    max_speed: float | None = None,
    agent: str | None = None,
    ramp: str | None = None,
    whole_lines: bool | None = None,
    corrections: Sequence[Correction] = (),
) -> Selection:
    """Choose frames for a speed or a length in seconds. Methods ignore settings that do not concern them.

    `whole_lines=False` lets slow parts begin and end in the middle of a spoken line (method `plan`).
    """
    _check_no_text_chosen(corrections)
    wanted = target_speed(speed, length, alignment.duration, alignment.rate)
    if isinstance(method, str):
        method = load_sampler(method, Settings(balance, min_speed, max_speed, agent, ramp, whole_lines))
    return corrected(method, corrections).select(alignment, wanted)


def accelerate(
    video: PathLike | None = None,
    text: Text | None = None,
    *,
    speed: float | None = None,
    length: float | Fraction | None = None,
    output: PathLike | None = None,
    text_part: TextPart = "steps",
    subtitles: PathLike | None = None,
    listen: Listen = "auto",
    read_screen: ReadScreen = "auto",
    method: str | Sampler | None = None,
    balance: float | None = None,
    min_speed: float | None = None,
    max_speed: float | None = None,
    agent: str | None = None,
    ramp: str | None = None,
    whole_lines: bool | None = None,
    encoder: str | Encoder | None = None,
    corrections: Sequence[Correction] = (),
    start_from: Timeline | PathLike | None = None,
    cache: bool = True,
    single_pass: bool = False,
    strict: bool = False,
    duration: float | Fraction | None = None,
    options: RenderOptions | None = None,
    planned: Callable[[Result], None] = lambda _: None,
    progress: Progress = silent,
) -> Result:
    """Make a shorter video that follows a text.

    Without `output` nothing is written: the result tells what would be. `planned` is called with the plan before
    rendering starts. `strict` refuses a text that does not seem to fit the video. `encoder` and `method` are names, or
    objects with the methods of `Encoder` and `Sampler`.

    `video` may be `-` (standard input) or a named pipe. Then, and with `single_pass`, it is read once: this needs an
    online method (saffa, sff-rl) and a streaming encoder, the plan is known in the end, and `duration`
    (seconds) says how long the video will be if the container does not.

    `corrections` (`Keep`, `Skip`, `Cut`, `Weight`, `Here`, `Only`) bound the plan; the length stays exact. With
    `start_from`, video, text, subtitles, method, encoder, speed and corrections are those of a timeline where none are
    given.
    """
    origin = None if start_from is None else _origin(start_from)
    if origin is not None:
        video = origin.video if video is None else video
        text = origin.document if text is None else text
        subtitles = origin.subtitles if subtitles is None else subtitles
        method, encoder = method or origin.method, encoder or origin.encoder
        speed = origin.speed if speed is None and length is None else speed
        corrections = (*origin.corrections, *corrections)
    if video is None or text is None:
        raise InputError("Give a video and a text (--text FILE), or a timeline to start from (--from TIMELINE.json).")
    given = _document(text, text_part, Path(video), _path(subtitles), listen, cache, progress)
    document, corrections = narrowed(given, corrections) if corrections else (given, ())
    request = Request(
        video=Path(video),
        document=document,
        speed=speed,
        length=length,
        output=_path(output),
        subtitles=_path(subtitles),
        listen=listen,
        read_screen=read_screen,
        encoder=encoder or "auto",
        method=method or "plan",
        settings=Settings(balance, min_speed, max_speed, agent, ramp, whole_lines),
        corrections=corrections,
        options=options or RenderOptions(),
        cache=cache,
        single_pass=single_pass,
        strict=strict,
        duration=duration,
        inputs=(Path(text),) if isinstance(text, (str, os.PathLike)) and text != NARRATION else (),
    )
    request.check()
    return (run_single_pass if request.read_once else two_pass)(request, planned, progress)


def _origin(timeline: Timeline | PathLike) -> Origin:
    if isinstance(timeline, Timeline):
        return Origin.of(timeline, Path())
    return Origin.of(Timeline.load(Path(timeline)), Path(timeline).parent)


def render(
    timeline: Timeline | PathLike,
    output: PathLike,
    *,
    options: RenderOptions | None = None,
    progress: Progress = silent,
) -> Rendered:
    """Render a timeline again, from its source file."""
    options, folder, files = options or RenderOptions(), Path(), tuple[Path, ...]()
    if not isinstance(timeline, Timeline):
        folder, files = Path(timeline).parent, (Path(timeline),)
        timeline = Timeline.load(Path(timeline))
    if timeline.source.path == STDIN:
        raise InputError("This timeline was made from a pipe; put the path of the video into its source.path first.")
    source = found_file(timeline.source.path, folder)
    given = trusted_subtitles(timeline, folder, source)
    check_output(Path(output), (source, *files, *([given] if given else [])), options)
    video = probe(source, progress=lambda share: progress("Reading the video", share))
    video = replace(video, sha256=Source.of(video).sha256)
    if video.sha256 != timeline.source.sha256 or video.frames != timeline.source.frames:
        raise InputError(f"{source} is not the file this timeline was made from (its contents differ).")
    narration = find_narration(video, given)
    return write_timeline(video, timeline, timeline.timemap(video), narration, Path(output), options, progress)


def export(
    timeline: Timeline | PathLike,
    to: str,
    output: PathLike | None = None,
    *,
    segments: int = 60,
    handles: bool = False,
    relative: bool = False,
    drop_frame: bool | None = None,
    overwrite: bool = False,
) -> Exported:
    """Write a timeline for another program: `to` is otio, fcpxml, premiere, edl, csv or mpv."""
    path = None if isinstance(timeline, Timeline) else Path(timeline)
    loaded = timeline if isinstance(timeline, Timeline) else Timeline.load(Path(timeline))
    options = ExportOptions(segments, handles, relative, drop_frame, overwrite)
    return export_timeline(loaded, to, Path(output) if output else None, options, path)


def plan(
    alignment: Alignment,
    *,
    speed: float | None = None,
    length: float | Fraction | None = None,
    balance: float | None = None,
    ramp: str | None = None,
    corrections: Sequence[Correction] = (),
) -> Preview:
    """How the video would play: what `select` chooses, as stretches of one speed and what is seen of each sentence."""
    _check_no_text_chosen(corrections)
    wanted = target_speed(speed, length, alignment.duration, alignment.rate)
    return preview(alignment, load_sampler("plan", Settings(balance=balance, ramp=ramp)), corrections, wanted)


def _check_no_text_chosen(corrections: Sequence[Correction]) -> None:
    """InputError for `Only`: an alignment has its text already."""
    if any(isinstance(correction, Only) for correction in corrections):
        raise InputError("Only(...) chooses the text, so it belongs to align or accelerate, not to select or plan.")


def _document(
    text: Text, part: TextPart, video: Path, subtitles: Path | None, listen: Listen, cache: bool, progress: Progress
) -> Document:
    """The text to follow; `narration` is what is said in the video itself."""
    if text != NARRATION:
        return read_document(text, part)
    if is_pipe(video):
        raise InputError("The narration of a pipe is not known before it was read; give a file, or a text with --text.")
    probed = probe(video, progress=lambda share: progress("Reading the video", share))
    return narration_as_text(probed, find_said(probed, subtitles, listen, cache, progress))


def read_document(text: Text, text_part: TextPart = "steps") -> Document:
    """A Document as it is, a list of sentences, or the steps (or all) of a text file."""
    if isinstance(text, Document):
        return text
    if isinstance(text, (str, os.PathLike)):
        if not str(text).strip():
            raise InputError("The text has no name. Give a text file, or in Python a list of sentences.")
        return Document.from_file(Path(text), part=text_part)
    if not isinstance(text, Iterable):
        raise InputError(f"The text must be a file, a list of sentences or a Document, not {text!r}.")
    return Document(tuple(text))


def _path(path: PathLike | None) -> Path | None:
    return None if path is None else Path(path)
