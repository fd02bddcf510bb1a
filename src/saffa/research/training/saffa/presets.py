"""Named settings of a training run: how the authors trained each method, and how the compact agent is trained."""

from __future__ import annotations

import re
from dataclasses import replace

from saffa.methods.paper.agent import Method
from saffa.research.training.saffa.reinforce import Learning
from saffa.research.training.saffa.reward import Reward, Weight
from saffa.research.training.saffa.settings import AgentSettings, State
from saffa.research.training.saffa.sff_rl import SETTINGS as SFF_RL

PRESETS: dict[Method, AgentSettings] = {"saffa": AgentSettings(), "sff-rl": SFF_RL}
"""How each method's authors trained it."""

COMPACT = AgentSettings(
    reward=Reward(centre=True, capped=True, per_frame=True, first_sigma=3.0),
    learning=Learning(lr=2e-3, gamma=1.0, entropy_beta=0.001, group=True, last_lr=0.1),
    speeds=(2, 25),
    epochs=6,
    batch=8,
    episodes=4,
    snapshot=2,
)
"""The learner that makes an agent read its text (docs/results/agent.md): γ = 1 because with .99 the first of 750 steps
hears nothing of the end; a step of 2e-3 because a small network and standardised advantages bear it; the fields of
Reward and Learning say why they depart from the paper."""


def speed_weight(encoder: str) -> Weight:
    """λ as in the paper: F for embeddings of VDAN, whose products are spread more widely, else F*."""
    return "F" if re.match(r"vdan(?!-?plus|\+)", encoder) else "F*"


def preset_for(state: State, learner: State | None = None, method: Method = "saffa") -> AgentSettings:
    """The settings for a state with its own learner, or with the other one's."""
    if method != "saffa":
        return PRESETS[method]
    chosen = replace(COMPACT if (learner or state) == "compact" else PRESETS["saffa"], state=state)
    return replace(chosen, hidden=(64, 32)) if state == "compact" else chosen
