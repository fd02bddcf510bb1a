"""Named settings of a training run: how the authors trained each method, and how the compact agent is trained."""

from __future__ import annotations

import re
from dataclasses import replace

from saffa.methods.paper.agent import Method
from saffa.research.training.saffa.reinforce import Learning
from saffa.research.training.saffa.reward import Reward, Weight
from saffa.research.training.saffa.settings import AgentSettings, State

SFF_RL = AgentSettings(
    method="sff-rl",
    position=False,
    skip=False,
    variant="paper",
    reward=Reward(weight="0"),
    learning=Learning(lr=1e-5, critic_lr=1e-3, gamma=1.0, entropy_beta=0.01, weight_decay=0.0),
    speeds=(1, 19),
    batch=None,
)
"""SFF-RL (Ramos et al., CVPR 2020), the agent before SAFFA: it follows the text and knows no target speed.

Its state is [text ; image], ν lies in 1..20 and moves in the paper's order (ν with the old ω, then ω). Training starts
every episode with a random ν in 1..19 and pays e_D·e_v for every frame, without discount; there is one Adam step per
epoch, on the mean over all videos (method.md E). That source leaves three things open, decided here:

- A move past the end selects nothing; it is paid for the last frame, as λ = 0 is in SAFFA's environment.
- Its authors start with a random velocity at test time too. Here the start is the target speed, held in 1..20: the
  same video gives the same result, and it is the only trace of the user's wish.
- No weight decay is mentioned: none is used.

One thing is mended. In the released code the entropy of the policy is *added* to the loss, so that training makes the
policy less diverse, against the paper's words; here it is a bonus, as in SAFFA.
"""

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
