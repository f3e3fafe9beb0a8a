"""Signing in and out: links, passwords, how often one may try."""
