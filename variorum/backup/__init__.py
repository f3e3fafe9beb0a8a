"""A backup of an installation: one file, taken while people work, that restores into an empty place."""
