"""The benchmarks of samplers time every method that has a limit, also where it costs most; no time is asserted."""

import pytest

from benchmarks import baseline_speed
from saffa.methods.registry import methods


def test_every_network_is_timed_where_it_stands_on_every_frame() -> None:
    made = baseline_speed.video(300, 1, 16)
    walking = {sampler.name: sampler for sampler in baseline_speed.networks(16)}
    assert set(walking) == {"ffnet", "sff-rl", "saffa-published"}
    for name in ("sff-rl", "saffa-published"):
        frames = walking[name].select(made, 12).frames
        assert len(frames) > 230  # all but those that the braking takes


def test_every_method_with_a_network_or_a_graph_has_a_limit() -> None:
    assert set(methods()) - set(baseline_speed.LIMITS) == {"uniform", "plan", "saffa+"}


def test_a_missed_limit_is_said_and_no_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(baseline_speed, "LIMITS", {"sff-rl": 1e-12, "saffa-published": 1e12})
    baseline_speed.rows("made", baseline_speed.video(120, 1, 16), baseline_speed.networks(16))
    verdicts = {line.split(" | ")[1]: line.split(" | ")[4] for line in capsys.readouterr().out.splitlines()}
    assert (verdicts["sff-rl"], verdicts["saffa-published"]) == ("NO", "yes")


def test_agents_of_both_methods_are_timed() -> None:
    pytest.importorskip("torch", reason="training needs saffa[train]")
    from benchmarks.agent_speed import SLOW, WALKS, WIDE  # noqa: PLC0415

    for method in ("saffa", "sff-rl"):
        assert (method, WIDE, 1, SLOW) in WALKS


@pytest.mark.parametrize(("limit", "kept"), [(1e-12, "NO, NO"), (1e12, "yes, yes")])
def test_a_step_is_set_beside_its_limit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], limit: float, kept: str
) -> None:
    pytest.importorskip("torch", reason="training needs saffa[train]")
    from benchmarks import agent_speed  # noqa: PLC0415

    monkeypatch.setattr(agent_speed, "VIDEOS", 2)
    monkeypatch.setattr(agent_speed, "LENGTHS", (60, 90))
    monkeypatch.setattr(agent_speed, "STEP_LIMIT", limit)
    monkeypatch.setattr(agent_speed, "WALKS", (("saffa", 16, 1, agent_speed.FRESH),))
    agent_speed.inference()
    _, _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split(" | ")[2] for row in rows] == ["2×", "5×", "12×", "20×"]
    assert {row.split(" | ")[6] for row in rows} == {kept}
