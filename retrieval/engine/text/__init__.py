"""From a printed page to sentences, passages and tokens."""
