"""Texts and candidates: from books and critics to the passages that readers judge."""
