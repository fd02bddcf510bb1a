"""OpenTimelineIO: a picture track and a sound track of clips with linear time warps, and markers.

A clip's `source_range` begins at its first source frame and lasts as long as the clip does in the output; the speed
is in a `LinearTimeWarp`, which by definition does not change the length of the clip. Exact speeds are in the metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from saffa.core.errors import InputError
from saffa.export.edit import Clip, Edit

if TYPE_CHECKING:
    import opentimelineio as otio


def text(edit: Edit) -> str:
    """The timeline as OpenTimelineIO's JSON."""
    try:
        import opentimelineio as otio  # noqa: PLC0415
    except ModuleNotFoundError:
        raise InputError("--to otio needs OpenTimelineIO: pip install 'saffa[editors]'.") from None
    timeline = otio.schema.Timeline(edit.title)
    kinds = [otio.schema.TrackKind.Video]
    kinds += [otio.schema.TrackKind.Audio] if edit.source.has_sound else []
    for kind in kinds:
        track = otio.schema.Track(kind, kind=kind)
        track.extend([_clip(edit, clip, number) for number, clip in enumerate(edit.clips, 1)])
        timeline.tracks.append(track)
    for marker in edit.markers:
        timeline.tracks.markers.append(
            otio.schema.Marker(
                name=marker.title,
                marked_range=otio.opentime.TimeRange(_time(edit, marker.frame), _time(edit, 0)),
                color=otio.schema.MarkerColor.GREEN,
                metadata={"saffa": {"sentence": marker.sentence + 1, "confidence": marker.confidence}},
            )
        )
    written: str = otio.adapters.write_to_string(timeline, "otio_json")
    return written + "\n"


def _clip(edit: Edit, clip: Clip, number: int) -> otio.schema.Clip:
    import opentimelineio as otio  # noqa: PLC0415

    whole = otio.opentime.TimeRange(_time(edit, edit.first_timecode), _time(edit, edit.source.frames))
    made = otio.schema.Clip(
        name=edit.sentence_text(clip.sentence) or edit.source_name,
        media_reference=otio.schema.ExternalReference(edit.url, whole),
        source_range=otio.opentime.TimeRange(
            _time(edit, edit.first_timecode + clip.source_start), _time(edit, clip.frames)
        ),
        # What belongs together has one number: the format itself cannot link picture and sound.
        metadata={"saffa": {"speed": str(clip.speed), "source_end": clip.source_end, "link": number}},
    )
    if clip.speed != 1:
        made.effects.append(otio.schema.LinearTimeWarp(name="speed", time_scalar=float(clip.speed)))
    return made


def _time(edit: Edit, frame: int) -> otio.opentime.RationalTime:
    import opentimelineio as otio  # noqa: PLC0415

    return otio.opentime.RationalTime(frame, float(edit.rate))
