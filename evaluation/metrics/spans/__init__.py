"""Measures of spans of tokens."""
