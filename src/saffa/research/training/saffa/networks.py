"""The agent's networks in PyTorch, for training; keys as in the published checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from saffa.core.types import Floats, Ints
from saffa.methods.dynamics import ACTIONS
from saffa.methods.paper.agent import Agent, Traits
from saffa.methods.paper.embedding_track import Track
from saffa.research.training.saffa.experience import Experience

HIDDEN = (256, 128)


class Network(nn.Module):
    """width-256-128-outputs with ReLU between; the policy's softmax belongs to the loss."""

    def __init__(self, width: int, outputs: int, hidden: tuple[int, int] = HIDDEN) -> None:
        super().__init__()
        self.fc1 = nn.Linear(width, hidden[0])
        self.fc2 = nn.Linear(*hidden)
        self.fc3 = nn.Linear(hidden[1], outputs)
        for layer in (self.fc1, self.fc2, self.fc3):  # biases keep PyTorch's default, as the authors' do
            nn.init.xavier_uniform_(layer.weight)

    def forward(self, states: Tensor) -> Tensor:
        """States (n, width) → scores (n, outputs)."""
        return self._rest(self.fc1(states))

    def of_parts(self, cells: Tensor, rows: Tensor, tails: Tensor) -> Tensor:
        """`forward` of the states [cells[rows] ; tails], with one product per cell (T, 2d) instead of one per state.

        rows   (n,)             cell of each state
        tails  (n, width − 2d)  what follows the embeddings
        """
        embedding, rest = torch.split(self.fc1.weight, [cells.shape[1], tails.shape[1]], dim=1)
        seen = functional.linear(cells, embedding, self.fc1.bias).index_select(0, rows)
        return self._rest(seen if tails.shape[1] == 0 else seen + functional.linear(tails, rest))

    def _rest(self, hidden: Tensor) -> Tensor:
        out: Tensor = self.fc3(torch.relu(self.fc2(torch.relu(hidden))))
        return out


class PublishedNetworks(nn.Module):
    """Policy and critic of one agent; they share nothing."""

    def __init__(self, traits: Traits) -> None:
        super().__init__()
        self.traits = traits
        self.policy = Network(traits.observation.width, len(ACTIONS))
        self.critic = Network(traits.observation.width, 1)

    @classmethod
    def seeded(cls, traits: Traits, seed: int) -> PublishedNetworks:
        """Fresh weights that depend on the seed alone."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return cls(traits)

    def inputs(self, episodes: Sequence[Experience]) -> tuple[Floats, Ints, Floats]:
        """All states of the episodes as `Network.of_parts` takes them: cells seen, row and tail of each state."""
        cells, rows, tails = [], [], []
        met = 0
        for episode in episodes:
            track = episode.track
            if not isinstance(track, Track):
                raise TypeError("the published state needs embeddings")
            seen, row = np.unique(track.rows[episode.visited], return_inverse=True)
            cells.append(track.embeddings[seen])
            rows.append(row + met)
            tails.append(self.traits.observation.tails(track.frames, episode.visited, episode.skip_indices))
            met += len(seen)
        return np.concatenate(cells), np.concatenate(rows), np.concatenate(tails)

    def load(self, tensors: Mapping[str, Floats]) -> None:
        """Take over weights by their published names."""
        found = {key: torch.from_numpy(array.copy()) for key, array in tensors.items()}
        self.load_state_dict(self.state_dict() | found)

    def agent(self, name: str = "saffa") -> Agent:
        """These networks in NumPy, sharing the memory of the weights: it follows every update in place."""
        tensors = {key: tensor.detach().numpy() for key, tensor in self.state_dict().items()}
        return Agent.of_tensors(tensors, self.traits, name)
