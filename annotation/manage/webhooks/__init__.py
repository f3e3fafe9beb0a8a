"""Webhooks of a study on a page of their own."""
