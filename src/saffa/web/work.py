"""The other side of `process`: what is done to videos, in a process that may use so much and no more.

Each piece of work gets its arguments as JSON and says how far it is; results stay in files of the project's folder.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from saffa.core.errors import InputError, LengthError, SaffaError
from saffa.core.python_process import hear_interrupts

if TYPE_CHECKING:
    from saffa.core.alignment import Alignment
    from saffa.core.video import Video

Tell = Callable[[str, dict[str, Any]], None]
_LEAST_STEP = 0.004
_ALIGNMENTS = 4


def serve() -> None:
    """Do what the second line of standard input asks for (the first has the bounds); `wait` answers many questions."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not get between
    orders = os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8")
    lock = threading.Lock()

    def tell(kind: str, message: dict[str, Any]) -> None:
        with lock, suppress(BrokenPipeError):
            answers.write(json.dumps({"kind": kind, **message}) + "\n")
            answers.flush()

    with suppress(KeyboardInterrupt):
        hear_interrupts()
        _confine(**json.loads(orders.readline() or "{}"))
        order = json.loads(orders.readline() or "{}")
        if order.get("work") == "wait":
            desk = PlanningDesk()
            for line in orders:
                question = json.loads(line)
                _answer(getattr(desk, question["work"]), question["arguments"], tell)
        elif order:
            _die_with(orders)
            _answer(WORKS[order["work"]], order["arguments"], tell)


def _confine(cpu_seconds: int = 0, memory_bytes: int = 0) -> None:
    """Bound the processor time and the memory of this process, and of each that it starts."""
    try:
        import resource  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return
    for kind, bound in ((resource.RLIMIT_CPU, cpu_seconds), (resource.RLIMIT_DATA, memory_bytes)):
        hard = resource.getrlimit(kind)[1]
        if bound and (hard == resource.RLIM_INFINITY or bound < hard):
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (bound, bound))
    with suppress(OSError):
        os.nice(5)  # the page must stay quick


def _die_with(orders: TextIO) -> None:
    """End this process, and those that it started, as soon as standard input ends: nobody waits any more."""

    def watch() -> None:
        while orders.readline():
            pass
        with suppress(OSError, AttributeError):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _answer(work: Callable[..., dict[str, Any]], arguments: dict[str, Any], tell: Tell) -> None:
    try:
        tell("done", {"result": work(tell, **arguments)})
    except LengthError as error:
        tell("failed", {"message": _plain(error, arguments), "allowed": [error.shortest, error.longest]})
    except SaffaError as error:
        tell("failed", {"message": _plain(error, arguments)})
    except MemoryError:
        tell("failed", {"message": "This needs far more memory than the server allows (--max-memory)."})
    except Exception as error:
        if os.environ.get("SAFFA_DEBUG"):
            raise
        tell("failed", {"message": f"Something went wrong inside saffa ({type(error).__name__})."})


def _plain(error: Exception, arguments: dict[str, Any]) -> str:
    """The message without the folders of this machine."""
    message = " ".join(str(error).split())[:1000]
    for key in ("video", "folder", "alignment"):
        path = str(arguments.get(key, ""))
        if path:
            shown = arguments.get("name") if key == "video" else None
            message = message.replace(path, str(shown or Path(path).name)).replace(f"{Path(path).parent}{os.sep}", "")
    return message


def _facts(found: Video, name: str, max_seconds: float, max_pixels: int) -> dict[str, Any]:
    """What a page has to know of a video; InputError if it is more than the server takes."""
    from saffa import api  # noqa: PLC0415

    if found.duration > max_seconds:
        raise InputError(f"{name} is longer than the {max_seconds / 3600:g} hours that this server takes.")
    if found.width * found.height > max_pixels:
        raise InputError(f"The pictures of {name} are larger than the {max_pixels} pixels that this server takes.")
    width, height = found.size
    return {
        "seconds": round(float(found.duration), 6),
        "rate": float(found.rate),
        "width": width,
        "height": height,
        "codec": found.codec,
        "offset": round(max(0.0, -float(found.container_start)) + 0.0, 6),
        "playable": api.plays_in_browsers(found),
    }


def analyse(
    tell: Tell,
    *,
    video: str,
    name: str,
    folder: str,
    text: str | None,
    text_name: str | None,
    listen: Any,
    max_seconds: float,
    max_pixels: int,
    max_sentences: int,
) -> dict[str, Any]:
    """Compare a video with a text; leaves `alignment.npz` and `lines.json` in the folder."""
    from saffa import api  # noqa: PLC0415
    from saffa.core.document import Document  # noqa: PLC0415
    from saffa.core.whole_file import whole_file  # noqa: PLC0415

    document = None
    if text is not None:
        document = Document.from_bytes(text.encode("utf-8", "replace"), Path(text_name or "").suffix.lower() or ".txt")
        if len(document) > max_sentences:
            raise InputError(f"The text has {len(document)} sentences; this server takes at most {max_sentences}.")
    movie = api.probe(Path(video), progress=_stage(tell, "Reading the video"))
    tell("facts", {"facts": _facts(movie, name, max_seconds, max_pixels)})
    found = api.study(movie, document, listen, _Slow(tell))
    lines = [
        {"start": round(float(c.start), 3), "end": round(float(c.end), 3), "text": c.text[:2000]} for c in found.lines
    ]
    with whole_file(Path(folder) / "lines.json") as part:
        part.write_text(json.dumps(lines), "utf-8")
    # What is not needed for planning, and large: embeddings.
    alignment = replace(found.alignment, e_v=found.alignment.e_v[:, :1], e_d=found.alignment.e_d[:, :1])
    alignment.save(Path(folder) / "alignment.npz")
    return {
        "sentences": list(alignment.document),
        "notes": list(found.notes),
        "warnings": [_plain(SaffaError(one), {"video": video, "name": name}) for one in found.warnings],
    }


