"""What is known of words: their vectors, their lemmas, their synonyms; loaded once, without Django."""
