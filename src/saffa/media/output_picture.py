"""From a decoded frame to one the encoder takes: upright, even-sized, in a pixel format that plays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import av
import av.filter

from saffa.core.video import Colour, Video
from saffa.media.formats import CODECS, deep_format, is_deep

_BT709 = Colour(1, 1, 1, 1)
_TURNS = {
    90: (("transpose", "clock"),),
    180: (("hflip", ""), ("vflip", "")),
    270: (("transpose", "cclock"),),
}


@dataclass(frozen=True)
class OutputPicture:
    """How the output's frames look to the encoder; `unturned` is their size before rotation and padding."""

    unturned: tuple[int, int]
    width: int
    height: int
    pixel_format: str
    pixel_aspect: Fraction
    colour: Colour

    @classmethod
    def of(cls, video: Video, codec: str, square: bool = False) -> OutputPicture:
        """The picture for a video in a codec; `square` stretches it to square pixels.

        Rotation is applied to the pixels, so every player shows it upright. Odd sizes grow by one repeated
        row or column (4:2:0 needs even sizes). More than 8 bits are kept where players can show them: in HEVC
        and AV1 always; in H.264, which few players show so, only if the source is such a file itself, or HDR, which
        would fall into bands otherwise.
        """
        width, height, aspect = video.width, video.height, video.pixel_aspect
        if square:
            # Grow the short side, so that no detail is lost.
            even = Fraction(1)
            width, height = round(width * max(aspect, even)), round(height / min(aspect, even))
            aspect = even
        unturned = (width, height)
        if video.rotation in (90, 270):
            width, height, aspect = height, width, 1 / aspect
        kind = CODECS[codec]
        source = av.VideoFormat(video.pixel_format)
        colour = _BT709 if source.is_rgb else video.colour
        chosen = "yuv420p"
        plays = kind.deep_plays or video.codec == codec or colour.is_hdr
        deep = deep_format(codec) if plays and is_deep(video.pixel_format) else None
        if deep:
            chosen = deep
        elif video.pixel_format.startswith("yuvj"):
            # The "j" formats are the full-range ones; encoders that cannot say so get limited range.
            chosen = "yuvj420p" if kind.full_range else "yuv420p"
            colour = replace(colour, range=2 if kind.full_range else 1)
        return cls(unturned, width + width % 2, height + height % 2, chosen, aspect, colour)


class Fitter:
    """Turns decoded frames into `picture`; frames that already fit pass through untouched and uncopied."""

    def __init__(self, video: Video, picture: OutputPicture) -> None:
        self._video = video
        self._picture = picture
        self._graph: av.filter.Graph | None = None
        self._shape: tuple[int, int, str] | None = None

    def fit(self, frame: av.VideoFrame) -> av.VideoFrame:
        """The frame as the encoder wants it."""
        shape = (frame.width, frame.height, frame.format.name)
        want = (self._picture.width, self._picture.height, self._picture.pixel_format)
        if shape == want and not self._video.rotation:
            return frame
        if self._graph is None or self._shape != shape:  # also when the size changes in mid-file
            self._graph, self._shape = self._build(frame), shape
        self._graph.push(frame)
        fitted = self._graph.pull()
        if not isinstance(fitted, av.VideoFrame):
            raise TypeError("the filter graph gave no video frame")
        return fitted

    def _build(self, frame: av.VideoFrame) -> av.filter.Graph:
        video, picture = self._video, self._picture
        steps: list[tuple[str, str]] = [("scale", self._scaling(frame)), ("format", picture.pixel_format)]
        steps += _TURNS.get(video.rotation, ())
        across = video.rotation in (90, 270)
        width, height = picture.unturned[::-1] if across else picture.unturned
        right, bottom = picture.width - width, picture.height - height
        if right or bottom:
            steps.append(("pad", f"{picture.width}:{picture.height}:0:0"))
            steps.append(("fillborders", f"right={right}:bottom={bottom}:mode=smear"))
        graph = av.filter.Graph()
        node = graph.add_buffer(width=frame.width, height=frame.height, format=frame.format, time_base=video.time_base)
        for name, arguments in steps:
            following = graph.add(name, arguments) if arguments else graph.add(name)
            node.link_to(following)
            node = following
        node.link_to(graph.add("buffersink"))
        graph.configure()
        return graph

    def _scaling(self, frame: av.VideoFrame) -> str:
        picture = self._picture
        options = [f"{picture.unturned[0]}:{picture.unturned[1]}", "flags=bicubic+accurate_rnd"]
        if frame.format.is_rgb:
            options += ["out_color_matrix=bt709", "out_range=tv"]
        elif frame.format.name.startswith("yuvj") and not picture.pixel_format.startswith("yuvj"):
            options += ["in_range=pc", "out_range=tv"]
        return ":".join(options)
