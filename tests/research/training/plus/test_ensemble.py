from pathlib import Path

import numpy as np
import pytest

from saffa.methods.plus.memory import INPUTS
from saffa.methods.plus.moves import Network, scores_of
from saffa.research.training.plus.ensemble import keep_member, kept_member, merged


def network(seed: int, hidden: int = 8) -> Network:
    random = np.random.default_rng(seed)
    shapes = ((INPUTS, hidden), (hidden,), (hidden, hidden), (hidden,), (hidden, 3), (3,))
    return Network(*(random.normal(size=shape).astype(np.float32) for shape in shapes))


@pytest.mark.parametrize("widths", [(8,), (8, 8), (8, 5, 12)])
def test_the_scores_are_the_mean_of_the_members(widths: tuple[int, ...]) -> None:
    members = [network(k, width) for k, width in enumerate(widths)]
    inputs = np.random.default_rng(9).normal(size=INPUTS)
    wanted = np.mean([scores_of(member, inputs) for member in members], 0)
    np.testing.assert_allclose(scores_of(merged(members), inputs), wanted, rtol=2e-5, atol=1e-5)


def test_a_member_is_found_again_by_its_course(tmp_path: Path) -> None:
    path = tmp_path / "members" / "seed-0.safetensors"
    keep_member(network(1), "a course", path)
    found = kept_member("a course", path)
    assert found is not None
    assert all(np.array_equal(a, b) for a, b in zip(found, network(1), strict=True))
    assert kept_member("another", path) is None


def test_a_damaged_or_missing_member_is_none(tmp_path: Path) -> None:
    assert kept_member("x", tmp_path / "no.safetensors") is None
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(b"not a file of weights")
    assert kept_member("x", bad) is None