def pictures(tell: Tell, *, video: str, name: str, folder: str, copy: bool) -> dict[str, Any]:  # noqa: ARG001
    """Leaves `proxy.mp4` if a copy is wanted, and the sheets of thumbnails, in the folder."""
    from saffa import api  # noqa: PLC0415

    found = api.probe(Path(video))
    if copy:
        api.write_browser_copy(found, Path(folder) / "proxy.mp4", _stage(tell, "proxy"))
        tell("made", {"what": "proxy"})
    sheets = Path(folder) / "sheets"
    sheets.mkdir(exist_ok=True)
    api.write_sheets(found, sheets, _stage(tell, "thumbnails"))
    return {}


def render(
    tell: Tell,
    *,
    video: str,
    name: str,  # noqa: ARG001
    alignment: str,
    folder: str,
    wanted: dict[str, Any],
    output: str,
    audio: Any,
    exports: dict[str, str],
) -> dict[str, Any]:
    """Leaves the movie, its timeline, perhaps its subtitles, and exports by format in the folder."""
    from saffa import api  # noqa: PLC0415
    from saffa.core.alignment import Alignment  # noqa: PLC0415

    progress = _Slow(tell)
    compared = Alignment.load(Path(alignment))
    planned = api.plan(compared, **asked(wanted))
    movie, place = api.probe(Path(video), progress=_stage(tell, "Reading the video")), Path(folder) / output
    done = api.write_selection(
        movie,
        planned.alignment,
        planned.selection,
        place,
        place.with_suffix(".json"),
        api.RenderOptions(audio=audio, overwrite=True),
        progress,
    )
    for to, file in exports.items():
        with suppress(SaffaError):  # a format whose package is not installed
            api.export(place.with_suffix(".json"), to, Path(folder) / file, overwrite=True)
    return {
        "seconds": float(done.duration),
        "subtitles": None if done.subtitles is None else done.subtitles.name,
        "warnings": [*done.warnings, *done.notes],
    }


WORKS: dict[str, Callable[..., dict[str, Any]]] = {
    "analyse": analyse,
    "pictures": pictures,
    "render": render,
}


class PlanningDesk:
    """Answers about plans at once: it keeps the last alignments, and the planner is loaded."""

    def __init__(self) -> None:
        self._kept: dict[str, Alignment] = {}

    def plan(self, _: Tell, *, alignment: str, wanted: dict[str, Any]) -> dict[str, Any]:
        """How a project would play."""
        from saffa import api  # noqa: PLC0415

        return api.plan(self._alignment(alignment), **asked(wanted)).to_json()

    def show(self, _: Tell, *, alignment: str) -> dict[str, Any]:
        """What a page shows of an alignment."""
        from saffa import api  # noqa: PLC0415

        return api.shown_alignment(self._alignment(alignment))

    def _alignment(self, path: str) -> Alignment:
        from saffa.core.alignment import Alignment  # noqa: PLC0415

        key = f"{path} {Path(path).stat().st_mtime_ns}"
        if key not in self._kept:
            self._kept = dict([*self._kept.items()][1 - _ALIGNMENTS :]) | {key: Alignment.load(Path(path))}
        return self._kept[key]


def asked(wanted: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `api.plan` from the JSON of a page."""
    from saffa.core.corrections import Correction, Cut, Found, Here, Keep, Range, Skip, Weight  # noqa: PLC0415

    corrections: list[Correction] = []
    for one in wanted.get("corrections") or ():
        kind, sentence = one["kind"], one.get("sentence")
        if kind == "weight":
            corrections.append(Weight(sentence + 1, one["weight"]))
            continue
        ranged = one.get("start") is not None
        place = Range(*(Fraction(round(one[key] * 1000), 1000) for key in ("start", "end"))) if ranged else None
        if kind == "here":
            corrections.append(Here(sentence + 1, place or Found(sentence)))
        elif kind == "keep":
            corrections.append(Keep(place or Found(sentence), one.get("speed") or 1))
        else:
            corrections.append((Skip if kind == "skip" else Cut)(place or Found(sentence)))
    chosen = {key: wanted.get(key) for key in ("speed", "length", "balance", "ramp")}
    return {**chosen, "corrections": tuple(corrections)}


class _Slow:
    """Progress that is told in steps worth telling."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._last = tell, ("", -1.0)

    def __call__(self, stage: str, share: float) -> None:
        """As `Progress`."""
        if stage != self._last[0] or share >= 1 or share - self._last[1] >= _LEAST_STEP:
            self._last = (stage, share)
            self._tell("progress", {"stage": stage, "share": round(share, 4)})


def _stage(tell: Tell, stage: str) -> Callable[[float], None]:
    told = _Slow(tell)
    return lambda share: told(stage, share)
