"""Models that read beside people: one door to them, and a ledger of every call.

It knows no item and no book. Candidate jobs, studies and numbers stand above it.
"""
