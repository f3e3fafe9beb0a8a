"""Test collections: corpora of documents, topics, runs that rank the one for the other, pools and qrels.

An application within the application: its tables, commands and pages are its own, and nothing about
novels and their critics knows it.
"""
