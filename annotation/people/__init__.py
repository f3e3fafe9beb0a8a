"""Who takes part: joining, leaving, withdrawing, and API tokens."""
