"""The end of every walk: the file is written, with subtitles and chapters; warnings about length, text and language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import TypeVar

from saffa.core.alignment import DOUBTED, Alignment
from saffa.core.clock import format_length
from saffa.core.errors import InputError
from saffa.core.result import Rendered
from saffa.core.texts.language import language_of
from saffa.core.timeline import Segment, Splice, Timeline, TimeMap, steps_of
from saffa.core.types import Progress
from saffa.core.video import Chapter, Cue, Narration, Video
from saffa.media.caption import Caption
from saffa.media.render import render
from saffa.media.subtitles.lines import SIDECAR_SUFFIXES, is_saved
from saffa.media.subtitles.lines import save as save_subtitles
from saffa.media.subtitles.retiming import retime
from saffa.media.writer import RenderOptions
from saffa.methods.registry import methods
from saffa.pipeline.request import silent

LETTERS = 48
"""Characters of a step that are shown in a caption."""
_NEAR = Fraction(1, 50)  # by which a length may be missed without a word
Timed = TypeVar("Timed", Cue, Chapter)


def fit_warning(alignment: Alignment, narration: Narration | None = None, *, strict: bool = False) -> tuple[str, ...]:
    """One line about a text that does not seem to belong to the video; with `strict` an InputError instead.

    A text in another language than `narration` is told in any case, and then as the reason.
    """
    foreign = language_warning(alignment.document, narration)
    if alignment.fit is None or alignment.fit >= DOUBTED:
        return foreign
    why = "it shows little of it" if alignment.by_pictures else "hardly any of its words are said or shown"
    check = "text and video" if alignment.by_pictures else "text, video and subtitles"
    unlike = (
        f"The text does not seem to fit this video ({alignment.fit:.0%} sure that they belong together): {why}. "
        f"Check {check}."
    )
    (doubt,) = foreign or (unlike,)
    if strict:
        raise InputError(f"{doubt} Nothing was written (--strict).")
    return (doubt,)


def language_warning(sentences: Sequence[str], narration: Narration | None) -> tuple[str, ...]:
    """One line about a text in another language than what is said, or than what is shown where nothing is said."""
    lines = () if narration is None else narration.cues
    spoken = [cue for cue in lines if cue.kind == "said"] or lines
    said = language_of(" ".join(cue.text for cue in spoken)) if spoken else None
    written = language_of(" ".join(sentences)) if said else None
    if said is None or written is None or said == written:
        return ()
    return (
        f"The text seems to be {written}, the narration {said}: their words cannot be compared. Give a text in {said}, "
        f"or --subtitles in {written}.",
    )


def length_warning(method: str, target: float, timemap: TimeMap, rate: Fraction) -> tuple[str, ...]:
    """A warning if the output is longer or shorter than asked for, or none; one frame is never too much."""
    wanted, got = timemap.source_duration / Fraction(target), timemap.duration
    if abs(got - wanted) <= max(_NEAR * wanted, 1 / rate):
        return ()
    known = methods().get(method)
    tries = "only tries to meet" if known is None or known.meets_speed else "does not heed"
    instead = f" {method} {tries} the speed; plan, saffa and uniform keep the length."
    return (
        f"The output has {format_length(got)} ({float(timemap.speed):.3g}×), not the {format_length(wanted)} "
        f"({target:.3g}×) asked for.{'' if keeps_length(method) else instead}",
    )


def keeps_length(method: str) -> bool:
    """Whether a method meets the length asked for to the frame."""
    known = methods().get(method)
    return known is not None and known.keeps_length


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
    splice = timeline.splice
    heard = timeline.spliced(timemap)
    # On the timeline's clock: its rate may be that of slots, and a single pass only knew what the container told.
    video = replace(video, rate=timeline.source.rate, duration=timemap.source[-1])
    if narration is not None:
        narration = replace(narration, cues=without_cuts(narration.cues, splice))
    words = Words.of(narration, without_cuts(video.chapters, splice), timeline, heard, options)
    steps = timeline.runs, timeline.document, timeline.source.rate
    rendered = render(
        video,
        timeline.frames,
        heard,
        output,
        options,
        holds=timeline.holds,
        splice=splice,
        captions=step_captions(*steps) if options.burn == "steps" else (),
        subtitles=words.cues,
        chapters=words.chapters,
        progress=partial(progress, "Writing the video"),
    )
    return words.left_beside(rendered, options, inputs)


def without_cuts(timed: Sequence[Timed], splice: Splice) -> tuple[Timed, ...]:
    """Lines or chapters on the spliced clock, without those that are cut out."""
    left = (one for one in timed if not splice.is_cut(one.start, one.end))
    return tuple(replace(one, start=splice.to_spliced(one.start), end=splice.to_spliced(one.end)) for one in left)


@dataclass(frozen=True)
class Words:
    """Subtitles and chapters on the output's clock; `file` is where the subtitles came from, if from a file."""

    cues: tuple[Cue, ...]
    chapters: tuple[Chapter, ...]
    notes: tuple[str, ...]
    file: Path | None

    @classmethod
    def of(
        cls,
        narration: Narration | None,
        chapters: Sequence[Chapter],
        timeline: Timeline,
        timemap: TimeMap,
        options: RenderOptions,
    ) -> Words:
        """Place what is said and the chapters of the source, and those of the steps if they are wanted."""
        said = retime(narration.cues if narration is not None else (), timemap, options.subtitle_lines)
        steps = step_chapters(timeline.runs, timeline.document, timeline.source.rate)
        chosen = chosen_chapters(options.chapters, retime_chapters(chapters, timemap), steps)
        return cls(said.cues, chosen, said.notes, None if narration is None else narration.file)

    def left_beside(self, rendered: Rendered, options: RenderOptions, inputs: Sequence[Path] = ()) -> Rendered:
        """Subtitles that came as a file also leave as one, beside the video; those inside it are always written."""
        rendered = replace(rendered, notes=(*rendered.notes, *self.notes))
        if self.file is None or not self.cues:
            return rendered
        output, suffix = rendered.path, self.file.suffix.lower()
        beside = output.with_suffix(self.file.suffix if suffix in SIDECAR_SUFFIXES else ".srt")
        kept = [path for path in (*inputs, self.file) if path.exists()]
        if beside.exists() and (not options.overwrite or any(beside.samefile(path) for path in kept)):
            if is_saved(self.cues, beside):  # the same cut in another format
                return rendered
            stale = f"{beside} was there already and is left as it is; it may not fit {output.name}."
            return replace(rendered, warnings=(*rendered.warnings, stale))
        save_subtitles(self.cues, beside)
        return replace(rendered, subtitles=beside)


