"""Append versions of the texts that a study's readers act upon: its guidelines and its consent."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from django.contrib.auth.models import User
from django.db import transaction

from annotation.judging.submissions import checked_text
from annotation.models import Event, State, Study
from annotation.models.study import StudyText
from common.errors import BadInput

Text = TypeVar("Text", bound=StudyText)


class TextKind(NamedTuple):
    """What differs between guidelines and consents.

    field: the form field, for messages about it.
    longest: most characters.
    empty: the sentence that refuses an empty text.
    closed: why a closed study takes no version, as the second half of a sentence.
    verb: the event that records a version.
    """

    field: str
    longest: int
    empty: str
    closed: str
    verb: str


def append_version(
    model: type[Text], kind: TextKind, study: Study, text: str, *, seen: int, by: User | None, **more: Any
) -> Text:
    """Append the next version and return it; `more` are further fields of the model.

    `seen` is the version the writer had before them, 0 for none. Raises `BadInput` for an empty or
    unchanged text, a closed study, and when somebody else wrote a version meanwhile; `Invalid` for a
    text that cannot be stored.
    """
    text = stripped(checked_text(text, kind.field, kind.longest))
    if not text:
        raise BadInput(kind.empty)
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.state == State.CLOSED:
            raise BadInput(f"The study “{study.slug}” is closed: {kind.closed}.")
        versions = model._default_manager.filter(study=study)
        last = versions.order_by("-version").first()
        version = last.version if last else 0
        if version != seen:
            raise BadInput(f"Version {version} was saved meanwhile: read it below, then save yours again.")
        if last and stripped(last.text) == text and all(getattr(last, name) == more[name] for name in more):
            raise BadInput(f"Nothing is changed: this is version {version}.")
        made = versions.create(study=study, version=version + 1, text=text, created_by=by, **more)
        data = {"version": made.version, **more}
        Event.objects.create(study=study, actor=by, verb=kind.verb, data=data)
    return made


def stripped(text: str) -> str:
    """Return the text with plain line ends and without blanks around it."""
    return text.replace("\r\n", "\n").strip()
