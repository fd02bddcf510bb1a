"""Speed and memory, side by side in one run. `python -m benchmarks` runs all; each module runs alone too."""
