"""Vectors of a corpus's documents: kept on disk (`kept`), and searched exactly (`searching`)."""
