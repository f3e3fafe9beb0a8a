"""Judgments and decisions as files, with what each column means."""
