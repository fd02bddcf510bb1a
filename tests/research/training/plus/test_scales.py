from pathlib import Path

import pytest

from saffa.methods.plus.plus import shipped_agent
from saffa.research.training.plus.scales import visual_scales


@pytest.mark.slow
def test_the_shipped_scales_are_those_of_the_shipped_encoder(shared_data: Path) -> None:
    """A new visual model needs new scales: `python -m saffa.research.training.plus.training`."""
    found, shipped = visual_scales(shared_data, videos=6), shipped_agent().priors
    for name, scale in found.items():
        assert scale.place == shipped[name].place
        assert scale.mean == pytest.approx(shipped[name].mean, abs=0.08)
        assert scale.deviation == pytest.approx(shipped[name].deviation, rel=0.25)
