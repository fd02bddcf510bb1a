"""How often the steps of made documents are read word by word: all of tests/core/texts/people, or a set by its name.

    python -m benchmarks.text_steps [six_] [seven_everyday]

Reads with the saffa that is installed or first in PYTHONPATH, so that an older one can be measured on newer documents:

    git worktree add ../before 925155a
    PYTHONPATH=../before/src python -m benchmarks.text_steps six_
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from saffa.core.document import Document
from saffa.core.errors import SaffaError

FOLDER = Path(__file__).parents[1] / "tests/core/texts/people"
Step = str | list[str]
"""The words of a step, or its sentences where it has several."""


def sentences(step: Step) -> list[str]:
    """The sentences of a step."""
    return [step] if isinstance(step, str) else step


def exact_steps(wanted: Sequence[Step], read: Sequence[str]) -> int:
    """How many of the steps were read word by word and in order: each as one sentence or as those that it has."""
    found, place = 0, 0
    for step in wanted:
        words = " ".join(sentences(step))
        start = next((at for at in range(place, len(read)) if _ends_at(words, read, at)), None)
        if start is not None:
            found, place = found + 1, _ends_at(words, read, start)
    return found


def _ends_at(words: str, read: Sequence[str], start: int) -> int:
    """Behind which sentence the words end that begin with the one at `start`; 0 if they do not."""
    joined = ""
    for at in range(start, len(read)):
        joined = f"{joined} {read[at]}".strip()
        if joined == words:
            return at + 1
        if not words.startswith(joined):
            return 0
    return 0


def read_document(path: Path) -> tuple[str, ...]:
    """The sentences that are read from a document, none if it is refused."""
    try:
        return Document.from_file(path).sentences
    except SaffaError:
        return ()


def main() -> None:
    """Print a line for each set of documents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=[""], help="beginnings of file names; default: all documents")
    documents: dict[str, list[Step]] = json.loads((FOLDER / "steps.json").read_text("utf-8"))
    for beginning in parser.parse_args().sets:
        names = [name for name in documents if name.startswith(beginning)]
        read = {name: read_document(FOLDER / name) for name in names}
        whole = sum([s for step in documents[n] for s in sentences(step)] == list(read[n]) for n in names)
        steps = sum(len(documents[name]) for name in names)
        exact = sum(exact_steps(documents[name], read[name]) for name in names)
        print(
            f"{beginning or 'all'}: {whole} of {len(names)} documents without fault ({whole / len(names):.1%}), "
            f"{exact} of {steps} steps word by word ({exact / steps:.1%})"
        )


if __name__ == "__main__":
    main()
