"""Models behind the tables of saffa's docs, a folder each; data only."""
