"""Relevance judgments made of a study's grades: a file that tools for evaluating runs read."""
