"""FCP 7 XML (`xmeml` version 5), which Premiere Pro and DaVinci Resolve read: linked clips with a time remap effect.

A clip's `in` and `out` count retimed frames; the `graphdict` of the effect maps them (`when`) to source frames
(`value`) in straight lines, so that whole frames stay whole at any speed. `speed` (percent) is for display.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from saffa.export.edit import Clip, Edit
from saffa.export.timecode import is_ntsc, timebase, timecode
from saffa.export.xml_text import add, document

_FILE = "file-1"


def text(edit: Edit) -> str:
    """The sequence as XML."""
    root = Element("xmeml", version="5")
    sequence = add(root, "sequence", id="sequence-1")
    add(sequence, "name", edit.title)
    add(sequence, "duration", edit.frames)
    _rate(sequence, edit)
    _timecode(sequence, edit, 0)
    media = add(sequence, "media")
    video = add(media, "video")
    if edit.source.width:
        _size(add(video, "format"), edit)
    track = add(video, "track")
    for number, clip in enumerate(edit.clips, 1):
        _clip(track, edit, clip, number, "video")
    if edit.source.has_sound:
        track = add(add(media, "audio"), "track")
        for number, clip in enumerate(edit.clips, 1):
            _clip(track, edit, clip, number, "audio")
    for marker in edit.markers:
        element = add(sequence, "marker")
        add(element, "name", marker.title)
        add(element, "comment", marker.note)
        add(element, "in", marker.frame)
        add(element, "out", -1)
    return document(root, "xmeml")


def _clip(track: Element, edit: Edit, clip: Clip, number: int, kind: str) -> None:
    reach = edit.reach(clip)
    item = add(track, "clipitem", id=f"{kind}-{number}")
    add(item, "name", edit.sentence_text(clip.sentence) or edit.source_name)
    add(item, "enabled", "TRUE")
    add(item, "duration", reach.before + clip.frames + reach.after)
    _rate(item, edit)
    add(item, "start", clip.start)
    add(item, "end", clip.end)
    add(item, "in", reach.before)
    add(item, "out", reach.before + clip.frames)
    _file(item, edit, first=number == 1 and kind == "video")
    if kind == "audio":
        source_track = add(item, "sourcetrack")
        add(source_track, "mediatype", "audio")
        add(source_track, "trackindex", 1)
    _time_remap(item, edit, clip, kind)
    if edit.source.has_sound:
        _links(item, number)


def _time_remap(item: Element, edit: Edit, clip: Clip, kind: str) -> None:
    reach = edit.reach(clip)
    effect = add(add(item, "filter"), "effect")
    add(effect, "name", "Time Remap")
    add(effect, "effectid", "timeremap")
    add(effect, "effectcategory", "motion")
    add(effect, "effecttype", "motion")
    add(effect, "mediatype", kind)
    _parameter(effect, "variablespeed", "0", "0", "1")
    _parameter(effect, "speed", f"{float(100 * clip.speed):.6g}", "-100000", "100000")
    _parameter(effect, "reverse", "FALSE")
    _parameter(effect, "frameblending", "FALSE")
    graph = _parameter(effect, "graphdict", "0", "0", str(edit.source.frames))
    begin, end = reach.before, reach.before + clip.frames
    keys = (
        (0, reach.first, "speedkfstart"),
        (begin, clip.source_start, "speedkfin"),
        (end, clip.source_end, "speedkfout"),
        (end + reach.after, reach.last, "speedkfend"),
    )
    for when, value, role in keys:
        key = add(graph, "keyframe")
        add(key, "when", when)
        add(key, "value", value)
        add(key, "speedvirtualkf", "TRUE")
        add(key, role, "TRUE")
    add(add(graph, "interpolation"), "name", "FCPCurve")


def _parameter(effect: Element, name: str, value: str, low: str = "", high: str = "") -> Element:
    parameter = add(effect, "parameter")
    add(parameter, "parameterid", name)
    add(parameter, "name", name)
    if low:
        add(parameter, "valuemin", low)
        add(parameter, "valuemax", high)
    add(parameter, "value", value)
    return parameter


def _file(item: Element, edit: Edit, first: bool) -> None:
    """The source file: described where it is first met, referred to after that."""
    file = add(item, "file", id=_FILE)
    if not first:
        return
    source = edit.source
    add(file, "name", edit.source_name)
    add(file, "pathurl", edit.url.replace("file:///", "file://localhost/", 1))
    _rate(file, edit)
    add(file, "duration", source.frames)
    _timecode(file, edit, edit.first_timecode)
    media = add(file, "media")
    video = add(media, "video")
    if source.width:
        _size(video, edit)
    if source.has_sound:
        audio = add(media, "audio")
        sampling = add(audio, "samplecharacteristics")
        add(sampling, "depth", 16)
        add(sampling, "samplerate", source.sound_rate)
        add(audio, "channelcount", source.sound_channels)


def _links(item: Element, number: int) -> None:
    """Picture and sound of a clip move together."""
    for kind in ("video", "audio"):
        link = add(item, "link")
        add(link, "linkclipref", f"{kind}-{number}")
        add(link, "mediatype", kind)
        add(link, "trackindex", 1)
        add(link, "clipindex", number)


def _size(parent: Element, edit: Edit) -> None:
    sampling = add(parent, "samplecharacteristics")
    _rate(sampling, edit)
    add(sampling, "width", edit.source.width)
    add(sampling, "height", edit.source.height)
    add(sampling, "pixelaspectratio", "square")
    add(sampling, "fielddominance", "none")


def _rate(parent: Element, edit: Edit) -> None:
    rate = add(parent, "rate")
    add(rate, "timebase", timebase(edit.rate))
    add(rate, "ntsc", "TRUE" if is_ntsc(edit.rate) else "FALSE")


def _timecode(parent: Element, edit: Edit, frame: int) -> None:
    drop = edit.drop_frame
    element = add(parent, "timecode")
    _rate(element, edit)
    add(element, "string", timecode(frame, edit.rate, drop))
    add(element, "frame", frame)
    add(element, "displayformat", "DF" if drop else "NDF")
