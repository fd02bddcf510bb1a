"""From a video and a text to an Alignment."""
