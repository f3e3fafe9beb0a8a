"""Studies: what readers are shown, what they answer, and what is decided where they differ."""
