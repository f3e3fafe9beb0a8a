"""The Django project: settings, URLs, the worker, and the commands that start it all."""

__version__ = "0.1.0"
