"""Change one operator, comparison or number of the core at a time, and see whether its tests fail.

    python -m tests.mutation [--count 60] [--seed 0] [--log mutation.jsonl]

The changes come from cosmic-ray, drawn by `--seed`, in a copy of this repository. With `--log` a run that was stopped
goes on where it was. Survivors that no test can tell from the original stand in `equivalent.txt` with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

REPOSITORY = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
TESTS = {
    "core/corrections.py": "tests/core/test_corrections.py tests/core/test_timeline.py tests/methods/test_corrected.py",
    "core/document.py": "tests/core/test_document.py tests/core/test_read_document.py",
    "core/segments.py": "tests/core/test_segments.py",
    "core/timeline.py": "tests/core/test_splice.py tests/core/test_timemap.py tests/core/test_timeline.py "
    "tests/core/test_segments.py",
    "media/sound/track.py": "tests/media/sound/test_splicing.py tests/media/sound/test_track.py "
    "tests/media/sound/test_sound_tracks.py",
    "media/sound/wsola.py": "tests/media/sound/test_wsola.py",
    "media/subtitles/retiming.py": "tests/media/subtitles/test_screen_time.py tests/media/subtitles/test_retiming.py",
    "methods/dynamics.py": "tests/methods/test_dynamics.py tests/methods/test_ramps.py "
    "tests/methods/planner/test_search.py",
    "methods/planner/bounds.py": "tests/methods/planner/test_bounds.py tests/methods/test_corrected.py",
    "methods/planner/bridge.py": "tests/methods/planner/test_bridge.py tests/methods/planner/test_search.py",
    "methods/planner/kernels.py": "tests/methods/planner/test_search.py tests/methods/planner/test_bridge.py",
    "methods/planner/moments.py": "tests/methods/planner/test_moment_options.py tests/methods/planner/test_moments.py "
    "tests/methods/planner/test_whole_lines.py",
    "methods/planner/plan.py": "tests/methods/planner/test_balance.py tests/methods/planner/test_plan.py "
    "tests/methods/planner/test_whole_lines.py",
    "methods/planner/search.py": "tests/methods/planner/test_price_guess.py tests/methods/planner/test_search.py "
    "tests/methods/test_corrected.py",
    "research/evaluation/metrics.py": "tests/research/evaluation/test_metrics.py",
}
"""The tests of each file, the one that most likely notices first."""
KINDS = ("core/ReplaceBinaryOperator_", "core/ReplaceComparisonOperator_", "core/NumberReplacer")
WANTED = 0.85
SECONDS = 900


@dataclass(frozen=True)
class Mutant:
    """One changed line of a source file."""

    file: str
    line: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """What names this change in `equivalent.txt`, whatever its line number is by now."""
        return f"{self.file}: {self.before} -> {self.after}"


def places(file: str) -> Iterator[tuple[str, int, str, int]]:
    """Every place where one operator, comparison or number can change: file, line, name of the change, which one."""
    tree = get_ast((REPOSITORY / "src" / "saffa" / file).read_text("utf-8"))
    nodes = list(ast_nodes(tree))
    for name in operator_names():
        if name.startswith(KINDS) and "BitOr" not in name:  # `int | None` is no arithmetic
            operator = get_operator(name)()
            found = (position for node in nodes for position in operator.mutation_positions(node))
            for occurrence, ((line, _), _) in enumerate(found):
                yield file, line, name, occurrence


def mutated(file: str, name: str, occurrence: int) -> tuple[Mutant, str]:
    """One change, and the changed file."""
    code = (REPOSITORY / "src" / "saffa" / file).read_text("utf-8")
    changed = mutate_code(code, get_operator(name)(), occurrence)
    if changed is None:
        raise ValueError(f"{file} has no place {occurrence} for {name}")
    return _difference(file, code, changed), changed


def _difference(file: str, code: str, changed: str) -> Mutant:
    pairs = enumerate(zip(code.splitlines(), changed.splitlines(), strict=True), 1)
    line, (before, after) = next((line, pair) for line, pair in pairs if pair[0] != pair[1])
    return Mutant(file, line, before.strip(), after.strip())


def survives(mutant: Mutant, changed: str, copy: Path) -> bool:
    """Whether all tests of the file pass with the change; tests that hang have noticed it."""
    path = copy / "src" / "saffa" / mutant.file
    original = path.read_text("utf-8")
    path.write_text(changed, "utf-8")
    try:
        return passes(TESTS[mutant.file].split(), copy)
    except subprocess.TimeoutExpired:
        return False
    finally:
        path.write_text(original, "utf-8")


def passes(tests: Sequence[str], copy: Path) -> bool:
    """Whether these tests pass in the copy; the first failure ends them, and nobody looks for a smaller example."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=mutation"]
    environment = os.environ | {
        "PYTHONPATH": str(copy / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(copy / "numba"),
    }
    done = subprocess.run(
        [*command, *tests], cwd=copy, env=environment, capture_output=True, timeout=SECONDS, check=False
    )
    return done.returncode == 0


def run(count: int, seed: int, log: Path | None) -> int:
    """Try a sample of all changes; exit code 1 if too many survive."""
    by_line = defaultdict(list)
    for file, line, name, occurrence in chain.from_iterable(map(places, TESTS)):
        by_line[file, line].append((file, name, occurrence))
    draw = random.Random(seed)
    drawn = [draw.choice(by_line[line]) for line in draw.sample(sorted(by_line), min(count, len(by_line)))]
    known = {} if log is None or not log.exists() else dict(map(_entry, log.read_text("utf-8").splitlines()))
    equivalent = {line.partition("  #")[0] for line in EQUIVALENT.read_text("utf-8").splitlines()}
    outcomes = dict[str, bool]()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(REPOSITORY, copy, ignore=shutil.ignore_patterns(".*", "packages", "report", "__pycache__"))
        tests = dict.fromkeys(chain.from_iterable(TESTS[file].split() for file, _, _ in drawn))
        if not passes(list(tests), copy):  # or every change would seem to be noticed
            print("The tests fail without any change: run them first.")
            return 2
        for number, place in enumerate(drawn, 1):
            mutant, changed = mutated(*place)
            if mutant.key in equivalent:
                continue
            outcomes[mutant.key] = known[mutant.key] if mutant.key in known else survives(mutant, changed, copy)
            if log is not None and mutant.key not in known:
                with log.open("a", encoding="utf-8") as kept:
                    kept.write(json.dumps({"mutant": asdict(mutant), "survived": outcomes[mutant.key]}) + "\n")
            if outcomes[mutant.key]:
                print(
                    f"{number}: survived {mutant.file}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}",
                    flush=True,
                )
    killed = len(outcomes) - sum(outcomes.values())
    print(f"{killed} of {len(outcomes)} changes noticed ({len(by_line)} lines can be changed, seed {seed})")
    return int(killed < WANTED * len(outcomes))


def _entry(line: str) -> tuple[str, bool]:
    entry = json.loads(line)
    return Mutant(**entry["mutant"]).key, bool(entry["survived"])


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path)
    chosen = parser.parse_args(arguments)
    return run(chosen.count, chosen.seed, chosen.log)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
