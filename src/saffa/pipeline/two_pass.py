"""From a video file to a shorter one in two passes: look and choose, then read the chosen frames and write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from threading import Thread

from saffa.core.alignment import Alignment
from saffa.core.result import Result
from saffa.core.selection import Selection
from saffa.core.timeline import Timeline
from saffa.core.types import Progress
from saffa.core.video import Narration, Video
from saffa.core.whole_file import file_sha256
from saffa.media.probe import check_damage, constant_rate_axis, probe
from saffa.methods.base import Watching
from saffa.methods.planner.bounds import placed
from saffa.methods.planner.plan import prepare
from saffa.pipeline.finish import fit_warning, length_warning, write_timeline
from saffa.pipeline.narration import Said, find_said, with_screen
from saffa.pipeline.request import Request, silent, target_speed
from saffa.pipeline.worker_process import Worker, kept, may_start, serve

ComparesAndPlans = Callable[[Progress, Video, Narration | None, Request, float], tuple[Alignment, Selection]]
STAND_BY = "saffa.pipeline.two_pass:stand_by"


def two_pass(request: Request, planned: Callable[[Result], None], progress: Progress = silent) -> Result:
    """Shorten a video file; `planned` is called with the plan before rendering starts."""
    with _planner(request) as plan_in:
        video, said = read_video(request, progress)
        if not request.options.allow_damage:
            check_damage(video)
        narration = said.narration
        video = replace(video, sha256=file_sha256(video.path))
        axis = constant_rate_axis(video)
        speed = target_speed(request.speed, request.length, float(video.duration), axis.rate)
        progress("Comparing with the text", 0.0)
        alignment, selection = plan_in(progress, axis, narration, request, speed)
    doubts = fit_warning(alignment, narration if request.uses_narration else None, strict=request.strict)
    timeline = Timeline.of(axis, selection, alignment, request.subtitles)
    timemap = timeline.timemap(video)
    # Corrections meet the length exactly, and with cuts the map covers less than the whole source.
    missed = () if selection.corrections else length_warning(selection.method, speed, timemap, axis.rate)
    warnings = (*request.unused_settings(), *video.warnings, *doubts, *missed)
    plan = Result(timeline, selection, alignment, timemap, None, warnings, (*request.notes, *said.notes))
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


def compare(progress: Progress, video: Video, narration: Narration | None, request: Request) -> Alignment:
    """Align the video with the text; what an encoder saw of a video is kept for the next run."""
    encoder = request.encoder
    if isinstance(encoder, str):
        looking = partial(progress, "Looking at the video")
        encoder = kept(("encoder", encoder, request.cache), lambda: request.load_encoder(looking))
    return encoder.encode(video, request.document, narration).with_lines(narration)


def compare_and_plan(
    progress: Progress, video: Video, narration: Narration | None, request: Request, speed: float
) -> tuple[Alignment, Selection]:
    """Align and select; a method that does not read the text needs no encoder."""
    sampler = request.sampler()
    if request.method == "plan" and not request.looks:
        Thread(target=prepare).start()  # the first plan of an installation compiles: not while somebody waits
    asked = replace(request, encoder=request.encoder_to_take() if sampler.reads_text else "none")
    alignment = compare(progress, video, narration, asked)
    if request.corrections:
        alignment = placed(alignment, request.corrections)
    if isinstance(sampler, Watching):
        sampler = sampler.watching(video, narration, partial(progress, "Measuring the pictures"))
    return alignment, sampler.select(alignment, speed)


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
    with Worker(STAND_BY, request.method == "plan", request.looks) as worker:
        yield lambda progress, *asked: worker.do(progress, compare_and_plan, *asked)


def stand_by(plans: bool, looks: bool) -> None:
    """The process of `_planner`: load what is surely needed, then serve."""
    Thread(target=_load_ahead, args=(plans, looks), daemon=True).start()
    serve(lasting=False)


def _load_ahead(plans: bool, looks: bool) -> None:
    import_module("saffa.encoders.visual.encoder" if looks else "saffa.encoders.narrated.encoder")
    if plans and not looks:
        prepare()
