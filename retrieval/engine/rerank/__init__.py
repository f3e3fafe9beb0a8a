"""Passages put into a better order by a model that reads them: windows, scores, criteria, one-hop."""
