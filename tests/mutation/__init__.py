"""Whether the tests of the core notice a small change: `python -m tests.mutation`."""
