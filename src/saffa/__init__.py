"""saffa: shorten an instructional video with a text."""
