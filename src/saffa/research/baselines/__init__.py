"""The methods that the paper compares with: SAS, SASv2, BoT, Non-RL, FFNet."""
