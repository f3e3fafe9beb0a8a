"""What adjudicators decide of an item once its readers have spoken. A layer of its own."""
