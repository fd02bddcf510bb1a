"""Benchmarks and datasets."""
