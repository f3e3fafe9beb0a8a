"""Rankers, their order, hard negatives and pools."""
