"""Kinds of data: how a study's answers become arrays and numbers."""
