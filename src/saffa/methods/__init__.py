"""From an Alignment and a target speed to a Selection, one file per method."""
