"""How often the intervals of reports hold the true value, in thousands of simulated studies at a time."""
