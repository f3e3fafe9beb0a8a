"""Training jobs: planned, run, watched, and published as a checkpoint with its card."""
