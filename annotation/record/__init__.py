"""The record as a hash chain: seals of what was written, and the check that it all stands as it was."""
