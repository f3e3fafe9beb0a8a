"""A corpus searched for topics: its index, subsets of it, feedback, and the run that comes of it."""
