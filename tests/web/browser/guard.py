"""Browser tests run in a process of their own with a deadline each: whatever hangs is ended with its browser.

Under load a browser may go away, and its driver then waits for ever; a timeout within the process does not end it. So
`Child` is another pytest that is told one test after the other and answers with their reports. When it does not answer
in time, or its browser is gone, it is ended with all that it started, and the test is tried once more in a fresh one.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

CHANNEL = "SAFFA_BROWSER_TESTS"
"""Environment variable with the number of the socket through which a child is told what to run."""
DEADLINE = 60.0
"""Seconds for a test, and as many more for the first one, which starts the server and the browser."""
GONE = ("TargetClosedError", "Connection closed while reading", "Browser has been closed", "Browser closed")


class LostError(Exception):
    """The child or its browser went away, or did not answer in time."""


class Child:
    """A process that runs browser tests one by one."""

    def __init__(self, folder: Path, root: Path) -> None:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider"]
        command += [f"--rootdir={root}", str(folder)]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
        with theirs:
            self._process = subprocess.Popen(
                command,
                cwd=root,
                env=environment | {CHANNEL: str(theirs.fileno())},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._socket, self._rest, self._ran = ours, b"", 0

    def run(self, test: str, deadline: float) -> list[dict[str, Any]]:
        """The reports of a test by its id; LostError with the reason if there are none in time."""
        end = time.monotonic() + deadline * (1 if self._ran else 2)
        self._ran += 1
        with suppress(OSError):
            self._socket.sendall(test.encode() + b"\n")
        while b"\n" not in self._rest:
            self._socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                more = self._socket.recv(1 << 20)
            except TimeoutError:
                raise LostError(f"no answer within {deadline:g} seconds") from None
            except OSError:
                more = b""
            if not more:
                raise LostError("the process of the browser tests ended")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        reports: list[dict[str, Any]] = json.loads(line)
        for report in reports:
            if report["outcome"] == "failed" and any(word in json.dumps(report["longrepr"]) for word in GONE):
                raise LostError("the browser went away")
        return reports

    def end(self, patience: float = 0.0) -> None:
        """End it and all that it started: the driver, the browser, the server."""
        started = [self._process.pid]
        with suppress(psutil.NoSuchProcess):
            started += [one.pid for one in psutil.Process(self._process.pid).children(recursive=True)]
        self._socket.close()  # it ends by itself if it can
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        for pid in started:
            with suppress(psutil.NoSuchProcess):
                psutil.Process(pid).kill()
        self._process.wait()


class Guard:
    """Has tests run by a child; starts another one when that is lost."""

    def __init__(self, folder: Path, deadline: float = DEADLINE) -> None:
        self._folder, self._deadline = folder, deadline
        self._child: Child | None = None

    def reports(self, item: pytest.Item) -> list[pytest.TestReport]:
        """Reports of a test; one that fails, or loses its browser, is tried once more in a fresh browser.

        On a busy machine a click may come before the page is ready for it; what is really broken fails twice.
        """
        reasons: list[str] = []
        allowed = item.get_closest_marker("timeout")  # for both tries
        deadline = allowed.args[0] / 2 if allowed else self._deadline
        for last in (False, True):
            self._child = self._child or Child(self._folder, item.config.rootpath)
            try:
                found = self._child.run(item.nodeid, deadline)
            except LostError as error:
                reasons.append(str(error))
                self.end()
                continue
            if not last and any(report["outcome"] == "failed" for report in found):
                reasons.append("the test failed")
                self.end()
                continue
            make = item.config.hook.pytest_report_from_serializable
            return [make(config=item.config, data=one) for one in found]
        message = f"The browser was lost, and a fresh one did not help: {'; '.join(reasons)}."
        return [pytest.TestReport(item.nodeid, item.location, {}, "failed", message, "call")]

    def end(self, patience: float = 0.0) -> None:
        """End the child, if there is one."""
        child, self._child = self._child, None
        if child is not None:
            child.end(patience)


class _Reports:
    """A plugin that keeps the reports of the test at hand."""

    def __init__(self) -> None:
        self.kept: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.kept.append(report)


def obey(session: pytest.Session, channel: int) -> None:
    """Within the child: run what comes through the channel, and answer with reports."""
    tests, reports = {item.nodeid: item for item in session.items}, _Reports()
    session.config.pluginmanager.register(reports)
    pack = session.config.hook.pytest_report_to_serializable
    with socket.socket(fileno=channel) as orders, orders.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            item = tests[line.strip()]
            other = next(one for one in session.items if one.path != item.path)  # what all files share stays
            reports.kept.clear()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=other)
            lines.write(json.dumps([pack(config=session.config, report=one) for one in reports.kept]) + "\n")
            lines.flush()
