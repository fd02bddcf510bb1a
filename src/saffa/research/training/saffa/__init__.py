"""REINFORCE training of the paper's agents, SAFFA and SFF-RL (paper §3.2)."""
