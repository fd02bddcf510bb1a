"""A few disturbances of every kind; `make faults` has more."""

from pathlib import Path

import pytest

from tests.faults.__main__ import SHARE, run
from tests.faults.scene import Ended


def test_what_counts_as_a_fault() -> None:
    assert Ended(1, "saffa: warning: a\nsaffa: The disk is full.\n", {}).faults([0, 1]) == []
    for ended in (Ended(-9, "", {}), Ended(1, "", {}), Ended(1, "a\nb\n", {}), Ended(0, "", {".o.part.mp4": ""})):
        assert len(ended.faults([0, 1])) == 1
    assert len(Ended(1, "saffa: IndexError: x (set SAFFA_DEBUG=1 to see where)", {}).faults([0, 1])) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHARE)
def test_no_fault_in_a_few_cases(kind: str, tmp_path: Path) -> None:
    state = run(kind, 7, 4, tmp_path)
    if state.counts["skipped"]:
        pytest.skip("no disk can be mounted here")
    assert state.faults == []
