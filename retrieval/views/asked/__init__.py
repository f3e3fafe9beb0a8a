"""What models are asked about corpora: re-rankings, checks of what they know by heart, questions."""
