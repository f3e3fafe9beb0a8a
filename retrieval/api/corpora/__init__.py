"""Corpora, topics, runs, pools and judgments, for scripts: read only."""
