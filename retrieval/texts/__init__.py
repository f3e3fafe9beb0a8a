"""Stored texts as people look at them: leaves, places in a source, matches, the collection in numbers."""
