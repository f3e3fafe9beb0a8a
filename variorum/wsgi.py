"""The entry point for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "variorum.settings")
application = get_wsgi_application()

from variorum.server import newer_database  # noqa: E402 - knows the settings only now

newer_database.refuse()
