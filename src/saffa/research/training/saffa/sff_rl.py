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

from __future__ import annotations

from saffa.research.training.saffa.reinforce import Learning
from saffa.research.training.saffa.reward import Reward
from saffa.research.training.saffa.settings import AgentSettings

SETTINGS = AgentSettings(
    method="sff-rl",
    position=False,
    skip=False,
    variant="paper",
    reward=Reward(weight="0"),
    learning=Learning(lr=1e-5, critic_lr=1e-3, gamma=1.0, entropy_beta=0.01, weight_decay=0.0),
    speeds=(1, 19),
    batch=None,
)
