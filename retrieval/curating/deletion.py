"""Delete a book, a source, an excerpt or a job on which nothing stands: whole, recorded, and for good."""

from __future__ import annotations

import shutil
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from common.errors import BadInput
from common.wording import counted
from retrieval.curating.decisions import check_reason
from retrieval.curating.dependents import Deletable, dependents
from retrieval.dense import kept_vectors
from retrieval.models import (
    Book,
    CandidateJob,
    Curation,
    DeletedKind,
    Deletion,
    EncodingJob,
    Excerpt,
    Exclusion,
    Job,
    LoadingJob,
    Source,
    TrainingJob,
    WordTable,
)
from retrieval.words import tables

if TYPE_CHECKING:
    from django.contrib.auth.models import User

NAMED = 5
"""Of what stands on a row, how many a refusal names."""
_KINDS: dict[type[Deletable], DeletedKind] = {
    Book: DeletedKind.BOOK,
    Source: DeletedKind.SOURCE,
    Excerpt: DeletedKind.EXCERPT,
    CandidateJob: DeletedKind.JOB,
    LoadingJob: DeletedKind.LOADING,
    TrainingJob: DeletedKind.TRAINING,
    WordTable: DeletedKind.WORDS,
}
_KEPT: dict[type[Deletable], tuple[str, ...]] = {
    Book: ("slug", "title", "author", "year", "language", "sha256", "n_sentences"),
    Source: ("slug", "citation", "language", "sha256"),
    Excerpt: ("digest", "printed", "start", "end", "first", "size", "standing"),
    CandidateJob: ("ranker", "parameters", "seed", "code_version", "status", "total", "done"),
    LoadingJob: ("work", "name", "sha256", "facts", "code_version", "status"),
    TrainingJob: ("name", "plan", "seed", "code_version", "status"),
    WordTable: ("kind", "slug", "sha256", "file_name", "n_words", "width", "source", "licence"),
}


def delete(row: Deletable, *, reason: str, by: User | None, now: datetime) -> Deletion:
    """Delete a row with all that is only its own, and return the line that remains.

    The files that were made of it, as vectors and epochs, go when the transaction has been committed.

    Raises:
        BadInput: the reason is missing, something stands on it, it has not ended, or it is gone already;
            nothing is deleted.
    """
    said = check_reason(reason)
    try:
        with transaction.atomic():
            held = type(row)._default_manager.select_for_update().filter(pk=row.pk).first()
            if held is None:
                raise BadInput(f"{name(row)} is gone already.")
            if refusal := why_not(held):
                raise BadInput(refusal)
            made = recorded(held, takes_along(held), said, by, now)
            made.save()
            _delete_its_own(held)
            held.delete()
            transaction.on_commit(partial(_remove_files, held), robust=True)
    except (ProtectedError, IntegrityError):
        # Whoever built upon it did so after we had looked.
        raise BadInput(f"Something was built upon {name(row)} meanwhile; nothing was deleted.") from None
    return made


def why_not(row: Deletable) -> str:
    """Return why a row cannot be deleted, in a sentence; empty where it can."""
    if isinstance(row, Job) and not row.ended:
        return f"{name(row)} has not ended; cancel it first."
    found = dependents(row)
    if not found:
        return ""
    more = f", and {len(found) - NAMED:,} more" if len(found) > NAMED else ""
    named = ", ".join(each.words for each in found[:NAMED])
    return f"{name(row)} cannot be deleted, because of what stands on it: {named}{more}."


def name(row: Deletable) -> str:
    """Return what a row is called at the beginning of a sentence."""
    if isinstance(row, Book | Source):
        return f"“{row}”"
    if isinstance(row, Excerpt):
        return f"Excerpt {row.pk}"
    return f"Job {row.pk}" if isinstance(row, CandidateJob) else str(row)


def takes_along(row: Deletable) -> list[str]:
    """Return what goes with a row, in a few words each."""
    if isinstance(row, Book | Source):
        parts = [
            (row.comparisons.count(), "comparison"),
            (row.exclusions.count(), "exclusion"),
            (row.loadings.count(), "search or import of it in the list of jobs"),
            (EncodingJob.objects.filter(book=row).count() if isinstance(row, Book) else 0, "encoding"),
        ]
        return ["its text", *(_counted(n, noun) for n, noun in parts if n)]
    if isinstance(row, Excerpt):
        return decisions(row.curations.count())
    if isinstance(row, CandidateJob):
        return [counted(row.candidates.count(), "candidate")]
    if isinstance(row, WordTable):
        return ["its files"]
    return ["its epochs on disk"] if isinstance(row, TrainingJob) else []


def decisions(n: int) -> list[str]:
    """Return what goes with an excerpt about which so many decisions were made."""
    return [counted(n, "decision") + " about it"] if n else []


def _counted(n: int, noun: str) -> str:
    return counted(n, noun) if " " not in noun else f"{n:,} {noun}"


def recorded(row: Deletable, with_it: list[str], reason: str, by: User | None, now: datetime) -> Deletion:
    """Return the line that remains of a row, not yet stored; `with_it` is what goes with the row."""
    facts: dict[str, Any] = {"id": row.pk, **{each: getattr(row, each) for each in _KEPT[type(row)]}}
    texts = {of: getattr(row, of, None) for of in ("book", "source")}
    facts |= {of: text.slug for of, text in texts.items() if isinstance(text, Book | Source)}
    facts["with_it"] = with_it
    called = name(row).strip("“”") if isinstance(row, Book | Source) else name(row)
    if isinstance(row, Excerpt | CandidateJob):
        called = f"{called} on {row.book}"
    return Deletion(kind=_KINDS[type(row)], name=called[:300], facts=facts, reason=reason, by=by, at=now)


def _delete_its_own(row: Deletable) -> None:
    """Delete what would protect a row and is about nothing else."""
    if isinstance(row, Excerpt):
        Curation.objects.filter(excerpt=row).delete()
    elif isinstance(row, Book):
        Exclusion.objects.filter(book=row).delete()
        EncodingJob.objects.filter(book=row).delete()
    elif isinstance(row, Source):
        Exclusion.objects.filter(source=row).delete()


def _remove_files(row: Deletable) -> None:
    if isinstance(row, Book):
        kept_vectors.remove(row)
    elif isinstance(row, TrainingJob):
        shutil.rmtree(settings.DATA_DIR / "training" / row.name, ignore_errors=True)
    elif isinstance(row, WordTable):
        tables.remove_files(row)
