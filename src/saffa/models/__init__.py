"""Shipped weights with their manifest."""
