"""Texts that would run, in every place of the database that holds words of somebody's own."""

from __future__ import annotations

from itertools import count
from typing import Any

MARK = "data-injected"
TAGS = ("script", "img", "svg", "iframe", "a", "form", "input", "details", "math", "style", "base", "meta")
EVENTS = ("onload", "onerror", "onclick", "ontoggle", "onfocus")
RUN = "document.documentElement.dataset.ran=1"
"""What each does where it runs; the page is then asked for it."""
BREAKS = (
    "", '">', "'>", "</title>", "</textarea>", "</script>", "-->", "]]>", "</select>", "{{ 7|add:7 }}",
)  # fmt: skip
PAYLOADS = [
    *(
        f'{BREAKS[at % len(BREAKS)]}<{tag} {MARK} {event}="{RUN}" src=x href="javascript:{RUN}">{RUN}</{tag}>'
        for at, (tag, event) in enumerate((tag, event) for tag in TAGS for event in EVENTS)
    ),
    f'<div {MARK} hx-get="/logout/" hx-trigger="load">',
    f'<b {MARK} hx-on:load="{RUN}" style="position:fixed">',
    f"javascript:{RUN}",
    f'[a link](javascript:{RUN} "{MARK}")',
    f'![a picture](x" onerror="{RUN})',
]
WORDS = {
    "title", "contact", "text", "citation", "author", "note", "reason", "why", "explanation", "error",
    "licence", "first_name", "last_name", "body", "label", "statement", "heading", "description",
    "file_name", "source", "subject", "problem", "paragraph", "refused", "system", "printed", "username",
    "narrative", "wordings", "remarks",
}  # fmt: skip
"""Columns that hold what somebody wrote."""
NAMES = {"annotation.AnswerFile", "annotation.ApiToken", "annotation.ItemImport", "retrieval.LoadingJob"}
"""Models whose `name` is that of a file, or in somebody's own words, and stands in no address."""
TOLD = {
    "left",
    "right",
    "options",
    "citation",
    "book",
    "text",
    "question",
    "title",
    "narrative",
    "note",
    "why",
}
"""Fields of JSON that do, beside all texts of several words, such as the labels of a scale."""


def poison() -> int:
    """Put a payload into each text of every row, and return how many texts there were.

    What refuses to be changed is changed all the same: the database is thrown away afterwards.
    """
    from django.apps import apps
    from django.db import connection, models

    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP TRIGGER "{name}"')
        draw, n = count(), 0
        for model in apps.get_models():
            if not model._meta.managed:
                continue
            fields = model._meta.local_concrete_fields
            plain = [each for each in fields if is_words(each, model._meta.label)]
            json = [each for each in fields if isinstance(each, models.JSONField)]
            for row in model._default_manager.all():
                changed: dict[str, Any] = {}
                for field in plain:
                    if value := getattr(row, field.attname):
                        changed[field.column] = poisoned(str(value), next(draw), field)
                for field in json:
                    before = getattr(row, field.attname)
                    after = within(before, draw)
                    if after != before:
                        changed[field.column] = field.get_prep_value(after)
                n += len(changed)
                for column, value in changed.items():
                    said = field_of(model, column).get_db_prep_save(value, connection)
                    where = f'"{model._meta.pk.column}" = %s'
                    change = f'UPDATE "{model._meta.db_table}" SET "{column}" = %s WHERE {where}'
                    cursor.execute(change, [said, row.pk])
    return n


def field_of(model: Any, column: str) -> Any:
    """The field of a column."""
    return next(each for each in model._meta.local_concrete_fields if each.column == column)


def is_words(field: Any, model: str) -> bool:
    """Whether a column of a model holds what somebody wrote."""
    if field.name == "username":
        return True
    named = field.name in WORDS or (field.name == "name" and model in NAMES)
    plain = field.get_internal_type() in ("CharField", "TextField")
    return named and plain and not field.choices and not field.unique


def poisoned(text: str, at: int, field: Any = None) -> str:
    """A text with a payload behind its words; where there is little room as much of the payload as fits."""
    payload = PAYLOADS[at % len(PAYLOADS)]
    whole, longest = f"{text} {payload}", field and field.max_length
    if longest is None or len(whole) <= longest:
        return whole
    return whole[:longest] if field.unique else payload[:longest]


def within(value: Any, draw: Any, told: bool = False) -> Any:
    """JSON with a payload in each text that readers are shown."""
    if isinstance(value, dict):
        return {name: within(each, draw, name in TOLD) for name, each in value.items()}
    if isinstance(value, list):
        return [within(each, draw, told) for each in value]
    if isinstance(value, str) and (" " in value or (told and value)):
        return poisoned(value, next(draw))
    return value
