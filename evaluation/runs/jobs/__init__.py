"""Runs measured in a job: what a page cannot wait for, computed part by part, kept with its date."""
