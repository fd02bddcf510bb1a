"""The commands that train an encoder or an agent."""
