"""What texts are to the eye: their words and endings, and what changed from one to the next."""
