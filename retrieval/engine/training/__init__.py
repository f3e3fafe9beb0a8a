"""How two encoders learn: pairs, recipe, the loop, its history. Imports torch only when used."""
