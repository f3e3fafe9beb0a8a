"""A secondary source: the critic's text, stored as it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from common.progress import Compute, Progress, here, silent
from retrieval.loading import storing
from retrieval.models import Source


class ImportedSource(NamedTuple):
    """What an import of a source came to.

    source: its row.
    created: whether it is new.
    remarks: what a person should be told, in sentences.
    """

    source: Source
    created: bool
    remarks: tuple[str, ...]


def import_source(
    data: bytes,
    *,
    name: str,
    slug: str,
    citation: str,
    language: str = "en",
    encoding: str = "",
    progress: Progress | None = None,
    compute: Compute = here,
    also: Callable[[ImportedSource], object] | None = None,
) -> ImportedSource:
    """Store a critic's text, or return the source that already has its slug and text.

    `encoding` as in `encodings.decode`; `also` as in `storing.write`.

    Raises:
        BadInput: one sentence naming the file or the field; nothing is stored.
    """
    tell = progress or silent
    source = Source(slug=slug, citation=citation, language=language)
    storing.check_facts(source)
    tell(0, 2, "reading")
    known = storing.read_text(source, data, name, compute, encoding=encoding).known
    if known:
        return storing.write(lambda: ImportedSource(known[0], False, known[1]), also)
    tell(1, 2, "storing")
    imported = storing.write(lambda: ImportedSource(*storing.store(source, name)), also)
    tell(2, 2, "stored")
    return imported
