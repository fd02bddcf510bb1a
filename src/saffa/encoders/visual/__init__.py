"""Encoders that compare the text with what the pictures show."""
