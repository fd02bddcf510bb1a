"""From a video and a text to an Alignment: one encoder per folder or file, found by name in `registry`."""
