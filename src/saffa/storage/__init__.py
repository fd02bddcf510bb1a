"""What is kept on disk: caches, fingerprints, model folders, checkpoints."""
