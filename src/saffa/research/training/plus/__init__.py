"""Training of saffa+, the online agent that learns from hindsight."""
