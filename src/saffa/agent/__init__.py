"""The fast-forward agent and its dynamics."""
