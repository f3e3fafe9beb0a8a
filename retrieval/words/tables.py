"""Keep vectors, lemmas, synonyms and stop lists under names, find them, and open them for a ranker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings

from common.errors import BadInput
from common.progress import Progress, silent
from retrieval.dense.checkpoints import check_slug
from retrieval.engine.words import keeping, kinds
from retrieval.engine.words.kinds import Kind, Known
from retrieval.models import WordTable

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LISTED = 20


def add(
    file: Path,
    kind: Kind,
    slug: str,
    *,
    source: str = "",
    licence: str = "",
    by: User | None = None,
    progress: Progress = silent,
) -> tuple[WordTable, bool]:
    """Keep a file under a name; return its row and whether it is new. Adding the same again changes nothing.

    Raises:
        BadInput: the file cannot be read as that kind, the name is not possible, or another file has it.
    """
    check_slug(slug)
    if not file.is_file():
        raise BadInput(f"There is no file {file} to read the {kind.named} from.")
    known = get_or_none(kind, slug)
    if known is not None and known.sha256 != keeping.sha256_of(file):
        raise BadInput(f"There is a {kind.named} {slug!r} already, of another file; choose another name.")
    sha256, counts = keeping.keep(file, settings.DATA_DIR / "words", kind, progress)
    if known is not None:
        return known, False
    made = WordTable.objects.create(
        kind=kind.slug,
        slug=slug,
        sha256=sha256,
        file_name=file.name[:300],
        n_words=counts.words,
        width=counts.width,
        remarks=counts.remarks,
        source=source,
        licence=licence,
        created_by=by,
    )
    return made, True


def find(kind: Kind, slug: str) -> WordTable:
    """Return what is kept under a name; for an empty name the only one of its kind.

    Raises:
        BadInput: there is none, or several and no name; the message says how to add one.
    """
    found = get_or_none(kind, slug)
    if found is not None:
        return found
    known = list(WordTable.objects.filter(kind=kind.slug))
    if not known:
        raise BadInput(none_of(kind, slug))
    if not slug and len(known) == 1:
        return known[0]
    names = ", ".join(each.slug for each in known[:LISTED])
    if slug:
        raise BadInput(
            f"There {_are(kind)} no {kind.named} {slug!r}; choose one of: {names}; or add it with "
            f"{_add(kind, slug)}."
        )
    raise BadInput(f"There are several {_plural(kind)}; name one of: {names}.")


def none_of(kind: Kind, slug: str = "") -> str:
    """Return the sentence that nothing of a kind is kept, with the command that mends it."""
    return f"No {kind.named} {_are(kind)} here yet; add {_some(kind)} with {_add(kind, slug)}."


def get_or_none(kind: Kind, slug: str) -> WordTable | None:
    """Return what is kept under a name, or None."""
    return WordTable.objects.filter(kind=kind.slug, slug=slug).first() if slug else None


def opened(row: WordTable) -> Known:
    """Return what a row says of words, as rankers take it.

    Raises:
        BadInput: its files are gone or have changed.
    """
    return keeping.opened(row.place, kinds.kind(row.kind))


def remove_files(row: WordTable) -> None:
    """Remove the files of a row that is deleted, unless another row has the same."""
    if not WordTable.objects.filter(kind=row.kind, sha256=row.sha256).exists():
        keeping.remove(row.place)


def _add(kind: Kind, slug: str) -> str:
    return f"manage.py add_words {kind.slug} FILE --name {slug or 'NAME'}"


def _plural(kind: Kind) -> str:
    return kind.named if kind.named.endswith("s") else f"{kind.named}s"


def _some(kind: Kind) -> str:
    return "some" if kind.named.endswith("s") else "one"


def _are(kind: Kind) -> str:
    return "are" if kind.named.endswith("s") else "is"
