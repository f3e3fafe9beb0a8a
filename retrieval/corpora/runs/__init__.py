"""Runs and qrels, to files and from files; and pools, which are made of runs."""
