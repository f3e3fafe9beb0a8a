"""Candidate jobs: their parameters, their computation, what is stored, how it is shown and exported."""