def step_chapters(segments: Sequence[Segment], document: Sequence[str], rate: Fraction) -> tuple[Chapter, ...]:
    """A chapter from where each step of the text begins to where the next one does, titled by its sentence."""
    steps = steps_of(segments, rate)
    total = sum(int(segment.slots(rate)) for segment in segments)
    ends = [step.start for step in steps[1:]] + [total] * bool(steps)
    named = zip(steps, ends, strict=True)
    return tuple(Chapter(step.start / rate, end / rate, document[step.sentence]) for step, end in named)


def step_captions(segments: Sequence[Segment], document: Sequence[str], rate: Fraction) -> list[Caption]:
    """The step and the speed of every segment, as words."""
    found = []
    for segment in segments:
        step = ""
        if segment.sentence is not None:
            words = shorten(document[segment.sentence], LETTERS, placeholder="…")
            step = f"{segment.sentence + 1}. {words}   "
        found.append((int(segment.slots(rate)), f"{step}{float(segment.speed):.3g}×"))
    return found


def chosen_chapters(mode: str, source: Sequence[Chapter], steps: Sequence[Chapter]) -> tuple[Chapter, ...]:
    """`source`, `steps`, `both` or `none` of them; of both, each lasts until another begins."""
    if mode == "both":
        starts = sorted([*source, *steps], key=lambda c: c.start)
        ends = [*(c.start for c in starts[1:]), *([max(c.end for c in starts)] if starts else [])]
        return tuple(replace(c, end=end) for c, end in zip(starts, ends, strict=True) if end > c.start)
    return tuple({"source": source, "steps": steps}.get(mode, ()))


def retime_chapters(
    chapters: Iterable[Chapter], timemap: TimeMap, frame: Fraction | None = None
) -> tuple[Chapter, ...]:
    """The chapters through the map, in order and without overlaps; what gets shorter than a frame is left out.

    `frame` is the length of an output frame; without it, the map's first step (a selection's map has one
    step a frame).
    """
    least = frame if frame is not None else timemap.output[1] - timemap.output[0]
    moved = sorted(
        (Chapter(timemap.to_output(c.start), timemap.to_output(c.end), c.title) for c in chapters),
        key=lambda c: c.start,
    )
    kept: list[Chapter] = []
    for i, chapter in enumerate(moved):
        end = min([chapter.end, *(c.start for c in moved[i + 1 : i + 2] if c.start > chapter.start)])
        start = max(chapter.start, kept[-1].end) if kept else chapter.start
        if end - start >= least:
            kept.append(Chapter(start, end, chapter.title))
    return tuple(kept)
