"""Answers to the questions of a rubric."""
