"""Requests to chat endpoints and what comes back, without Django. Pure: it could be used in a notebook."""
