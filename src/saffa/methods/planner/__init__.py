"""The exact planner: the best smooth selection of a wanted length."""
