"""Hostile files by the thousand: whatever is in them, one plain line or a whole output, within time and memory."""
