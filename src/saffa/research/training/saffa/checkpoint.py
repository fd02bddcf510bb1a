"""Training on disk: the authors' container with what it takes to go on exactly where it stopped.

Random numbers need no saving: every episode draws from a stream of its own, named by seed, epoch and video.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from saffa.core.errors import InputError
from saffa.methods.paper.embedding_track import Track
from saffa.research.training.run import read_state, write_state
from saffa.research.training.saffa.compact import SignalTrack
from saffa.research.training.saffa.reinforce import N, PolicyLearner
from saffa.research.training.saffa.settings import AgentSettings
from saffa.storage.checkpoints import TRAITS


def fingerprint(tracks: Sequence[Track | SignalTrack]) -> str:
    """Hash of the training videos: names, lengths and embeddings or signals, in order."""
    digest = hashlib.sha256()
    for track in tracks:
        digest.update(f"{track.name} {track.frames}\n".encode())
        digest.update(track.content())
    return digest.hexdigest()


def save(path: Path, learner: PolicyLearner[N], settings: AgentSettings, epoch: int, videos: str) -> None:
    """Write a checkpoint after `epoch` epochs; it replaces an older one only when whole."""
    networks, learning = learner.networks, learner.learning
    content = {
        "curr_epoch": epoch,
        "policy_state_dict": networks.policy.state_dict(),
        "critic_state_dict": networks.critic.state_dict(),
        "optimizer_state_dict": learner.policy_optimiser.state_dict(),
        "critic_optimizer_state_dict": learner.critic_optimiser.state_dict(),
        "lr": learning.lr,
        "critic_lr": learning.critic_lr,
        "gamma": learning.gamma,
        "entropy_beta": learning.entropy_beta,
        "creation_timestamp": datetime.now(UTC).strftime("%Y%m%d_%H%M%S"),
        TRAITS: json.dumps(networks.traits.to_json()),
        "settings": json.dumps(settings.to_json()),
        "videos": videos,
    }
    write_state(path, content)


def restore(path: Path, learner: PolicyLearner[N], settings: AgentSettings, videos: str) -> int:
    """Put a learner where the checkpoint was; the number of epochs it had done.

    InputError unless the run is the same one; only `snapshot`, and `epochs` without a schedule, may differ.
    """
    content = read_state(path, "settings", "videos", "curr_epoch", "optimizer_state_dict")
    before = AgentSettings.from_json(json.loads(content["settings"]))
    free = ("snapshot",) if settings.scheduled else ("epochs", "snapshot")
    if replace(before, **{name: getattr(settings, name) for name in free}) != settings:
        old, new = before.to_json(), settings.to_json()
        differing = [name for name in new if old[name] != new[name] and name not in free]
        raise InputError(f"{path} was made with other settings ({', '.join(differing)}); use the same to resume.")
    if content["videos"] != videos:
        raise InputError(f"{path} was made with other videos; use the same to resume.")
    learner.networks.policy.load_state_dict(content["policy_state_dict"])
    learner.networks.critic.load_state_dict(content["critic_state_dict"])
    learner.policy_optimiser.load_state_dict(content["optimizer_state_dict"])
    learner.critic_optimiser.load_state_dict(content["critic_optimizer_state_dict"])
    return int(content["curr_epoch"])
