"""Evidence search: a claim in, passages out; and the indices kept for the next search."""
