from fractions import Fraction

import numpy as np
import pytest

from saffa.core.alignment import Alignment
from saffa.core.errors import InputError
from saffa.methods.base import Sampler
from saffa.methods.paper.agent import Agent, Traits
from saffa.methods.paper.observation import Observation
from saffa.methods.paper.rollouts import rollout
from saffa.methods.paper.saffa import Saffa, SffRl
from saffa.research.training.saffa.networks import PublishedNetworks
from saffa.research.training.saffa.presets import SFF_RL
from tests.methods.videos import embeddings


def alignment(frames: int, width: int = 8) -> Alignment:
    pairs = embeddings(frames, width)
    return Alignment(
        times=(np.arange(frames) / 25).astype(np.float32),
        e_v=pairs[:, width:],
        e_d=pairs[:, :width],
        relevance=np.zeros(frames, np.float32),
        sentence_weights=np.ones((frames, 1), np.float32),
        document=("stir",),
        frames=frames,
        rate=Fraction(25),
        encoder="toy",
    )


def saffa() -> Agent:
    return PublishedNetworks.seeded(Traits(Observation(16), encoder="narrated"), 0).agent("mine")


def sff_rl() -> Agent:
    return PublishedNetworks.seeded(SFF_RL.traits(16), 0).agent("theirs")


@pytest.mark.parametrize(("sampler", "name"), [(Saffa(saffa()), "saffa-published"), (SffRl(sff_rl()), "sff-rl")])
def test_selections_begin_with_frame_0(sampler: Sampler, name: str) -> None:
    chosen = sampler.select(alignment(500), 9.5)
    assert (sampler.name, sampler.reads_text, chosen.method) == (name, True, name)
    assert (chosen.frames[0], chosen.target_speed, chosen.source_frames) == (0, 9.5, 500)


def test_the_rest_is_the_rollout() -> None:
    pairs = embeddings(500, 8)
    want = rollout(saffa(), pairs, 9.5).selected
    np.testing.assert_array_equal(Saffa(saffa()).select(alignment(500), 9.5).frames[1:], want)
    assert want[-1] == 499


@pytest.mark.parametrize("frames", [1, 2])
def test_tiny_videos(frames: int) -> None:
    assert Saffa(saffa()).select(alignment(frames), 8).frames.tolist() == list(range(frames))
    assert SffRl(sff_rl()).select(alignment(frames), 8).frames.tolist() == [0]


def test_refuses_embeddings_of_another_encoder() -> None:
    with pytest.raises(InputError, match=r"width 8, but these have 12.*encoder narrated"):
        Saffa(saffa()).select(alignment(50, 12), 8)


def test_refuses_an_agent_of_the_other_kind() -> None:
    with pytest.raises(InputError, match="sff-rl, not for saffa"):
        Saffa(sff_rl())
    with pytest.raises(InputError, match="saffa, not for sff-rl"):
        SffRl(saffa())
