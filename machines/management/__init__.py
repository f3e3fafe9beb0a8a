"""Texts, jobs and models from the command line."""
