"""Events → rows → lines: the record of a study, or of the whole site, oldest first.

Of a study the people are under their pseudonyms; somebody without a part in it is *somebody else*, and staff
are named, since what they did there is theirs to answer for. Of the site everybody is named by account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotation.export.judgments import AT_ONCE, FORMATS, lines
from annotation.models import Event, Study
from annotation.record.exporting import note_export
from common.errors import BadInput
from common.tables import json

COLUMNS = {
    "number": "number of the event, growing with time",
    "created": "when, in UTC",
    "study": "short name of the study; empty for what is of the whole site",
    "who": "who did it; empty for the program, and for whoever has withdrawn",
    "verb": "what was done",
    "data": "what else is known, as JSON",
}
SOMEBODY = "somebody else"


def export(study: Study | None, format: str, *, by: User | None) -> Iterator[str]:  # noqa: A002 - the word people use
    """Return the events as lines of text, and record it. Raises `BadInput` for a wrong format."""
    if format not in FORMATS:
        raise BadInput(f"There is no export format “{format}”: use {' or '.join(FORMATS)}.")
    note_export(study, by=by, format=format, what="record")
    found = events(study).order_by("pk").iterator(chunk_size=AT_ONCE)
    return lines(rows(found, names_in(study), as_text=format == "csv"), format, COLUMNS)


def events(study: Study | None) -> QuerySet[Event]:
    """Return the events of a study, or of the whole site, the latest first."""
    found = Event.objects.select_related("actor", "study")
    return found.filter(study=study) if study is not None else found


def names_in(study: Study | None) -> Mapping[int, str] | None:
    """Return the pseudonyms of a study by key of the account; None for the site, where accounts are named."""
    if study is None:
        return None
    parts = study.enrolments.exclude(user=None).values_list("user", "pseudonym")
    return {user: pseudonym for user, pseudonym in parts if user is not None}


def who(event: Event, names: Mapping[int, str] | None) -> str:
    """Return who caused an event, as far as it is to be told."""
    if event.actor is None:
        return ""
    if names is None or event.actor.is_superuser or event.actor.is_staff:
        return (names or {}).get(event.actor.pk) or event.actor.get_username()
    return names.get(event.actor.pk, SOMEBODY)


def rows(
    found: Iterable[Event], names: Mapping[int, str] | None, *, as_text: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield each event as a dict of `COLUMNS`; `as_text`: its data as one text."""
    for each in found:
        yield {
            "number": each.pk,
            "created": each.created.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "study": each.study.slug if each.study else "",
            "who": who(each, names),
            "verb": each.verb,
            "data": json.compact(each.data) if as_text else each.data,
        }
