"""Running many jobs, each in a process of its own: one that crashes fails alone."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from saffa.api import accelerate
from saffa.core.errors import SaffaError
from saffa.core.types import Progress
from saffa.media.formats import RenderOptions
from saffa.pipeline.request import silent
from saffa.pipeline.worker_process import WorkerLostError, answer_of, start_worker
from saffa.scale.jobs import Job
from saffa.scale.results import Outcome, ResultsFile

ATTEMPTS = 2
"""A process that was lost is started once more: it may have been killed for want of memory."""
_PATIENCE = 20.0
"""Seconds that a process gets to remove what it has half written."""


@dataclass(frozen=True)
class Made:
    """The figures of a shortened video."""

    frames: int
    speed: float
    fit: float | None


Work = Callable[[Progress, Job, bool], Made]


def shorten(progress: Progress, job: Job, overwrite: bool) -> Made:
    """One job, from the video to the shorter video."""
    choices = job.choices
    result = accelerate(
        job.video,
        job.text,
        speed=choices.speed,
        length=choices.length,
        output=job.output,
        subtitles=job.subtitles,
        method=choices.method,
        balance=choices.balance,
        encoder=choices.encoder,
        options=RenderOptions(audio=choices.audio, overwrite=overwrite),
        progress=progress,
    )
    return Made(len(result.selection.frames), result.selection.speed, result.alignment.fit)


@dataclass
class Pool:
    """Up to `workers` processes at a time. What `results` tells as done, and is still there, is not done again."""

    results: ResultsFile
    workers: int = 1
    overwrite: bool = False
    work: Work = shorten
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _stopped: bool = False
    _lock: Lock = field(default_factory=Lock)

    def run(self, jobs: Sequence[Job]) -> Generator[Outcome]:
        """What becomes of each job, as it is finished. An interrupt, or closing this, ends the processes at work."""
        done = self.results.done()
        threads = ThreadPoolExecutor(self.workers)
        try:
            for finished in as_completed([threads.submit(self._finished, job, done) for job in jobs]):
                yield finished.result()
        finally:
            self._stop()
            threads.shutdown(cancel_futures=True)

    def _finished(self, job: Job, done: frozenset[tuple[str, str]]) -> Outcome:
        """The outcome, written down at once; what only an interrupt has ended is not."""
        outcome = self._outcome(job, done)
        with self._lock:
            if outcome.status == "done" or (outcome.status == "failed" and not self._stopped):
                self.results.add(outcome)
        return outcome

    def _outcome(self, job: Job, done: frozenset[tuple[str, str]]) -> Outcome:
        names = (str(job.video), job.text, str(job.output))
        started, key = monotonic(), ""
        try:
            key = job.key()
            if (key, job.output.name) in done and job.output.is_file():
                return Outcome(*names, "skipped", key=key)
            made = self._attempt(job, ATTEMPTS)
        except Exception as error:
            kind = "" if isinstance(error, SaffaError) else f"{type(error).__name__}: "
            reason = " ".join(f"{kind}{error}".split())[:1000]
            return Outcome(*names, "failed", reason, round(monotonic() - started, 3), key=key)
        taken = round(monotonic() - started, 3)
        return Outcome(*names, "done", "", taken, made.frames, made.speed, made.fit, key)

    def _attempt(self, job: Job, attempts: int) -> Made:
        try:
            return self._in_process(job)
        except WorkerLostError:
            if attempts <= 1 or self._stopped:
                raise
            return self._attempt(job, attempts - 1)

    def _in_process(self, job: Job) -> Made:
        with self._lock:
            if self._stopped:
                raise WorkerLostError("Stopped before it began.")
            process = start_worker(apart=True)
            self._running.add(process)
        try:
            with process:
                return answer_of(process, silent, self.work, job, self.overwrite)
        finally:
            with self._lock:
                self._running.discard(process)

    def _stop(self) -> None:
        """Ask every process to end as Ctrl-C does, so that it leaves nothing behind; end those that do not listen."""
        with self._lock:
            self._stopped, running = True, tuple(self._running)
        for process in running:
            with suppress(OSError):
                if sys.platform == "win32":
                    process.terminate()
                else:
                    process.send_signal(signal.SIGINT)
        end = monotonic() + _PATIENCE
        for process in running:
            try:
                process.wait(max(0.0, end - monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
