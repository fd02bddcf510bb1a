"""The agents of the papers, SAFFA and SFF-RL, at inference (NumPy)."""
