"""saffa+: the online agent that keeps the length by a closed-form bound."""
