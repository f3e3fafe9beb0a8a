"""The web server and the worker as processes, and how requests arrive."""
