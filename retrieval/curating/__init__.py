"""What staff decide about excerpts, sources and books: each decision whole, recorded, and reversible."""
