"""Choices among q options."""
