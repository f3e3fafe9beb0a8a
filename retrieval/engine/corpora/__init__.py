"""A corpus as an index on disk: its words, how it is searched, and relevance models over it."""
