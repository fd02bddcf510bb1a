"""Subtitles: reading, writing, and their times in the shorter video."""
