"""How long the exact planner takes: a 5-minute video and a 6-hour one, with peak memory.

    python -m benchmarks.planner_speed

Each case runs in a process of its own, after one small plan that loads the compiled code.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence

CASES = ((9_000, 12.0), (9_000, 2.5), (9_000, 40.0), (108_000, 12.0), (648_000, 12.0))


def measure(frames: int, speed: float) -> dict[str, float]:
    import numpy as np  # noqa: PLC0415

    from saffa.methods.dynamics import Dynamics  # noqa: PLC0415
    from saffa.methods.planner.search import Planner  # noqa: PLC0415

    values = np.random.default_rng(0).standard_normal(frames // 300 + 2)
    reward = np.interp(np.arange(frames) / 300, np.arange(len(values)), values)
    dynamics = Dynamics.for_speed(speed)
    Planner(reward[:600], speed, dynamics).select(round(600 / speed))
    began = time.perf_counter()
    selected = Planner(reward, speed, dynamics).select(round(frames / speed))
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "megabytes": peak, "off": len(selected) - round(frames / speed)}


def main(arguments: Sequence[str]) -> None:
    if arguments:
        print(json.dumps(measure(int(arguments[0]), float(arguments[1]))))
        return
    print("| frames | speed | seconds | share of the video's length | frames off | peak MB |")
    print("|---|---|---|---|---|---|")
    for frames, speed in CASES:
        command = [sys.executable, "-m", "benchmarks.planner_speed", str(frames), str(speed)]
        m = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        share = m["seconds"] / (frames / 30)
        print(f"| {frames:,} | {speed:g}× | {m['seconds']:.2f} | {share:.2%} | {m['off']} | {m['megabytes']:.0f} |")


if __name__ == "__main__":
    main(sys.argv[1:])
