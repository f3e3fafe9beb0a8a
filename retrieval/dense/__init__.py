"""Encoders of an installation: which checkpoints may be loaded, whence they come, books encoded with them."""
