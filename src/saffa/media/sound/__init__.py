"""Sound: decoding on the clock of the picture, and stretching along a TimeMap."""
