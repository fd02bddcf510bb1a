"""COIN's domains: each at FFNet's speed, then all videos as one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from saffa.research.evaluation.kept_runs import Run
from saffa.research.evaluation.metrics import Scores
from saffa.research.evaluation.protocol import COIN, Bench
from saffa.research.reproduce.context import Context, Measured, by_domain, guided
from tests.research.small_data import write_small_data

DISH = replace(COIN, domain="Dish", short="coin-D")
VEHICLE = replace(COIN, domain="Vehicle", short="coin-V")
SPEEDS = {"Dish": 9.4, "Vehicle": 0.2}


@dataclass(frozen=True, eq=False)
class Told(Context):
    """FFNet goes at a speed of its own in each domain, others meet the target."""

    def measure(self, bench: Bench, speed: float, methods: Sequence[str] | None = None) -> list[Measured]:
        found = []
        for method in methods or self.methods:
            if method == "saffa-published" and bench.domain == "Vehicle":
                found.append(Measured(method, absent="not trained"))
                continue
            own = SPEEDS[str(bench.domain)] if method == "ffnet" else speed
            scores = {f"{bench.short}-video": Scores(50, 10, 20, own, 0.5)}
            found.append(Measured(method, (Run(method, None, speed, scores, 0.1),)))
        return found


@pytest.mark.parametrize("methods", [("uniform",), ("uniform", "ffnet")])
def test_ffnet_sets_the_target_also_where_it_has_no_row(methods: tuple[str, ...], tmp_path: Path) -> None:
    context = Told(write_small_data(tmp_path / "data"), tmp_path, methods)
    assert guided(context, DISH).speed == 9
    assert guided(context, VEHICLE).speed == 1  # never slower than the source
    ((bench, measured),) = by_domain(context, [DISH], lambda one: context.measure(one, one.speed)).parts
    assert bench.label == "coin (Dish), testing, 9×"
    assert [one.method for one in measured] == list(methods)


def test_a_domain_without_ffnet_keeps_the_usual_target(tmp_path: Path) -> None:
    assert guided(Context(write_small_data(tmp_path / "data"), tmp_path), DISH).speed == COIN.speed


def test_domains_are_joined_where_all_have_the_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = Told(write_small_data(tmp_path / "data"), tmp_path, ("uniform", "saffa-published"))
    monkeypatch.setattr(Told, "material", lambda self, _: Context.material(self, DISH))  # Vehicle has no video
    found = by_domain(context, [DISH, VEHICLE], lambda one: context.measure(one, one.speed))
    uniform, saffa = found.joined
    assert set(uniform.per_video()) == {"coin-D-video", "coin-V-video"}
    assert saffa.absent == "not trained"
    assert (found.whole.domain, found.whole.speed, found.whole.short) == (None, 5, "coin")
