"""For researchers: training, datasets, the baselines of the paper, evaluation, its tables and figures."""
