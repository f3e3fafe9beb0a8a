"""References between verses: records that name where an allusion stands, and what it alludes to.

A record is `{"source": [ids], "target": [ids], "flags": [reasons], "ref_type", "n"}`; an id is
`Book_chapter_verse` with hyphens for the blanks of the book's name. A record that cannot be joined with its
verses without doubt is refused with the reason, never guessed at.
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import Any, NamedTuple

from common.errors import BadInput
from retrieval.engine.interchange.verses import VerseId, verse_id

ABSENT, NUMBERING, HEADING = "verse_not_in_vulgate_file", "psalm_numbering", "psalm_heading"
# Hebrew and English Bibles count Psalms otherwise than the Septuagint and the Vulgate do from 10 to 147.
# In most of the others the heading is a verse of its own in one counting only; these have none.
_PSALMS, _SAME_NUMBER, _NO_HEADING = "Psalms", {*range(1, 10), 148, 149, 150}, {1, 2, 148, 149, 150}


class ReadReference(NamedTuple):
    """One record of a file of references.

    where: its place there, such as “a.json, record 3”.
    source, target: its verses, in the order of the record.
    record: all that it says.
    """

    where: str
    source: list[VerseId]
    target: list[VerseId]
    record: dict[str, Any]

    @property
    def named(self) -> list[VerseId]:
        """Return all its verses."""
        return [*self.source, *self.target]


def read(data: bytes, name: str) -> list[ReadReference]:
    """Read a file of references. Raises `BadInput`, which names the record and the field."""
    return [
        ReadReference(
            where,
            _verse_ids(record.get("source"), f"{where}, field “source”"),
            _verse_ids(record.get("target"), f"{where}, field “target”"),
            record,
        )
        for where, record in _records(data, name)
    ]


def _records(data: bytes, name: str) -> list[tuple[str, dict[str, Any]]]:
    """Return each record of the file with its place there. Raises `BadInput`."""
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: is not JSON in UTF-8 ({error}).") from None
    if not isinstance(found, list):
        raise BadInput(f"{name}: must be a JSON list of records.")
    for number, record in enumerate(found, 1):
        if not isinstance(record, dict):
            raise BadInput(f"{name}, record {number}: must be an object with “source” and “target”.")
    return [(f"{name}, record {number}", record) for number, record in enumerate(found, 1)]


def _verse_ids(ids: Any, where: str) -> list[VerseId]:
    if not isinstance(ids, list) or not ids:
        raise BadInput(f"{where}: must be a list of verse ids such as Matthew_1_23.")
    return [verse_id(each, where) for each in ids]


def why_not(found: ReadReference, *, absent: bool, trust: bool = False, accepted: Container[str] = ()) -> str:
    """Return the reasons why a record cannot be joined with its verses; empty where it can.

    Args:
        found: The record.
        absent: Whether one of its verses is not there.
        trust: Whether an empty list of flags says that there is no doubt about its Psalms.
        accepted: Reasons that refuse nothing; a verse that is not there always does.

    Raises:
        BadInput: the flags of the record are no list of reasons.
    """
    flags = flags_of(found)
    reasons = set(flags or ())
    if NUMBERING not in reasons and not (trust and flags == []):
        reasons |= {_psalm_doubt(each.chapter) for each in found.named if each.book == _PSALMS} - {""}
    reasons = {each for each in reasons if each not in accepted}
    if absent:
        reasons.add(ABSENT)
    return ascii(" + ".join(sorted(reasons)))[1:-1]


def flags_of(found: ReadReference) -> list[str] | None:
    """Return the flags of a record; None where it says nothing of them. Raises `BadInput`."""
    flags = found.record.get("flags")
    if flags is None:
        return None
    if not (isinstance(flags, list) and all(isinstance(flag, str) for flag in flags)):
        raise BadInput(f"{found.where}, field “flags”: must be a list of reasons.")
    return flags


def _psalm_doubt(number: int) -> str:
    """Return why the verse numbers of a Psalm may differ between Bibles; empty where they do not."""
    if number not in _SAME_NUMBER:
        return NUMBERING
    return "" if number in _NO_HEADING else HEADING


def is_plain(value: Any) -> bool:
    """Return whether a value can be kept as it is: a whole number or a printable text."""
    return isinstance(value, int) or (isinstance(value, str) and value.isprintable())


def names(verses: Sequence[VerseId]) -> str:
    """Return verses as one name without blanks: Matthew_4_15+Matthew_4_16."""
    return "+".join(each.written for each in verses)
