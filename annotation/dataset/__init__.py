"""A study as a data set: a folder that others can read, that says what is in it, and that reads back."""
