"""The agents of the ablation: those trained here, else those that come with saffa."""

from pathlib import Path

import pytest

from saffa.methods.paper.loading import load_agent
from saffa.research.evaluation.protocol import Bench
from saffa.research.evaluation.variants import duration, facts_of, videos
from saffa.research.reproduce.ablation import STATES, VARIANTS, agents_of
from saffa.research.reproduce.context import Context
from saffa.storage.models import RUN_AGENT, shipped_models


def bench_named(context: Context, short: str) -> Bench:
    return next(bench for bench in context.all_benches if bench.short == short)


@pytest.mark.parametrize("short", sorted({model.path.parent.name for model in shipped_models(f"{VARIANTS}/*/*")}))
@pytest.mark.parametrize(("skip", "position"), STATES)
def test_shipped_agents_see_what_their_row_says(tmp_path: Path, short: str, skip: bool, position: bool) -> None:
    context = Context(tmp_path, tmp_path)
    bench = bench_named(context, short)
    found = agents_of(context, bench, skip, position)
    assert list(found) == [0, 1, 2]
    for seed, folder in found.items():
        agent, facts = load_agent(folder), facts_of(folder)
        assert (agent.observation.skip, agent.observation.position) == (skip, position)
        assert agent.traits.encoder == bench.encoder
        assert (facts["seed"], duration(facts), videos(facts)) == (seed, "30 epochs", 600)
        assert ("--no-skip" in facts["command"], "--no-position" in facts["command"]) == (not skip, not position)


def test_agents_that_were_trained_here_come_first(tmp_path: Path) -> None:
    context = Context(tmp_path, tmp_path)
    bench = bench_named(context, "msvd-vdan-plus")
    shipped = agents_of(context, bench, skip=True, position=False)
    own = context.agents / VARIANTS / bench.short / "sa1-nrpe0-1" / RUN_AGENT
    own.mkdir(parents=True)
    for file in shipped[1].iterdir():
        (own / file.name).write_bytes(file.read_bytes())
    assert agents_of(context, bench, skip=True, position=False) == {1: own}
