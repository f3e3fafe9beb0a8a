"""Several spans in one answer: sets of tokens, the α for unitising, and the report on them."""
