"""Video and sound files: probe, read, write, render."""
