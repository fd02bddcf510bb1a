from dataclasses import replace
from pathlib import Path

import numpy as np

from saffa.methods.plus.moves import Curve
from saffa.methods.plus.plus import PlusAgent, walk
from saffa.research.training.plus.curves import School, curve_of, prior_of
from saffa.research.training.plus.rewards import Chance, relevance_of
from saffa.research.training.plus.training import Course, Teacher, save, teach, teach_all
from tests.methods.plus.test_saffa_plus import hills

SHORT = Course(
    videos=3, rounds=2, walks=2, visits=40, steps=(60, 60), probe_rounds=1, probes=5, probe_steps=20, hidden=16
)


def school(videos: int = 3) -> School:
    curves = tuple(curve_of(hills(40 + 10 * k)) for k in range(videos))
    return School("toy", curves, prior_of(curves))


def test_a_curve_reads_relevance_and_the_place_in_the_text() -> None:
    alignment = hills(60)
    curve = curve_of(alignment)
    np.testing.assert_allclose(curve.relevance, alignment.relevance)
    assert curve.progress.min() >= 0
    assert curve.progress.max() <= 1


def test_the_same_seed_gives_the_same_weights() -> None:
    one, two = teach([school()], SHORT), teach([school()], SHORT)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_rounds_of_own_walks_are_averaged() -> None:
    """Inertia 1 keeps the first settled round, 0 the last one; between, the weights lie between."""
    first = teach([school()], SHORT)  # one round
    kept, last, mean = (
        teach([school()], replace(SHORT, probe_rounds=2, settled=0, inertia=inertia)) for inertia in (1.0, 0.0, 0.5)
    )
    for a, b, c, d in zip(first, kept, last, mean, strict=True):
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(b, c)
        np.testing.assert_allclose(d, (b + c) / 2, rtol=1e-5, atol=1e-6)


def test_a_large_school_sends_only_some_of_its_videos() -> None:
    course = replace(SHORT, videos=4)
    small, large = (list(Teacher(course, [])._drawn(school(count))) for count in (2, 9))
    assert sorted(curve.frames for curve in small) == sorted(curve.frames for curve in school(2).curves)
    assert len({curve.frames for curve in large}) == 4  # none twice


def test_a_trained_folder_can_be_used(tmp_path: Path) -> None:
    group = school(1)
    save(teach([group], SHORT), [group], SHORT, [0], tmp_path / "out")
    agent = PlusAgent.load(tmp_path / "out")
    assert set(agent.priors) == {"toy"}
    assert len(walk(agent, lambda t: (t % 5, 0.0), 1000, 25.0, 10, "toy")) == 100


def test_an_encoder_may_have_a_network_of_its_own(tmp_path: Path) -> None:
    group = school(1)
    general, own = teach([group], SHORT), teach([group], replace(SHORT, seed=1))
    save(general, [group], SHORT, [0], tmp_path / "out", own={"toy": own})
    agent = PlusAgent.load(tmp_path / "out")
    for encoder, network in (("toy", own), ("other", general)):
        for a, b in zip(agent.network_for(encoder), network, strict=True):
            np.testing.assert_array_equal(a, b)
    only = PlusAgent(general, agent.priors)
    seen = curve_of(hills(90))
    walks = [
        walk(a, lambda t: (seen.relevance[int(t)], 0.0), 2000, 25.0, 4, name).tolist()
        for a, name in ((agent, "toy"), (only, "toy"), (agent, "other"), (only, "other"))
    ]
    assert walks[0] != walks[1]
    assert walks[2] == walks[3]


def test_finished_members_are_not_taught_again(tmp_path: Path) -> None:
    group = school(1)
    first = teach_all([group], SHORT, [0, 1], tmp_path)
    kept = tmp_path / "seed-0.safetensors"
    before = kept.stat().st_mtime_ns
    again = teach_all([group], SHORT, [0, 1], tmp_path)
    assert kept.stat().st_mtime_ns == before
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def test_members_of_another_course_are_taught_again(tmp_path: Path) -> None:
    group = school(1)
    teach_all([group], SHORT, [0], tmp_path)
    before = (tmp_path / "seed-0.safetensors").read_bytes()
    teach_all([group], replace(SHORT, hold=2), [0], tmp_path)
    assert (tmp_path / "seed-0.safetensors").read_bytes() != before


def test_members_of_other_videos_are_taught_again(tmp_path: Path) -> None:
    group = school(1)
    teach_all([group], SHORT, [0], tmp_path)
    before = (tmp_path / "seed-0.safetensors").read_bytes()
    louder = tuple(curve._replace(relevance=2 * curve.relevance) for curve in group.curves)
    teach_all([School("toy", louder, prior_of(louder))], SHORT, [0], tmp_path)
    assert (tmp_path / "seed-0.safetensors").read_bytes() != before


def test_members_that_were_paid_otherwise_are_taught_again(tmp_path: Path) -> None:
    group = school(1)
    teach_all([group], SHORT, [0], tmp_path)
    before = (tmp_path / "seed-0.safetensors").read_bytes()
    teach_all([replace(group, reward=Chance())], SHORT, [0], tmp_path)
    assert (tmp_path / "seed-0.safetensors").read_bytes() != before


def test_it_learns_to_slow_down_on_hills() -> None:
    """One hill at random places: what is earned beats even spacing after a short course."""
    random = np.random.default_rng(0)

    def hill() -> Curve:
        times = np.arange(120.0)
        centre = random.uniform(20, 100)
        return Curve(times, np.exp(-0.5 * ((times - centre) / 12) ** 2), times / 120, 5, 3600, 30.0)

    curves = tuple(hill() for _ in range(12))
    group = School("toy", curves, prior_of(curves))
    course = Course(videos=12, rounds=3, walks=2, visits=150, steps=(300, 600), probe_rounds=0, hidden=32)
    agent = PlusAgent(teach([group], course), {"toy": group.prior})
    gains = []
    for _ in range(6):
        curve = hill()
        chosen = walk(agent, lambda t, c=curve: (c.relevance[int(t)], 0.0), 3600, 30.0, 12, "toy", 5)  # type: ignore[misc]
        relevance = relevance_of(curve)
        gains.append((relevance[chosen].mean() - relevance.mean()) / relevance.std())
    assert np.mean(gains) > 0.3
