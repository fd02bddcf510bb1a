"""Eyes for letters: slides, captions and labels in the pictures of a video, and when each is shown."""
