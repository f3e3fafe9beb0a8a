"""The commands that print reports, compare rankers and draw."""
