"""What is said in the video and when: from a subtitle file, a sidecar or an embedded subtitle stream."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from saffa.core.clock import format_length
from saffa.core.errors import InputError
from saffa.media.probe import Video
from saffa.media.subtitles import lines as subtitles
from saffa.media.subtitles.lines import Cue

SIDECAR_SUFFIXES = (".srt", ".vtt", ".ass", ".ssa")
NO_SUBTITLES = (
    "The video has no subtitles to compare with the text. Give them with --subtitles FILE, "
    "or choose --encoder visual or --method uniform."
)


@dataclass(frozen=True)
class Narration:
    """Timed lines, in seconds from the first frame, in order of their start."""

    cues: tuple[Cue, ...]
    source: str = "given"
    file: Path | None = None

    def __len__(self) -> int:
        return len(self.cues)

    @classmethod
    def from_file(cls, path: Path, video_start: Fraction = Fraction(0)) -> Narration:
        """Read a subtitle file; `video_start` is where its time 0 lies, seconds from the first frame."""
        cues = (Cue(c.start + video_start, c.end + video_start, c.text) for c in subtitles.load(path))
        return cls(_tidy(cues), str(path), path)

    @classmethod
    def from_track(cls, video: Video) -> Narration | None:
        """The first embedded text subtitle stream that has words in it."""
        for track in video.subtitles:
            if track.is_text:
                cues = _tidy(subtitles.embedded(video, track))
                if cues:
                    return cls(cues, f"subtitle stream {track.index} of {video.path.name}")
        return None


def find_narration(video: Video, given: Path | None = None, seconds: Fraction | None = None) -> Narration | None:
    """`given` if there is one, else a sidecar with the video's stem, else an embedded stream, else nothing.

    `seconds`: how long the video is, if it does not know itself. InputError for a file of which no line falls into it.
    """
    path = given or find_sidecar(video.path)
    if path is None:
        return Narration.from_track(video)
    found, end = Narration.from_file(path, video.container_start), seconds or video.duration
    if found.cues and found.cues[0].start >= end:
        raise InputError(
            f"No line of {path} falls into the video: the first is at {format_length(found.cues[0].start)}, and the "
            f"video has {format_length(end)}. Check that it belongs to this video, or give another with --subtitles."
        )
    return found


def find_sidecar(video: Path) -> Path | None:
    """`film.srt` or `film.en.srt` beside `film.mp4`; the plainest name wins."""
    try:
        beside = [p for p in video.parent.iterdir() if p.suffix.lower() in SIDECAR_SUFFIXES and p.is_file()]
    except OSError:
        return None
    exact = [p for p in beside if p.stem == video.stem]
    tagged = [p for p in beside if p.stem.startswith(video.stem + ".") and "." not in p.stem[len(video.stem) + 1 :]]
    ranked = sorted(exact, key=lambda p: SIDECAR_SUFFIXES.index(p.suffix.lower())) + sorted(tagged)
    return ranked[0] if ranked else None


def _tidy(cues: Iterable[Cue]) -> tuple[Cue, ...]:
    spoken = [c for c in cues if c.text.strip() and c.end > 0 and c.end > c.start]
    return tuple(sorted(spoken, key=lambda c: (c.start, c.end)))
