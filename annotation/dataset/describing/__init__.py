"""What a data set says of itself: study.json, the card, the Data Package and the RO-Crate."""
