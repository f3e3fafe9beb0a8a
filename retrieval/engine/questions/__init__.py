"""Questions written from what a paragraph cites: marks, what is asked of a model, and which are refused."""
