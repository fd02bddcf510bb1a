"""What to make of a video."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Literal

from saffa.core.clock import format_length
from saffa.core.corrections import Correction
from saffa.core.document import Document
from saffa.core.errors import InputError
from saffa.core.selection import check_speed, wanted_frames
from saffa.core.types import Share
from saffa.encoders.base import Encoder
from saffa.encoders.registry import entry_of, load_encoder
from saffa.encoders.stored import StoredEncoder
from saffa.media.container import is_pipe
from saffa.media.writer import RenderOptions, check_output
from saffa.methods.base import Sampler, Settings
from saffa.methods.corrected import corrected
from saffa.methods.registry import load_sampler, methods, unused_settings
from saffa.storage.store import user_cache

DEFAULT_SPEED = 8.0
Listen = Literal["auto", "on", "off"]
ReadScreen = Literal["auto", "on", "off"]


@dataclass(frozen=True)
class Request:
    """What to make of a video: text, speed or length, output. `output=None` plans without writing."""

    video: Path
    document: Document
    speed: float | None = None
    length: float | Fraction | None = None
    """Seconds of the output; instead of `speed`."""
    output: Path | None = None
    subtitles: Path | None = None
    """A subtitle file; without one, subtitles beside or inside the video are taken."""
    listen: Listen = "auto"
    """Whether speech is listened to: where there are no subtitles, instead of them, or never."""
    read_screen: ReadScreen = "auto"
    """Whether text on the screen is read: where subtitles are missing or say little, always, or never."""
    encoder: str | Encoder = "auto"
    method: str | Sampler = "plan"
    settings: Settings = field(default_factory=Settings)
    options: RenderOptions = field(default_factory=RenderOptions)
    cache: bool = True
    """Whether results of encoders are kept for the next run."""
    single_pass: bool = False
    """Read the video once, as a pipe must be."""
    duration: float | Fraction | None = None
    """Seconds of the video, for a single pass through a container that does not tell."""
    corrections: tuple[Correction, ...] = ()
    """What a person decides: ranges to keep, skip or cut, weights of sentences."""
    strict: bool = False
    """Whether a text that does not seem to fit the video is refused instead of warned about."""
    inputs: tuple[Path, ...] = ()
    """Files read beside the video, which must not be written over."""

    @property
    def notes(self) -> tuple[str, ...]:
        """How the sentences of the text were chosen, if not all were taken."""
        return (self.document.note,) if self.document.note else ()

    @property
    def read_once(self) -> bool:
        """Whether the video is read in a single pass: on demand, and always if it is a pipe."""
        return self.single_pass or is_pipe(self.video)

    def check(self) -> None:
        """InputError for what can be refused before any work."""
        if self.duration is not None and not 0 < self.duration < inf:
            raise InputError("--duration must be positive: the length of the video, such as 12:30.")
        if self.duration is not None and not self.read_once:
            raise InputError("--duration is for videos that are read once (a pipe, or --single-pass).")
        if self.corrections and self.read_once:
            raise InputError("Corrections need the whole video: give a file, without --single-pass.")
        if self.options.burn != "nothing" and self.read_once:
            raise InputError("--burn steps needs the plan at the first picture: give a file, without --single-pass.")
        if self.read_screen == "on" and self.read_once:
            raise InputError("--read-screen on looks at the video twice: give a file, without --single-pass.")
        if self.output is not None:
            read = (self.video, *self.inputs, *([self.subtitles] if self.subtitles else []))
            check_output(self.output, read, self.options)

    def sampler(self) -> Sampler:
        """The method, by its name or as it was given."""
        method = load_sampler(self.method, self.settings) if isinstance(self.method, str) else self.method
        return corrected(method, self.corrections) if self.corrections else method

    @property
    def looks(self) -> bool:
        """Whether an encoder by name looks at pictures: that takes room and time."""
        return isinstance(self.encoder, str) and entry_of(self.encoder).looks

    def load_encoder(self, progress: Share) -> Encoder:
        """The encoder, by its name or as it was given; one by name remembers what it saw of a video, if that may be."""
        if not isinstance(self.encoder, str):
            return self.encoder
        cache = user_cache() if self.cache and self.looks else None
        encoder = load_encoder(self.encoder, cache=cache, progress=progress)
        return StoredEncoder(encoder, cache) if cache else encoder

    def encoder_to_take(self) -> str | Encoder:
        """The encoder; where nobody chose one, what the method can read."""
        unchosen = self.encoder == "auto" and isinstance(self.method, str)
        return methods()[str(self.method)].auto_encoder if unchosen else self.encoder

    @property
    def uses_narration(self) -> bool:
        """Whether what is said can change the outcome; of encoders given as objects that is not known."""
        hears = not isinstance(self.encoder, str) or entry_of(self.encoder).hears
        return hears and self.sampler().reads_text

    def unused_settings(self) -> tuple[str, ...]:
        """Warnings about settings that the method does not use."""
        return unused_settings(self.method, self.settings) if isinstance(self.method, str) else ()


def target_speed(
    speed: float | None, length: float | Fraction | None, duration: float, rate: Fraction | float
) -> float:
    """The speed asked for, directly or as an output length in seconds."""
    if speed is not None and length is not None:
        raise InputError("Give --speed or --length, not both.")
    if length is None:
        wanted = check_speed(DEFAULT_SPEED if speed is None else speed)
        if wanted_frames(round(duration * rate), wanted) * wanted > 2 * duration * rate:
            raise InputError(f"At {wanted:g}× nothing is left of a video of {format_length(duration)}.")
        return wanted
    if length > duration:
        raise InputError(
            f"The video is only {format_length(duration)} long; --length {format_length(length)} would stretch it."
        )
    if length * rate < 1:
        raise InputError("The length asked for is shorter than one frame.")
    return float(duration / length)


def silent(stage: str, share: float) -> None:
    """The progress callback that shows nothing."""
