import numpy as np
import pytest

from saffa.methods.plus.memory import COUNT, INPUTS, SUM, fresh_memory, look, write_relevance


def seen(values: list[float], mean: float = 0.5, deviation: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    memory = fresh_memory(300.0, mean, deviation, 5)
    for value in values:
        look(memory, value, 0.5)
    inputs = np.zeros(INPUTS)
    write_relevance(memory, values[-1], inputs)
    return memory.slots, inputs


def test_sums_and_order() -> None:
    memory = fresh_memory(300.0, 0.5, 0.2, 5)
    for value in (0.4, 0.1, 0.9):
        look(memory, value, 0.0)
    assert memory.slots[COUNT] == 3
    assert memory.slots[SUM] == pytest.approx(1.4)
    np.testing.assert_allclose(memory.ordered[:3], [0.1, 0.4, 0.9])


def test_relevance_is_told_in_running_deviations() -> None:
    values = [0.0, 1.0] * 20
    _, inputs = seen(values)
    assert inputs[0] == pytest.approx(1.0)  # now: one deviation above the mean
    assert inputs[6] == pytest.approx(-1.0)
    assert inputs[7] == pytest.approx(1.0)
    assert inputs[13] == pytest.approx(-1.0)  # one look ago
    assert inputs[14] == pytest.approx(1.0)  # two looks ago


def test_a_known_scale_is_told_and_a_strangers_is_not() -> None:
    _, known = seen([0.7] * 9)
    assert known[23] == pytest.approx((0.7 - 0.5) / 0.2)
    assert known[27] == 1.0
    _, stranger = seen([0.7] * 9, 0.0, 0.0)
    assert not stranger[22:29].any()


def test_a_video_longer_than_was_told_is_no_fault() -> None:
    memory = fresh_memory(2.0, 0.5, 0.2, 5)
    for k in range(500):
        look(memory, k / 500, 0.5)
    inputs = np.zeros(INPUTS)
    write_relevance(memory, 1.0, inputs)
    assert np.isfinite(inputs).all()
