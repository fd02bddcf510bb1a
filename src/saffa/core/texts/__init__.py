"""Texts as people have them: each file format becomes blocks, and the steps are chosen from the blocks."""
