"""FFNet learns what it should, and goes on exactly where it stopped."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from saffa.core.errors import InputError  # noqa: E402
from saffa.research.training.ffnet import (  # noqa: E402
    FfnetSettings,
    JumpLearner,
    LabelledCourse,
    LabelledVideo,
    train_ffnet,
)


def videos(count: int, seed: int = 0) -> list[LabelledVideo]:
    """Rows that tell their label by their first number, among noise; a row for every ten frames."""
    random = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        labels = np.repeat(random.random(8) < 0.5, 5)
        rows = random.standard_normal((40, 6))
        rows[:, 0] = np.where(labels, 3, -3)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        place = np.repeat(np.arange(40), 10)
        made.append(LabelledVideo(rows.astype(np.float32), place, labels[place]))
    return made


def test_it_learns_to_stay_where_it_matters() -> None:
    learner = JumpLearner(LabelledCourse(videos(20)), FfnetSettings(batches=300, lr=1e-3))
    while learner.batch < 300:
        learner.step()
    network = learner.q_network("made")
    unseen = videos(5, seed=9)
    jumps: dict[bool, list[int]] = {True: [], False: []}
    for video in unseen:
        best = network(video.rows).argmax(1) + 1
        for row, jump in enumerate(best.tolist()):
            jumps[bool(video.labels[row * 10])].append(jump)
    assert np.mean(jumps[True]) < 0.5 * np.mean(jumps[False])
    kept = np.mean([v.labels[network.walk(v.rows, v.row_of_frame)].mean() for v in unseen])
    assert kept > np.mean([v.labels.mean() for v in unseen]) + 0.2


def test_a_jump_past_the_end_lands_on_nothing() -> None:
    one = LabelledVideo(np.ones((1, 2), np.float32), np.zeros(10, np.int64), np.ones(10, bool))
    course = LabelledCourse([one, one])
    reward = course.rewards(np.array([8, 8]), np.array([9, 12]), np.array([10, 10]))
    assert reward[0] == pytest.approx(0.3989 + 0.2420 + 0.0540 + 0.0044 + 0.0001)
    assert reward[1] == pytest.approx(-1 / 25)  # frame 9 was jumped over; the next video is not touched


def test_features_and_labels_of_several_videos_stay_apart() -> None:
    first, second = videos(2)
    course = LabelledCourse([first, second])
    frame = 400 + 57
    np.testing.assert_allclose(course.features(np.array([frame]))[0].numpy(), second.rows[5] * np.sqrt(6), rtol=1e-6)


def test_chance_of_exploring_falls_to_its_floor() -> None:
    settings = FfnetSettings(batches=1000)
    assert settings.epsilon(0) == 1
    assert settings.epsilon(375) == pytest.approx(0.55)
    assert settings.epsilon(750) == settings.epsilon(999) == pytest.approx(0.1)


def test_resuming_changes_nothing(tmp_path: Path) -> None:
    settings = FfnetSettings(batches=30)
    whole = JumpLearner(LabelledCourse(videos(5)), settings)
    for _ in range(30):
        whole.step()
    half = JumpLearner(LabelledCourse(videos(5)), settings)
    for _ in range(13):
        half.step()
    half.save(tmp_path / "half.pt")
    rest = JumpLearner(LabelledCourse(videos(5)), settings)
    rest.restore(tmp_path / "half.pt")
    while rest.batch < 30:
        rest.step()
    for a, b in zip(whole.q_network("").weights, rest.q_network("").weights, strict=True):
        np.testing.assert_array_equal(a, b)
    other = JumpLearner(LabelledCourse(videos(5)), FfnetSettings(batches=31))
    with pytest.raises(InputError, match="other settings"):
        other.restore(tmp_path / "half.pt")


def test_a_run_leaves_log_checkpoint_and_model(tmp_path: Path) -> None:
    train_ffnet(videos(3), tmp_path / "run", FfnetSettings(batches=5), encoder="made")
    assert (tmp_path / "run" / "agent" / "model.json").is_file()
    assert len((tmp_path / "run" / "log.jsonl").read_text().splitlines()) == 1
    with pytest.raises(InputError, match="--resume"):
        train_ffnet(videos(3), tmp_path / "run", FfnetSettings(batches=5))
    train_ffnet(videos(3), tmp_path / "run", FfnetSettings(batches=5), resume=True)
    with pytest.raises(InputError, match="no videos"):
        train_ffnet([], tmp_path / "none")
