"""FCPXML 1.10, which Final Cut Pro and DaVinci Resolve read: one asset, one storyline, a time map on each clip.

A `timeMap` maps the clip's own time (`time`) to the time in the asset (`value`), linearly between its points, and the
clip's `start` and `duration` are in its own time. All times are whole frames, as exact fractions of a second.
"""

from __future__ import annotations

from fractions import Fraction
from xml.etree.ElementTree import Element

from saffa.export.edit import Clip, Edit
from saffa.export.xml_text import add, document


def text(edit: Edit) -> str:
    """The project as XML."""
    root = Element("fcpxml", version="1.10")
    resources = add(root, "resources")
    size = {"width": edit.source.width, "height": edit.source.height} if edit.source.width else {}
    add(resources, "format", id="r1", frameDuration=_seconds(edit, 1), **size)
    _asset(resources, edit)
    project = add(add(add(root, "library"), "event", name=edit.title), "project", name=edit.title)
    sequence = add(
        project,
        "sequence",
        format="r1",
        duration=_seconds(edit, edit.frames),
        tcStart="0s",
        tcFormat=_tc_format(edit),
        **({"audioLayout": "stereo", "audioRate": "48k"} if edit.source.has_sound else {}),
    )
    spine = add(sequence, "spine")
    for clip in edit.clips:
        _clip(spine, edit, clip)
    return document(root, "fcpxml")


def _asset(resources: Element, edit: Edit) -> None:
    source = edit.source
    sound = {
        "hasAudio": "1",
        "audioSources": "1",
        "audioChannels": str(source.sound_channels),
        "audioRate": str(source.sound_rate),
    }
    asset = add(
        resources,
        "asset",
        id="r2",
        name=edit.source_name,
        start=_seconds(edit, edit.first_timecode),
        duration=_seconds(edit, source.frames),
        hasVideo="1",
        format="r1",
        **(sound if source.has_sound else {}),
    )
    add(asset, "media-rep", kind="original-media", src=edit.url)


def _clip(spine: Element, edit: Edit, clip: Clip) -> None:
    reach, origin = edit.reach(clip), edit.first_timecode
    begins = origin + reach.before  # in the clip's own time, which starts with the asset's
    element = add(
        spine,
        "asset-clip",
        ref="r2",
        offset=_seconds(edit, clip.start),
        name=edit.sentence_text(clip.sentence) or edit.source_name,
        start=_seconds(edit, begins),
        duration=_seconds(edit, clip.frames),
        format="r1",
        tcFormat=_tc_format(edit),
    )
    points = {
        origin: reach.first,
        begins: clip.source_start,
        begins + clip.frames: clip.source_end,
        begins + clip.frames + reach.after: reach.last,
    }
    # Nearest neighbour keeps whole frames: nothing is blended.
    time_map = add(element, "timeMap", frameSampling="floor")
    for time, frame in points.items():
        value = _seconds(edit, origin + frame)
        add(time_map, "timept", time=_seconds(edit, time), value=value, interp="linear")
    for marker in edit.markers_in(clip):
        noted = {"note": marker.note} if marker.note else {}
        start = _seconds(edit, begins + marker.frame - clip.start)
        add(element, "marker", start=start, duration=_seconds(edit, 1), value=marker.title, **noted)


def _seconds(edit: Edit, frames: int) -> str:
    """A time in frames as FCPXML writes it: `1001/30000s`, `5s`."""
    time = Fraction(frames) / edit.rate
    return f"{time}s"


def _tc_format(edit: Edit) -> str:
    return "DF" if edit.drop_frame else "NDF"
