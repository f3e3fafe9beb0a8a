"""Measures of choices among options."""
