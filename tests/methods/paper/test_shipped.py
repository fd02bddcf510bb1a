"""Which shipped agent a method takes when none is named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import saffa
from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.methods.paper.agent import Method
from saffa.methods.paper.saffa import shipped_agent


def alignment(encoder: str, width: int) -> Alignment:
    random = np.random.default_rng(1)
    e_d, e_v = random.normal(size=(2, 40, width)).astype(np.float32)
    return Alignment(
        times=np.arange(40, dtype=np.float32),
        e_v=e_v,
        e_d=e_d,
        relevance=random.random(40).astype(np.float32),
        sentence_weights=np.ones((40, 1), np.float32),
        document=("stir",),
        frames=1000,
        rate=Fraction(25),
        encoder=encoder,
    )


@pytest.mark.parametrize(
    ("method", "encoder", "name"),
    [
        ("saffa", "narrated", "saffa-narrated"),
        ("saffa", "narrated-live", "saffa-narrated"),
        ("saffa", "msvd-plus", "saffa-msvd-long"),
        ("saffa", "vdan-plus-msvd", "saffa-msvd-vdan-plus"),
        ("sff-rl", "narrated", "sff-rl-narrated"),
        ("sff-rl", "msvd-plus", "sff-rl-msvd-long"),
        ("sff-rl", "vdan-msvd", "sff-rl-msvd-vdan"),
    ],
)
def test_it_is_the_first_seed_of_that_encoder(method: Method, encoder: str, name: str) -> None:
    agent = shipped_agent(method, encoder)
    assert agent.name == name
    assert agent.traits.method == method


@pytest.mark.parametrize("method", ["saffa", "sff-rl"])
def test_select_needs_no_agent(method: Method) -> None:
    seen = alignment("narrated", shipped_agent(method, "narrated").observation.embedding // 2)
    name = "saffa-published" if method == "saffa" else method
    own = saffa.select(seen, speed=8, method=name)
    named = saffa.select(seen, speed=8, method=method, agent=f"{method}-narrated")
    assert own.method == named.method == name
    assert own.frames.tolist() == named.frames.tolist()


def test_an_encoder_without_agents_is_told_who_has_one() -> None:
    seen = replace(alignment("narrated", 4), encoder="visual")
    with pytest.raises(InputError, match=r"encoders .*narrated.*, not for visual.*--method saffa.*--agent"):
        saffa.select(seen, speed=8, method="saffa-published")
