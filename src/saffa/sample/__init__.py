"""The small narrated video and its recipe that `saffa demo` shortens."""

from pathlib import Path

VIDEO = Path(__file__).with_name("video.mp4")
RECIPE = Path(__file__).with_name("recipe.txt")
