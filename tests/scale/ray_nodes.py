"""A real Ray cluster on this machine: each node is a process tree of its own that can be lost."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import psutil


class Cluster:
    """Nodes of one CPU each that talk over loopback; nobody without the token is let in."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.environment = os.environ | {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_TMPDIR": tempfile.mkdtemp(prefix="ray", dir="/tmp"),  # names of sockets must be short
        }
        self._nodes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Cluster:
        port = self.address.partition(":")[2]
        self.add_node("--head", f"--port={port}", "--include-dashboard=false")
        return self

    def add_node(self, *arguments: str) -> None:
        """Start the head, or without arguments another node, and wait until it answers."""
        where = arguments or (f"--address={self.address}",)
        command = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", "--block", *where]
        command += ["--node-ip-address=127.0.0.1", "--num-cpus=1", "--memory=3000000000"]
        command += ["--object-store-memory=80000000"]
        nowhere = subprocess.DEVNULL
        self._nodes.append(subprocess.Popen(command, env=self.environment, stdout=nowhere, stderr=nowhere))
        self._wait_for(len(self._nodes))

    def _wait_for(self, nodes: int) -> None:
        code = "import ray, sys; ray.init(sys.argv[1], _node_ip_address='127.0.0.1', logging_level='ERROR')\n"
        code += "print(sum(node['Alive'] for node in ray.nodes()))"
        end = time.monotonic() + 120
        while time.monotonic() < end:
            asked = [sys.executable, "-c", code, self.address]
            told = subprocess.run(asked, env=self.environment, capture_output=True, text=True, check=False).stdout
            if told.strip().endswith(str(nodes)):
                return
        raise TimeoutError("the cluster does not come up")

    def lose(self, node: int) -> None:
        """Kill everything of a node at once, as when its plug is pulled."""
        whole = psutil.Process(self._nodes[node].pid)
        for process in (whole, *whole.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self._nodes[node].wait()

    def __exit__(self, *_: object) -> None:
        for node in reversed(range(len(self._nodes))):
            if self._nodes[node].poll() is None:
                self.lose(node)
        shutil.rmtree(self.environment["RAY_TMPDIR"], ignore_errors=True)
