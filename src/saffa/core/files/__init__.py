"""Files as such: those in the making, and whether one is still what it was."""
