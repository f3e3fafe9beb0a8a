"""Sentences of very different lengths, for batches that would need much padding."""

WORDS = "the boat left at dawn and nobody on the long grey pier saw the lamp go out before morning".split()
BOOK = [
    " ".join(WORDS[(7 * n + step) % len(WORDS)] for step in range(1 + (n * n) % 40)) + "." for n in range(60)
]
CONTEXTS = [f"{BOOK[n]} The critic says \ufffc and {BOOK[n + 1]}" for n in range(0, 40, 2)]
