"""Spans of tokens."""
