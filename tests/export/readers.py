"""Independent readers of exported files: each recomputes which source frame every output frame shows.

They know the formats, and nothing of how saffa writes them.
"""

import csv
import re
from fractions import Fraction
from io import StringIO
from itertools import pairwise
from xml.etree import ElementTree

import opentimelineio as otio

Frames = list[int]


def played(start: Fraction | int, end: Fraction | int, count: int) -> Frames:
    """Source frames of a clip of constant speed."""
    return [int(start + k * Fraction(end - start) / count) for k in range(count)]


def read_otio(text: str, kind: str = "Video") -> Frames:
    timeline = otio.adapters.read_from_string(text, "otio_json")
    (track,) = [t for t in timeline.tracks if t.kind == kind]
    frames: Frames = []
    for clip in track:
        (scalar,) = [e.time_scalar for e in clip.effects] or [1.0]
        first = clip.source_range.start_time.value - clip.media_reference.available_range.start_time.value
        count = int(clip.source_range.duration.value)
        assert track.trimmed_range_of_child(clip).start_time.value == len(frames)
        frames += [int(first + k * scalar + 1e-6) for k in range(count)]
    return frames


def seconds(text: str) -> Fraction:
    assert text.endswith("s")
    return Fraction(text.removesuffix("s"))


def read_fcpxml(text: str) -> Frames:
    root = ElementTree.fromstring(text)
    (form,) = root.findall("resources/format")
    (asset,) = root.findall("resources/asset")
    slot, origin = seconds(form.attrib["frameDuration"]), seconds(asset.attrib["start"])
    frames: Frames = []
    for clip in root.findall("library/event/project/sequence/spine/asset-clip"):
        assert seconds(clip.attrib["offset"]) == len(frames) * slot
        points = [(seconds(p.attrib["time"]), seconds(p.attrib["value"])) for p in clip.findall("timeMap/timept")]
        start, count = seconds(clip.attrib["start"]), seconds(clip.attrib["duration"]) / slot
        assert count.denominator == 1
        assert points[0][0] <= start
        assert start + count * slot <= points[-1][0]
        frames += [int((value_at(points, start + k * slot) - origin) / slot) for k in range(int(count))]
    (sequence,) = root.findall("library/event/project/sequence")
    assert seconds(sequence.attrib["duration"]) == len(frames) * slot
    return frames


def value_at(points: list[tuple[Fraction, Fraction]], time: Fraction) -> Fraction:
    for (t0, v0), (t1, v1) in pairwise(points):
        if t0 <= time < t1:
            return v0 + (time - t0) * (v1 - v0) / (t1 - t0)
    raise AssertionError(f"{time} is outside the time map")


def read_premiere(text: str, kind: str = "video") -> Frames:
    root = ElementTree.fromstring(text)
    frames: Frames = []
    for item in root.findall(f"sequence/media/{kind}/track/clipitem"):
        start, end, first, last = (int(item.findtext(tag) or "") for tag in ("start", "end", "in", "out"))
        assert start == len(frames)
        assert end - start == last - first
        graph = next(p for p in item.iter("parameter") if p.findtext("parameterid") == "graphdict")
        keys = [
            (Fraction(k.findtext("when") or ""), Fraction(k.findtext("value") or "")) for k in graph.findall("keyframe")
        ]
        frames += [int(value_at(keys, Fraction(when))) for when in range(first, last)]
    assert int(root.findtext("sequence/duration") or "") == len(frames)
    return frames


EVENT = re.compile(r"(\d{3})  AX +(AA/V|V) +C +(\S+) (\S+) (\S+) (\S+)")


def read_edl(text: str, base: int, drop: bool) -> Frames:
    lines = text.split("\r\n")
    assert lines[1] == ("FCM: DROP FRAME" if drop else "FCM: NON-DROP FRAME")
    events = [m for m in map(EVENT.fullmatch, lines) if m]
    assert [int(m[1]) for m in events] == list(range(1, len(events) + 1))
    labels = [[count(label, base) for label in m.groups()[2:]] for m in events]
    frames: Frames = []
    for source_in, source_out, record_in, record_out in labels:
        assert record_in - labels[0][2] == len(frames)
        frames += played(source_in, source_out, record_out - record_in)
    return frames


def count(label: str, base: int) -> int:
    """Frames up to a label, by stepping through the minutes: labels that are dropped are not counted."""
    hours, minutes, secs, frames = map(int, re.split("[:;]", label))
    whole = 60 * hours + minutes
    total = (whole * 60 + secs) * base + frames
    if ";" in label:
        total -= sum(base // 15 for minute in range(1, whole + 1) if minute % 10)
    return total


def read_csv(text: str) -> Frames:
    frames: Frames = []
    for row in csv.DictReader(StringIO(text, newline="")):
        first, last = int(row["output_start_frame"]), int(row["output_end_frame"])
        assert first == len(frames)
        start = int(row["source_start_frame"])
        assert start + Fraction(row["speed_exact"]) * (last - first) == int(row["source_end_frame"])
        frames += played(start, int(row["source_end_frame"]), last - first)
    return frames


PART = re.compile(r"^  \{([\d.]+), ([\d.]+), ([\d.]+)\},?$", re.MULTILINE)


def read_mpv(text: str, rate: Fraction) -> Frames:
    frames: Frames = []
    for found in PART.finditer(text):
        start, end, speed = map(float, found.groups())
        slots = round((end - start) / speed * rate)
        frames += played(round(start * rate), round(end * rate), slots)
    return frames
