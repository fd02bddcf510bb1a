"""The server behind the page: memory at rest, plan answers for 20 minutes, the first preview, many questions at once.

The 20 minutes are an alignment made up at 29.97 frames a second, with 12 sentences, in the place of a short video's:
planning reads nothing else. Times are those that a client sees; beside the plans stands the planner's processor time,
which other programs on the machine change less.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from tests.web.serving import Server, kitchen, serving

from saffa.core.alignment import Alignment

MINUTES, SENTENCES, PLANS, QUESTIONS = 20, 12, 60, 200


def long_alignment(seed: int = 0) -> Alignment:
    """Smooth relevance and sentences one after the other."""
    rng = np.random.default_rng(seed)
    times = np.arange(MINUTES * 60, dtype=np.float32)
    relevance = np.convolve(rng.random(len(times) + 20), np.hanning(20) / 10, "same")[: len(times)]
    centres = np.linspace(30, times[-1] - 30, SENTENCES)
    weights = np.exp(-0.5 * ((times[:, None] - centres) / 20) ** 2) + 1e-3
    rate = Fraction(30000, 1001)
    return Alignment(
        times=times,
        e_v=np.ones((len(times), 1), np.float32),
        e_d=np.ones((len(times), 1), np.float32),
        relevance=relevance.astype(np.float32),
        sentence_weights=(weights / weights.sum(1, keepdims=True)).astype(np.float32),
        document=tuple(f"Step {i}." for i in range(1, SENTENCES + 1)),
        frames=round(MINUTES * 60 * rate),
        rate=rate,
        encoder="made up",
        confidence=np.full(SENTENCES, 0.5, np.float32),
    )


def choices(seed: int = 1) -> list[dict[str, Any]]:
    """What a person might ask for, one after the other."""
    rng = np.random.default_rng(seed)
    found: list[dict[str, Any]] = []
    for i in range(PLANS):
        wanted: dict[str, Any] = {
            "speed": round(float(rng.uniform(4, 20)), 2),
            "balance": round(float(rng.random()), 2),
        }
        start = float(rng.integers(0, 1000))
        kinds: list[dict[str, Any]] = [
            {"kind": "keep", "start": start, "end": start + 20},
            {"kind": "cut", "start": start + 30, "end": start + 60},
            {"kind": "here", "sentence": 3, "start": start, "end": start + 15},
        ]
        found.append(wanted | {"corrections": kinds[: i % 4], "ramp": ("normal", "normal", "soft", "hard")[i % 4]})
    return found


def timed(server: Server, path: str, body: Any = None) -> float:
    """Milliseconds of one answer."""
    began = time.perf_counter()
    answer = server.client.get(path) if body is None else server.client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - began) * 1000


def planning_process(server: Server) -> psutil.Process:
    """The process that answers about plans: the one that stays."""
    time.sleep(3)
    (found,) = psutil.Process(server.process.pid).children()
    return found


def row(name: str, milliseconds: Sequence[float]) -> str:
    """A line of the table."""
    middle, high = np.percentile(milliseconds, [50, 95])
    return f"| {name} | {middle:.0f} ms | {high:.0f} ms |"


def main(_: Sequence[str]) -> None:
    """Measure and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        videos, state = kitchen(place / "videos"), place / "state"
        with serving(videos, state) as server:
            timed(server, "/status")
            memory = psutil.Process(server.process.pid).memory_info().rss / 1e6
            project = server.project()["id"]
            long_alignment().save(state / "projects" / project / "alignment.npz")
            path = f"/projects/{project}/plan"
            first = timed(server, path, {"speed": 10})
            planner = planning_process(server)
            plans, work = [], []
            for wanted in choices():
                before = sum(planner.cpu_times()[:2])
                plans.append(timed(server, path, wanted))
                work.append((sum(planner.cpu_times()[:2]) - before) * 1000)
            job = server.post(f"/projects/{server.project()['id']}/renders", {"settings": {"speed": 1.1}})
            with ThreadPoolExecutor(QUESTIONS) as threads:
                status = list(threads.map(lambda _: timed(server, "/status"), range(QUESTIONS)))
            server.wait(f"/jobs/{job['id']}", "done")
            timed(server, path, {"speed": 9})
        with serving(videos, state) as server:
            click = timed(server, f"/projects/{project}") + timed(server, path, {"speed": 9})
    print("| | median | 95 of 100 |\n|---|---|---|")
    print(row(f"plan of {MINUTES} minutes, {PLANS} different ones", plans))
    print(row("processor time of each", work))
    print(row(f"{QUESTIONS} questions about the status at once, while a render runs", status))
    print(
        f"\nFirst plan after the start of the server: {first:.0f} ms. First preview after a click on a project that was"
    )
    print(f"planned before, right after a restart: {click:.0f} ms. Memory of the server at rest: {memory:.0f} MB.")


if __name__ == "__main__":
    main(sys.argv[1:])
