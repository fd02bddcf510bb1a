"""From a video file to a shorter one in two passes: look and choose, then read the chosen frames and write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TypeVar

from saffa.core.alignment import Alignment
from saffa.core.python_process import python_command
from saffa.core.result import Rendered, Result
from saffa.core.selection import Selection
from saffa.core.timeline import Timeline, file_hash
from saffa.core.timemap import Splice, TimeMap
from saffa.core.types import Progress
from saffa.core.video import Chapter, Cue, Narration, Video
from saffa.encoders.registry import entry_of, load_encoder
from saffa.encoders.stored import StoredEncoder
from saffa.media.caption import step_captions
from saffa.media.constant_rate import constant_rate_axis
from saffa.media.formats import RenderOptions
from saffa.media.frame_stream import check_damage
from saffa.media.probe import probe
from saffa.media.render import render
from saffa.methods.base import watched
from saffa.methods.planner.bounds import placed
from saffa.methods.planner.plan import prepare
from saffa.pipeline.finish import finish, fit_warning, length_warning, step_chapters
from saffa.pipeline.listening import Said, find_said
from saffa.pipeline.request import Request, silent, target_speed
from saffa.pipeline.screen_reading import with_screen
from saffa.pipeline.worker_process import Worker, kept, may_start, serve
from saffa.storage.store import user_cache

ComparesAndPlans = Callable[[Progress, Video, Narration | None, Request, float], tuple[Alignment, Selection]]
STAND_BY = "saffa.pipeline.two_pass:stand_by"
Timed = TypeVar("Timed", Cue, Chapter)


def two_pass(request: Request, planned: Callable[[Result], None], progress: Progress = silent) -> Result:
    """Shorten a video file; `planned` is called with the plan before rendering starts."""
    with _planner(request) as plan_in:
        video, said = read_video(request, progress)
        if not request.options.allow_damage:
            check_damage(video)
        narration = said.narration
        video = replace(video, sha256=file_hash(video.path))
        axis = constant_rate_axis(video)
        speed = target_speed(request.speed, request.length, float(video.duration), axis.rate)
        progress("Comparing with the text", 0.0)
        alignment, selection = plan_in(progress, axis, narration, request, speed)
    doubts = fit_warning(alignment, narration if request.uses_narration else None, strict=request.strict)
    timeline = Timeline.of(
        axis,
        selection,
        document=alignment.document,
        sentences=alignment.sentence_at([float(axis.frame_time(int(frame))) for frame in selection.frames]),
        encoder=alignment.encoder,
        subtitles=request.subtitles,
        confidence=() if alignment.confidence is None else tuple(map(float, alignment.confidence)),
        fit=alignment.fit,
    )
    timemap = timeline.timemap(video)
    # Corrections meet the length exactly, and with cuts the map covers less than the whole source.
    missed = () if selection.corrections else length_warning(selection.method, speed, timemap, axis.rate)
    warnings = (*request.unused_settings(), *video.warnings, *doubts, *missed)
    plan = Result(timeline, selection, alignment, timemap, None, warnings, (*request.document.notes, *said.notes))
    planned(plan)
    if request.output is None:
        return plan
    rendered = write_timeline(
        video, timeline, timemap, said.subtitles, request.output, request.options, progress, request.inputs
    )
    return replace(plan, rendered=rendered)


def read_video(request: Request, progress: Progress = silent) -> tuple[Video, Said]:
    """The frames of the video, and what is said in it and written on its screen."""
    video = probe(request.video, progress=lambda share: progress("Reading the video", share))
    hears = request.uses_narration
    said = find_said(video, request.subtitles, request.listen if hears else "off", request.cache, progress)
    return video, with_screen(video, said, request.read_screen if hears else "off", request.cache, progress)


def write_timeline(
    video: Video,
    timeline: Timeline,
    timemap: TimeMap,
    narration: Narration | None,
    output: Path,
    options: RenderOptions,
    progress: Progress = silent,
    inputs: Sequence[Path] = (),
) -> Rendered:
    """The second pass: read the chosen frames and write them with sound, subtitles and chapters."""
    if not options.allow_damage:
        check_damage(video)
    splice = timeline.splice
    heard = timeline.spliced(timemap)
    # On the timeline's clock: its rate may be that of slots, and a single pass only knew what the container told.
    video = replace(video, rate=timeline.source.rate, duration=timemap.source[-1])

    captions = step_captions(timeline.runs, timeline.document, timeline.source.rate)

    def write(cues: Sequence[Cue], chapters: Sequence[Chapter]) -> Rendered:
        return render(
            video,
            timeline.frames,
            heard,
            output,
            options,
            holds=timeline.holds,
            splice=splice,
            captions=captions if options.burn == "steps" else (),
            subtitles=cues,
            chapters=chapters,
            progress=lambda share: progress("Writing the video", share),
        )

    chapters = without_cuts(video.chapters, splice)
    if narration is not None:
        narration = replace(narration, cues=without_cuts(narration.cues, splice))
    steps = step_chapters(timeline.runs, timeline.document, timeline.source.rate)
    return finish(write, heard, chapters, narration, output, options, inputs, steps)


def without_cuts(timed: Sequence[Timed], splice: Splice) -> tuple[Timed, ...]:
    """Lines or chapters on the spliced clock, without those that are cut out."""
    left = (one for one in timed if not splice.is_cut(one.start, one.end))
    return tuple(replace(one, start=splice.to_spliced(one.start), end=splice.to_spliced(one.end)) for one in left)


def compare(progress: Progress, video: Video, narration: Narration | None, request: Request) -> Alignment:
    """Align the video with the text; what an encoder saw of a video is kept for the next run."""
    encoder = request.encoder
    if isinstance(encoder, str):
        name = encoder
        cache = user_cache() if request.cache and entry_of(name).looks else None
        looking = partial(progress, "Looking at the video")
        encoder = kept(("encoder", name, cache is None), lambda: load_encoder(name, cache=cache, progress=looking))
        encoder = StoredEncoder(encoder, cache) if cache else encoder
    return encoder.encode(video, request.document, narration).with_lines(narration)


def compare_and_plan(
    progress: Progress, video: Video, narration: Narration | None, request: Request, speed: float
) -> tuple[Alignment, Selection]:
    """Align and select; a method that does not read the text needs no encoder."""
    sampler = request.sampler()
    if request.method == "plan" and not _looks(request):
        Thread(target=prepare).start()  # the first plan of an installation compiles: not while somebody waits
    asked = replace(request, encoder=request.encoder_to_take() if sampler.reads_text else "none")
    alignment = placed(compare(progress, video, narration, asked), request.corrections)
    ready = watched(sampler, video, narration, lambda share: progress("Measuring the pictures", share))
    return alignment, ready.select(alignment, speed)


@contextmanager
def _planner(request: Request) -> Iterator[ComparesAndPlans]:
    """What compares and plans: a process of its own when a long rendering follows, which need not carry its memory.

    It starts at once and loads what it needs while the video is read. Encoders and methods that are given as objects
    may exist in this process only.
    """
    by_name = isinstance(request.encoder, str) and isinstance(request.method, str)
    if request.output is None or not by_name or not may_start():
        yield compare_and_plan
        return
    with Worker(command=python_command(STAND_BY, request.method == "plan", _looks(request))) as worker:
        yield lambda progress, *asked: worker.do(progress, compare_and_plan, *asked)


def stand_by(plans: bool, looks: bool) -> None:
    """The process of `_planner`: load what is surely needed, then serve."""
    Thread(target=_load_ahead, args=(plans, looks), daemon=True).start()
    serve(lasting=False)


def _load_ahead(plans: bool, looks: bool) -> None:
    import_module("saffa.encoders.visual.encoder" if looks else "saffa.encoders.narrated.encoder")
    if plans and not looks:
        prepare()


def _looks(request: Request) -> bool:
    """Whether the encoder looks at pictures: that needs room, so that the planner is loaded after it."""
    return isinstance(request.encoder, str) and entry_of(request.encoder).looks
