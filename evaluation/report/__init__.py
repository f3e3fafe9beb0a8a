"""A study's report: computed once, written as text, JSON, CSV, LaTeX and as a page."""
