"""Copy a video without its subtitles, to see how saffa does by ear: `python examples/without_subtitles.py IN OUT`."""

import sys

import av


def main(source: str, target: str) -> None:
    """Copy the packets of pictures and sound as they are."""
    with av.open(source) as original, av.open(target, "w") as copy:
        streams = {s.index: copy.add_stream_from_template(s) for s in original.streams if s.type in ("video", "audio")}
        for packet in original.demux():
            if packet.dts is not None and packet.stream.index in streams:
                packet.stream = streams[packet.stream.index]
                copy.mux(packet)


if __name__ == "__main__":
    main(*sys.argv[1:])
