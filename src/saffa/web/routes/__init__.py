"""The paths of the JSON interface, by what they are about."""
