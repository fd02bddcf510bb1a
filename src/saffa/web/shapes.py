"""The JSON of the server: what it takes and what it answers, also as it is kept on disk."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Id = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Seconds = Annotated[float, Field(ge=0, le=10**8, allow_inf_nan=False)]
SentenceIndex = Annotated[int, Field(ge=0, lt=10_000)]
Listen = Literal["auto", "on", "off"]
ExportKind = Literal["otio", "fcpxml", "premiere", "edl", "csv", "mpv"]
FileKind = Literal["video", "subtitles", "timeline", "otio", "fcpxml", "premiere", "edl", "csv", "mpv"]


class Shape(BaseModel):
    """A value that never changes; unknown names are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Problem(Shape):
    """What is wrong and what to do, in one line."""

    message: str
    allowed: dict[str, float] | None = None
    """With a length that cannot be had: the shortest and the longest that can."""
    received: int | None = None
    """With a piece of an upload at the wrong place: how many bytes are there."""


class Refusal(Shape):
    """The answer to a request that cannot be met."""

    error: Problem


class LimitsShown(Shape):
    """How much the server takes on."""

    upload_bytes: int
    chunk_bytes: int
    seconds: float
    pixels: int
    sentences: int
    text_bytes: int
    jobs: int
    waiting: int


class Status(Shape):
    """What this server is and can do."""

    version: str
    demo: bool
    can_listen: bool
    limits: LimitsShown
    exports: list[str]
    folders: list[str]


class VideoListed(Shape):
    """A video that a project can be made of."""

    id: Id
    name: str
    folder: str
    size: int
    demo: bool = False
    uploaded: bool = False


class Videos(Shape):
    """All videos of the allowed folders and the uploads."""

    videos: list[VideoListed]


class NewUpload(Shape):
    """A file that is about to be sent."""

    name: Annotated[str, Field(min_length=1, max_length=255)]
    size: Annotated[int, Field(ge=1, le=10**15)]


class Upload(Shape):
    """How much of a file has come; `video` is its id when all of it has."""

    id: Id
    name: str
    size: int
    received: int = 0
    video: Id | None = None


class Uploads(Shape):
    """Uploads that are not finished."""

    uploads: list[Upload]


class CorrectionShape(Shape):
    """One decision of a person. keep, skip, cut: a range in seconds, or a `sentence`; weight and here: a sentence."""

    kind: Literal["keep", "skip", "cut", "weight", "here"]
    start: Seconds | None = None
    end: Seconds | None = None
    sentence: SentenceIndex | None = None
    speed: Annotated[float, Field(ge=1, le=1000, allow_inf_nan=False)] | None = None
    weight: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _complete(self) -> CorrectionShape:
        ranged = self.start is not None and self.end is not None and self.start < self.end
        if self.kind == "weight" and (self.sentence is None or self.weight is None):
            raise ValueError("weight needs a sentence and a weight")
        if self.kind == "here" and (self.sentence is None or not ranged):
            raise ValueError("here needs a sentence, a start and an end after it")
        if self.kind in ("keep", "skip", "cut") and not ranged and self.sentence is None:
            raise ValueError(f"{self.kind} needs a start and an end after it, or a sentence")
        return self


class Wanted(Shape):
    """What the output is to be like."""

    speed: Annotated[float, Field(ge=1, le=1000, allow_inf_nan=False)] | None = None
    length: Annotated[float, Field(gt=0, le=10**8, allow_inf_nan=False)] | None = None
    balance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    ramp: Literal["soft", "normal", "hard"] | None = None
    corrections: Annotated[tuple[CorrectionShape, ...], Field(max_length=500)] = ()

    @model_validator(mode="after")
    def _one_length(self) -> Wanted:
        if self.speed is not None and self.length is not None:
            raise ValueError("give a speed or a length, not both")
        return self


class SettingsShape(Wanted):
    """What the output is to be like, with what the page wants to find again."""

    ui: dict[str, Any] | None = None

    @property
    def wanted(self) -> Wanted:
        """Without the page's own notes."""
        return Wanted(**self.model_dump(exclude={"ui"}))


class NewProject(Shape):
    """A video with a text, or with `narration` what is said in it as the text."""

    video: Id
    text: str | None = None
    text_name: Annotated[str, Field(max_length=255)] | None = None
    """The name of the file that the text comes from: its ending tells the format."""
    narration: bool = False
    listen: Listen = "auto"
    settings: SettingsShape = SettingsShape()


