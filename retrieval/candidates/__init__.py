"""Candidate jobs: what is asked for, computed and kept, and how it is shown and exported."""
