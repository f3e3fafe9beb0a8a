"""The encoders of an installation: allowed checkpoints, where they come from, books encoded with them."""
