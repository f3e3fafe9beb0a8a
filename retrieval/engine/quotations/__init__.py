"""Where a critic quotes a book: found, bounded, masked, and made an excerpt."""
