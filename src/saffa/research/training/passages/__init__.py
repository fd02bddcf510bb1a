"""Training of the network that reads passages of a narration for the narrated encoder."""