class ProjectChange(Shape):
    """What to change about a project; what is left out stays."""

    text: str | None = None
    text_name: Annotated[str, Field(max_length=255)] | None = None
    narration: bool | None = None
    listen: Listen | None = None
    settings: SettingsShape | None = None


class Making(Shape):
    """Something that is made in the background."""

    state: Literal["none", "waiting", "making", "ready", "failed"] = "waiting"
    share: float = 0.0


class ProjectVideo(Shape):
    """The video of a project; what is not known yet is null."""

    id: Id
    name: str
    seconds: float | None = None
    rate: float | None = None
    width: int | None = None
    height: int | None = None
    codec: str | None = None
    offset: float = 0.0
    """Where a player's clock stands at the first frame, seconds."""
    playable: bool | None = None
    proxy: Making = Making(state="none")


class Stage(Shape):
    """A part of the analysis."""

    name: Literal["reading", "listening", "looking", "comparing"]
    state: Literal["waiting", "running", "done", "skipped"] = "waiting"
    share: float = 0.0


class JobFile(Shape):
    """A file that a render gives."""

    kind: FileKind
    name: str
    size: int
    url: str


class Job(Shape):
    """A render."""

    id: Id
    project: Id
    name: str
    created: float
    state: Literal["waiting", "running", "done", "failed", "cancelled"] = "waiting"
    stage: str = ""
    share: float = 0.0
    seconds_left: float | None = None
    error: str | None = None
    output_seconds: float | None = None
    files: list[JobFile] = []
    warnings: list[str] = []


class Jobs(Shape):
    """All renders, newest first."""

    jobs: list[Job]


class NewRender(Shape):
    """What to render: the stored settings of the project, unless others are given."""

    settings: SettingsShape | None = None
    audio: Literal["stretch", "mute", "drop"] = "stretch"
    container: Literal["mp4", "mkv", "webm"] = "mp4"


class ProjectKept(Shape):
    """A project without its jobs, as it is kept."""

    id: Id
    name: str
    created: float
    revision: int = 0
    """Counts the comparisons of video and text."""
    state: Literal["analysing", "ready", "failed"] = "analysing"
    error: str | None = None
    video: ProjectVideo
    text: str | None = None
    text_name: str | None = None
    narration: bool = False
    listen: Listen = "auto"
    settings: SettingsShape = SettingsShape()
    stages: list[Stage] = []
    thumbnails: Making = Making()
    notes: list[str] = []
    warnings: list[str] = []


class Project(ProjectKept):
    """A project with its jobs, newest first."""

    jobs: list[Job]


class ProjectListed(Shape):
    """A project in a list."""

    id: Id
    name: str
    created: float
    state: Literal["analysing", "ready", "failed"]
    seconds: float | None


class ProjectList(Shape):
    """All projects, newest first."""

    projects: list[ProjectListed]


class Line(Shape):
    """What is said, in seconds."""

    start: float
    end: float
    text: str


class SentenceFound(Shape):
    """A sentence of the text and where it was found."""

    text: str
    confidence: float | None
    found: bool
    start: float | None
    end: float | None


class AlignmentShown(Shape):
    """How the video compares with the text; relevance from 0 to 1 at each of the times."""

    revision: int
    seconds: float
    rate: float
    frames: int
    times: list[float]
    relevance: list[float]
    sentences: list[SentenceFound]
    lines: list[Line]
    fit: float | None
    encoder: str


class SentencePlanned(Shape):
    """What is seen of a sentence."""

    shown_seconds: float
    slow_seconds: float
    watchable: bool
    output_start: float | None
    start: float | None
    end: float | None
    found: bool
    confidence: float | None


class PlanShown(Shape):
    """How the output would play. A segment: source start and end, output start and end, speed, sentence or null."""

    revision: int
    output_seconds: float
    speed: float
    frames: int
    rate: float
    segments: list[tuple[float, float, float, float, float, int | None]]
    sentences: list[SentencePlanned]
    watchable: int
    warnings: list[str]


class SheetsShown(Shape):
    """Small pictures: number k shows time k · interval and stands on sheet k // (columns · rows), row by row."""

    interval: float
    columns: int
    rows: int
    width: int
    height: int
    count: int
    sheets: list[str]
    ready: bool
