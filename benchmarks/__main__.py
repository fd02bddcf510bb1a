"""Run every benchmark after the other."""

from benchmarks import (
    agent_speed,
    baseline_speed,
    encoder_speed,
    render_speed,
    sound_speed,
    visual_speed,
)

for benchmark in (baseline_speed, sound_speed, agent_speed, encoder_speed, visual_speed, render_speed):
    print(f"\n## {benchmark.__name__}\n")
    benchmark.main([])
