"""A batch: jobs through an engine, and what became of each written down at once."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from time import monotonic

from saffa.core.errors import plain_words
from saffa.pipeline.engine import Answer, Engine
from saffa.scale.jobs import BatchJob
from saffa.scale.making import Made, Order, make, settle, sweep
from saffa.scale.results import Outcome, ResultsFile

_LONGEST_REASON = 1000


@dataclass(frozen=True)
class Batch:
    """What `results` tells as done, and is still there, is not done again."""

    engine: Engine
    results: ResultsFile
    overwrite: bool = False
    work: Callable[[Order], Made] = make

    def run(self, jobs: Sequence[BatchJob]) -> Generator[Outcome]:
        """What becomes of each job, as it is finished. An interrupt, or closing this, ends what is at work."""
        done = self.results.done()
        orders = [Order(job, done.get(job.output.name, ()), self.overwrite) for job in jobs]
        try:
            with closing(self.engine.run(self.work, orders)) as answers:
                for answer in answers:
                    outcome = outcome_of(jobs[answer.place], answer)
                    if outcome.status != "skipped":
                        self.results.add(outcome)
                    if outcome.status == "done":
                        settle(jobs[answer.place], outcome.key)
                    yield outcome
        finally:
            for folder in {job.output.parent for job in jobs}:
                sweep(folder)


def outcome_of(job: BatchJob, answer: Answer[Made]) -> Outcome:
    """An answer in the words of the results."""
    names, taken = (str(job.video), job.text, str(job.output)), round(answer.seconds, 3)
    error, made = answer.error, answer.value
    if error is not None or made is None:
        reason = " ".join(plain_words(error).split())[:_LONGEST_REASON]
        return Outcome(*names, "failed", reason, taken, attempts=answer.attempts)
    if made.before:
        return Outcome(*names, "skipped", key=made.key)
    return Outcome(
        *names,
        "done",
        "",
        taken,
        made.frames,
        made.speed,
        made.fit,
        made.key,
        made.source_seconds,
        answer.attempts,
        made.warnings,
    )


class Estimate:
    """How long the rest may take: jobs count by the bytes of their videos, those skipped at once do not."""

    def __init__(self, jobs: Sequence[BatchJob]) -> None:
        self._sizes = {str(job.output): max(1, job.video.stat().st_size) for job in jobs}
        self._rest, self._worked, self._began = sum(self._sizes.values()), 0, monotonic()
        self._any_done = False

    def left(self, finished: Outcome) -> float | None:
        """Seconds after one more is finished; None before any is done (bad ones fail at once) or if nothing is left."""
        size = self._sizes.pop(finished.output)
        self._rest -= size
        self._worked += size if finished.status != "skipped" else 0
        self._any_done |= finished.status == "done"
        return (monotonic() - self._began) / self._worked * self._rest if self._any_done and self._rest else None
