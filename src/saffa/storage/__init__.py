"""Everything kept on disk: results, model folders, checkpoints; and the fingerprints they are found by."""
