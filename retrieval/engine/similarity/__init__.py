"""Rankers that compare a query with a passage as two texts: by shared words, word vectors, or both."""
