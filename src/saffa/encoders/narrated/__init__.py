"""Encoders that compare the text with what is said in the video."""
