"""What a reader has of their own in a study: how far they are, their notebook, their messages."""
