"""Training of the visual encoder that comes with saffa."""
