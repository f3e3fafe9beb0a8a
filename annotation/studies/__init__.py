"""A study from its first draft to the trash: built, opened, closed, copied, told to its readers."""
