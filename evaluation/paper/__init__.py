"""A study as a paper prints it: named layouts of published tables, a methods paragraph, its citation."""
