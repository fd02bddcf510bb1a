"""The small narrated video and its recipe that `saffa demo` shortens."""
