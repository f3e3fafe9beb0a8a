"""Grades of documents of topics: what only such studies have."""
