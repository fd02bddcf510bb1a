"""Kills, full disks, sources that fail or change, runs that meet: nothing half-written, and the next run is right."""
