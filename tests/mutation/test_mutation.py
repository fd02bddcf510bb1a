"""The list of what is changed keeps up with the tree: a file that has moved would end the whole run."""

from __future__ import annotations

import pytest

from tests.mutation.__main__ import EQUIVALENT, REPOSITORY, TESTS

SOURCE = REPOSITORY / "src" / "saffa"


@pytest.mark.parametrize("file", TESTS)
def test_files_and_their_tests_are_there(file: str) -> None:
    assert (SOURCE / file).is_file()
    assert [name for name in TESTS[file].split() if not (REPOSITORY / name).is_file()] == []


@pytest.mark.parametrize("entry", EQUIVALENT.read_text("utf-8").splitlines())
def test_what_no_test_can_tell_is_still_in_its_file(entry: str) -> None:
    change, _, reason = entry.partition("  # ")
    file, _, before = change.partition(" -> ")[0].partition(": ")
    assert reason
    assert file in TESTS
    assert before in [line.strip() for line in (SOURCE / file).read_text("utf-8").splitlines()]
