"""A finished movie copied packet by packet, with subtitles and chapters that were not known when it was begun."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.stream import Stream

from saffa.core.video import Chapter, Cue
from saffa.core.whole_file import whole_file, write_failure
from saffa.media.container import MEDIA_ERRORS, open_movie
from saffa.media.formats import wrapper_of
from saffa.media.writer import add_subtitles, cue_packets, set_chapters


def copy_with(
    draft: Path,
    output: Path,
    cues: Sequence[Cue],
    language: str | None,
    chapters: Sequence[Chapter],
    *,
    overwrite: bool,
) -> None:
    """Write `output` whole or not at all; nothing is encoded again."""
    wrapper = wrapper_of(output)
    with whole_file(output, overwrite=overwrite) as part:
        try:
            with (
                open_movie(draft) as source,
                av.open(f"file:{part}", "w", format=wrapper.format, container_options=dict(wrapper.options)) as target,
            ):
                streams = _copied_streams(source, target)
                lines = add_subtitles(target, wrapper, language) if cues else None
                target.metadata.update(source.metadata)
                set_chapters(target, chapters)
                target.start_encoding()
                ours = cue_packets(lines, cues) if lines is not None else iter(())
                for packet in heapq.merge(_copied(source, streams), ours, key=_moment):
                    target.mux_one(packet)
        except MEDIA_ERRORS as error:
            raise write_failure(output, error) from error


def _copied_streams(source: InputContainer, target: OutputContainer) -> dict[int, Stream]:
    streams: dict[int, Stream] = {}
    for stream in source.streams:
        copy = target.add_stream_from_template(stream, opaque=True)
        copy.metadata.update(stream.metadata)
        copy.disposition = stream.disposition
        streams[stream.index] = copy
    return streams


def _copied(source: InputContainer, streams: dict[int, Stream]) -> Iterator[Packet[Any]]:
    for packet in source.demux():
        if packet.size:
            packet.stream = streams[packet.stream_index]
            yield packet


def _moment(packet: Packet[Any]) -> float:
    stamp = packet.dts if packet.dts is not None else packet.pts
    return float((stamp or 0) * packet.time_base)
