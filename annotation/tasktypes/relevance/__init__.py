"""Graded relevance: the task, and the words of a topic in its documents."""
