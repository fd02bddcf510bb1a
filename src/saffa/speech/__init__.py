"""Ears: what is said in a video and when, from its sound."""
