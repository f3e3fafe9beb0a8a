"""Who takes part: joining, leaving, withdrawing; and keys for scripts."""
