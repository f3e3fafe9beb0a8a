"""What every import does with its row: check the facts, look for the same row, insert it once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar, cast

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Model

from common.errors import BadField
from common.progress import Compute, here
from retrieval.curating.rules import text_rules
from retrieval.engine.formats.reading import ReadText
from retrieval.loading.plain import in_language, stored_text
from retrieval.models import Book, Source

Row = TypeVar("Row", bound=Book | Source)
Result = TypeVar("Result")

OTHER_SLUG = "import this text under another slug"

# What the program computes; the rest is what a person typed.
_COMPUTED = {
    "id",
    "text",
    "sha256",
    "notes",
    "created",
    "sentences",
    "headings",
    "left_out",
    "read_as",
    "marked",
    "n_sentences",
    "corrections",
    "revision",
}
# "/books/import/" and "/sources/find/" are pages, so no text could be shown there.
_RESERVED = {"import", "find"}
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")


def sha256(text: str) -> str:
    """Return the fingerprint of a stored text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def check_facts(row: Book | Source) -> None:
    """Raise `BadInput` for facts about a text that the tables could not keep on every database.

    Raises:
        BadField: naming the first field that is wrong, and what would be right.
    """
    check_fields(row, _facts(row))
    if row.slug in _RESERVED:
        raise BadField("slug", f'The slug "{row.slug}" is the address of a page; choose another.')
    check_language(row.language)


def check_fields(row: Model, names: Iterable[str]) -> None:
    """Strip the strings of these fields, and raise `BadField` for the first that a person gave wrongly."""
    names = set(names)
    for field in sorted(names):
        value = getattr(row, field)
        if isinstance(value, str):
            setattr(row, field, _printable(field, value))
    try:
        row.clean_fields(exclude={field.name for field in row._meta.fields} - names)
    except ValidationError as error:
        field, sentences = next(iter(error.message_dict.items()))
        raise BadField(field, f"The {field} is not valid: {_lowered(sentences[0])}") from None


def check_language(tag: str) -> None:
    """Raise `BadField` for what is no tag of a language."""
    if not _LANGUAGE.fullmatch(tag):
        raise BadField("language", f"The language {tag!r} is not a tag such as en, fr or pt-BR.")


def find_stored(row: Row, name: str, advice: str = OTHER_SLUG) -> tuple[Row, tuple[str, ...]] | None:
    """Return the row that already has this slug and text, and what to say about it; None if the slug is free.

    Raises:
        BadField: the slug has another text.
    """
    known = cast("Row | None", type(row)._default_manager.filter(slug=row.slug).first())
    if known is None:
        return None
    kind = row._meta.verbose_name
    if known.sha256 != row.sha256:
        raise BadField(
            "slug",
            f'{name}: the {kind} "{row.slug}" is already imported with other text ({known}); {advice}.',
        )
    return known, (
        f'The {kind} "{row.slug}" is already imported with this text; nothing was added.',
        *_differences(known, row),
    )


class Read(NamedTuple, Generic[Row]):
    """A file that was read.

    file: its text, and how it was read.
    known: the row that has this slug and text already, and what to say about it; None where the slug is free.
    """

    file: ReadText
    known: tuple[Row, tuple[str, ...]] | None


def read_text(
    row: Row, data: bytes, name: str, compute: Compute = here, *, encoding: str = "", guess: bool = False
) -> Read[Row]:
    """Set a row's text and its digest, and find it as `find_stored` does; a new one must be in its language.

    Raises:
        BadInput: the file holds no text, or one in another language.
    """
    file = stored_text(data, name, compute, encoding=encoding, guess=guess)
    row.text, row.notes = file.text, list(file.notes)
    row.read_as = {"format": file.format, "encoding": file.encoding, "rules": text_rules()}
    row.sha256 = sha256(row.text)
    known = find_stored(row, name)
    if not known:
        in_language(row.text, row.language, name, compute)
    return Read(file, known)


def insert(row: Row) -> tuple[str, ...]:
    """Insert a new row; return what to say about it: its notes, and whether its text is known elsewhere.

    The same text under a second slug is allowed, because a stored text and its
    facts never change: it is the way to correct a title or a language. Excerpts
    belong to one slug, so the two do not mix.
    """
    twins: list[str] = []
    if row.text:
        same = type(row)._default_manager.filter(sha256=row.sha256).order_by("slug")
        twins = list(same.values_list("slug", flat=True))
    row.save(force_insert=True)
    return (*row.notes, *(f'The same text is also here as "{slug}"; both are kept.' for slug in twins))


def store(row: Row, name: str, advice: str = OTHER_SLUG) -> tuple[Row, bool, tuple[str, ...]]:
    """Insert a row unless it is stored; return the stored row, whether it is new, and what to say about it.

    Raises:
        BadField: as `find_stored`.
    """
    known = find_stored(row, name, advice)
    return (known[0], False, known[1]) if known else (row, True, insert(row))


def write(action: Callable[[], Result], also: Callable[[Result], object] | None = None) -> Result:
    """Run `action` in one transaction, and once more if somebody else inserted the same row meanwhile.

    The second time their row is there to be found, so the answer is "already imported". `also` is called
    with what it returns, in the same transaction: a job that is done exactly when its rows are stored.
    """
    try:
        return _whole(action, also)
    except IntegrityError:
        return _whole(action, also)


def _whole(action: Callable[[], Result], also: Callable[[Result], object] | None) -> Result:
    with transaction.atomic():
        result = action()
        if also is not None:
            also(result)
        return result


def _facts(row: Book | Source) -> Iterable[str]:
    return (field.name for field in row._meta.fields if field.name not in _COMPUTED)


def _differences(known: Book | Source, row: Book | Source) -> tuple[str, ...]:
    return tuple(
        f'Not changed: the {field} stays "{getattr(known, field)}" (given: "{getattr(row, field)}").'
        for field in _facts(row)
        if getattr(known, field) != getattr(row, field)
    )


def _printable(field: str, value: str) -> str:
    found = _UNPRINTABLE.search(value)
    if found:
        raise BadField(
            field,
            f"The {field} holds the character U+{ord(found[0]):04X} at place {found.start() + 1}; "
            "one line of printable text was expected.",
        )
    return value.strip()


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
