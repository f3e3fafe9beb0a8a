"""Two encoders that rank: loaded, batched, run and kept as vectors. Imports torch only when used."""
