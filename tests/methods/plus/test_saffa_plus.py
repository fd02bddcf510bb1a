from fractions import Fraction

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.methods.base import load_sampler
from saffa.methods.plus.saffa_plus import SaffaPlus


def hills(seconds: int) -> Alignment:
    times = (np.arange(seconds) + 0.5).astype(np.float32)
    nothing = np.zeros((seconds, 2), np.float32)
    return Alignment(
        times=times,
        e_v=nothing,
        e_d=nothing,
        relevance=np.sin(times / 8).astype(np.float32),
        sentence_weights=np.ones((seconds, 1), np.float32),
        document=("stir",),
        frames=25 * seconds,
        rate=Fraction(25),
        encoder="toy",
    )


def test_it_is_a_sampler() -> None:
    sampler = load_sampler("saffa+")
    assert isinstance(sampler, SaffaPlus)
    chosen = sampler.select(hills(200), 9.5)
    assert (sampler.name, sampler.reads_text, chosen.method, chosen.target_speed) == ("saffa+", True, "saffa+", 9.5)
    assert len(chosen.frames) == round(5000 / 9.5)


def test_it_collects_more_than_even_spacing() -> None:
    video = hills(300)
    relevance = video.relevance_per_frame()
    even, chosen = (load_sampler(m).select(video, 12).frames for m in ("uniform", "saffa+"))
    assert relevance[chosen].mean() > relevance[even].mean() + 0.2


def test_bad_speeds_are_refused() -> None:
    with pytest.raises(InputError, match="speed"):
        SaffaPlus().select(hills(20), 0.5)
