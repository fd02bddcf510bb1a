"""What is said in a video, or written on its screen, and when."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from saffa.core.video import Cue

NARRATION = "narration"
"""Instead of the name of a text: what is said in the video is the text."""
NO_SUBTITLES = (
    "The video has no subtitles to compare with the text. Give them with --subtitles FILE, "
    "or choose --encoder visual or --method uniform."
)


@dataclass(frozen=True)
class Narration:
    """Timed lines, in seconds from the first frame, in order of their start. `file`: where they came from, if one."""

    cues: tuple[Cue, ...]
    source: str = "given"
    file: Path | None = None

    def __len__(self) -> int:
        return len(self.cues)

    @property
    def spoken(self) -> Narration | None:
        """What is said, without text read off the screen; None if nothing is."""
        said = tuple(cue for cue in self.cues if cue.kind == "said")
        return self if len(said) == len(self.cues) else replace(self, cues=said) if said else None

    @classmethod
    def of_lines(cls, cues: Iterable[Cue], source: str = "given", file: Path | None = None) -> Narration:
        """A narration of these lines in order, without empty ones and those before the first frame."""
        spoken = [c for c in cues if c.text.strip() and c.end > 0 and c.end > c.start]
        return cls(tuple(sorted(spoken, key=lambda c: (c.start, c.end))), source, file)
