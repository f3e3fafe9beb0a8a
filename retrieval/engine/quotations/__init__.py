"""Find where a critic quotes a book, find the borders, mask the gap, and make excerpts."""
