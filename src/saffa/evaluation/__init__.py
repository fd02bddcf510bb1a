"""Metrics, benchmarks, tables."""
