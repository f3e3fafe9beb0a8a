"""Everything the database holds, as text: for tests of what must not be in it any more."""

from __future__ import annotations

from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.serializers import serialize


def whole_database() -> str:
    """All rows of all tables, sessions decoded."""
    rows = "".join(serialize("json", model._default_manager.all()) for model in apps.get_models())
    return rows + "".join(str(each.get_decoded()) for each in Session.objects.all())
