"""Answers of systems that nobody asks here: read from a file, checked, and stored as a machine reader's."""
