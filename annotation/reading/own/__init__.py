"""What a reader has of their own in a study: their page with how far they are, and their notebook."""
