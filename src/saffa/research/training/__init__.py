"""Training of encoders and agents (PyTorch)."""
