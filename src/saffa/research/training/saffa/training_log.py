"""What a training run says while it goes: one JSON line per epoch, TensorBoard curves if wanted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saffa.core.errors import InputError
from saffa.core.strict_json import json_text
from saffa.core.whole_file import whole_file
from saffa.methods.dynamics import ACTIONS
from saffa.research.training.saffa.experience import Experience
from saffa.research.training.saffa.reinforce import Losses

LOG = "log.jsonl"


@dataclass(frozen=True)
class EpochFacts:
    """Means over an epoch's episodes, of sampled actions (not of the likeliest ones, which a user gets).

    `skip_error` is |average skip − S*|; `fit` is e_D·e_v over all selected frames.
    """

    epoch: int
    episodes: int
    steps: int
    reward: float
    fit: float
    skip_error: float
    accelerate: float
    nothing: float
    decelerate: float
    entropy: float
    policy_loss: float
    critic_loss: float
    seconds: float

    @property
    def finite(self) -> bool:
        """Whether the losses are numbers still."""
        return all(map(isfinite, (self.policy_loss, self.critic_loss, self.entropy)))

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


class Tally:
    """Sums that become `EpochFacts`; as one array, so that workers can add theirs."""

    def __init__(self) -> None:
        self.sums: NDArray[np.float64] = np.zeros(8 + len(ACTIONS))

    def add(self, episodes: Sequence[Experience], losses: Losses, batch: int) -> None:
        """Count the episodes of one update; `losses` are those of a batch of `batch`."""
        self.sums[:8] += (
            len(episodes),
            losses.steps,
            sum(float(e.rewards.sum()) for e in episodes),
            sum(float(e.track.fit_at(e.reached).sum()) for e in episodes),
            sum(abs(e.average_skip - e.speed) for e in episodes),
            losses.entropy * losses.steps,
            losses.policy * batch,
            losses.critic * batch,
        )
        for episode in episodes:
            self.sums[8:] += np.bincount(episode.actions, minlength=len(ACTIONS))

    def facts(self, epoch: int, seconds: float) -> EpochFacts:
        """The means."""
        episodes, steps, reward, fit, error, entropy, policy, critic, up, stay, down = self.sums.tolist()
        return EpochFacts(
            epoch=epoch,
            episodes=int(episodes),
            steps=int(steps),
            reward=reward / episodes,
            fit=fit / steps,
            skip_error=error / episodes,
            accelerate=up / steps,
            nothing=stay / steps,
            decelerate=down / steps,
            entropy=entropy / steps,
            policy_loss=policy / episodes,
            critic_loss=critic / episodes,
            seconds=seconds,
        )


class TrainingLog:
    """`log.jsonl` in the run's folder, and TensorBoard's event file beside it."""

    def __init__(self, folder: Path, epochs_done: int, tensorboard: bool) -> None:
        self.path = folder / LOG
        kept = self._lines_until(epochs_done) if epochs_done else []
        with whole_file(self.path) as part:
            part.write_text("".join(kept), "utf-8")
        self.board = summary_writer()(str(folder), purge_step=epochs_done + 1) if tensorboard else None

    def write(self, facts: EpochFacts) -> None:
        """Add an epoch."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json_text(facts.to_json(), indent=None) + "\n")
        if self.board is not None:
            for name, value in facts.to_json().items():
                self.board.add_scalar(name, value, facts.epoch)

    def close(self) -> None:
        """Flush the curves."""
        if self.board is not None:
            self.board.close()

    def _lines_until(self, epoch: int) -> list[str]:
        """What was logged up to the checkpoint; later lines belong to epochs that are done again."""
        return [json_text(facts, indent=None) + "\n" for facts in logged(self.path.parent) if facts["epoch"] <= epoch]


def logged(folder: Path) -> list[dict[str, Any]]:
    """The epochs in a run's log; none if it is not there. A last line that was broken off does not count."""
    path = folder / LOG
    lines = path.read_text("utf-8", errors="replace").splitlines() if path.is_file() else []
    found = [_epoch(line) for line in lines]
    if None in found[:-1]:
        raise InputError(f"{path} is damaged in line {found.index(None) + 1}; move it away to resume.")
    return [facts for facts in found if facts is not None]


def _epoch(line: str) -> dict[str, Any] | None:
    try:
        facts = json.loads(line)
    except ValueError:
        return None
    return facts if isinstance(facts, dict) and isinstance(facts.get("epoch"), int) else None


def summary_writer() -> Any:
    """TensorBoard's writer of curves, or one line on how to get it."""
    try:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415
    except ImportError:
        raise InputError("--tensorboard needs TensorBoard: pip install 'saffa[train]'.") from None
    return SummaryWriter
