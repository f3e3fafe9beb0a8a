"""The commands that import texts, launch jobs, and fetch or train models."""
