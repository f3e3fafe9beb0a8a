"""The commands that make studies, load their items, and give out what was answered."""
