"""`python -m saffa`."""

from saffa.cli import main

main()
