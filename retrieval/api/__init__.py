"""Texts and jobs for scripts."""
