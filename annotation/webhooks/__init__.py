"""Receivers outside are told of a study's progress: signed messages, sent by workers until they arrive."""
