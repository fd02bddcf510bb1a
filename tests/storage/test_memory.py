"""Freed memory goes back to the system."""

import sys
from pathlib import Path

import pytest

from saffa.encoders.visual.frame_features import give_back_memory


def resident() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1])


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone hands it back")
def test_what_is_free_is_given_back() -> None:
    pieces = [bytes(1 << 16) for _ in range(2000)]
    kept = pieces[1::2]  # between holes, so that nothing goes back by itself
    del pieces
    before = resident()
    give_back_memory()
    assert resident() < before - 5000  # pages; 16,000 are free
    assert len(kept) == 1000
