"""Where items come from, in words that another installation understands: no primary key leaves this one.

An item's provenance names its job, excerpt, pool, topic and document by primary key. In a data set it names
them under “from”, as others do: by digest, citation and id. What was read in has no key here and keeps that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from annotation.items.option_orders import order_drawn
from common.tables.json import compact
from retrieval.corpora.models import Document, Pool, TopicVersion
from retrieval.models import CandidateJob, Excerpt

FROM = "from"
KEYS = ("job", "excerpt", "pool", "topic_version", "document")
"""Of a provenance: primary keys of this installation."""


def book_of(book: Any) -> dict[str, Any]:
    """Return a book as it is cited."""
    names = ("title", "author", "year", "language", "licence", "sha256")
    return {name: getattr(book, name) for name in names}


def source_of(source: Any) -> dict[str, Any]:
    """Return a source of criticism as it is cited."""
    return {name: getattr(source, name) for name in ("citation", "language", "sha256")}


def of_excerpt(excerpt: Excerpt) -> dict[str, Any]:
    """Return an excerpt: its digest, its source and its book, and the sentence in the book."""
    book = excerpt.book.sha256 if excerpt.book_id else None
    return {
        "digest": excerpt.digest,
        "source": excerpt.source.sha256,
        "citation": excerpt.source.citation,
        "book": book,
        "first": excerpt.first,
        "size": excerpt.size,
        "external_id": excerpt.external_id,
    }


def described_job(job: CandidateJob) -> dict[str, Any]:
    """Return what a candidate job was: the book, the ranker and everything it was asked."""
    names = ("ranker", "parameters", "code_version", "checkpoint", "words")
    return {"book": job.book.sha256, **{name: getattr(job, name) for name in names}}


def job_name(job: CandidateJob) -> str:
    """Return a name that two installations give the same job: a digest of what it was."""
    return sha256(compact(_sorted(described_job(job))).encode()).hexdigest()[:16]


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


class Origins:
    """The origins of some items, looked up at once by their provenances."""

    def __init__(self, provenances: Iterable[Mapping[str, Any]]) -> None:
        made = list(provenances)
        keys = {name: {each[name] for each in made if isinstance(each.get(name), int)} for name in KEYS}
        self.found: dict[str, dict[int, Any]] = {
            "job": {
                each.pk: job_name(each)
                for each in CandidateJob.objects.select_related("book").filter(pk__in=keys["job"])
            },
            "excerpt": {
                each.pk: of_excerpt(each)
                for each in Excerpt.objects.select_related("source", "book").filter(pk__in=keys["excerpt"])
            },
            "pool": {
                each.pk: {"corpus": each.corpus.slug, "topics": each.topics.slug, "number": each.number}
                for each in Pool.objects.select_related("corpus", "topics").filter(pk__in=keys["pool"])
            },
            "topic_version": {
                each.pk: {"topic": each.topic.external_id, "version": each.version}
                for each in TopicVersion.objects.select_related("topic").filter(pk__in=keys["topic_version"])
            },
            "document": {
                each.pk: {"corpus": each.corpus.slug, "id": each.external_id}
                for each in Document.objects.select_related("corpus").filter(pk__in=keys["document"])
            },
        }

    def provenance(self, made: Mapping[str, Any]) -> dict[str, Any]:
        """Return a provenance without a primary key."""
        named = {name: self.found[name].get(made[name]) for name in KEYS if isinstance(made.get(name), int)}
        kept = {name: value for name, value in made.items() if name not in named}
        if order_drawn(made):
            kept["drawn"] = True
        return {**kept, FROM: {**kept.get(FROM, {}), **named}} if named else kept
