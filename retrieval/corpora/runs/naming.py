"""Ids of a file found among the documents and topics that are here; what is not here is named by its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from common.errors import BadField
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, Document, Run, State, TopicSet, TopicVersion
from retrieval.engine.interchange.lines import Wrong

AT_ONCE = 500
"""Ids asked for in one query: fewer than any database has parameters."""
Key = TypeVar("Key")


def corpus(slug: str) -> Corpus:
    """Return the corpus of this slug. Raises `BadField` where none is here, or its loading never ended."""
    found = Corpus.objects.filter(slug=slug).first()
    if found is None:
        raise BadField("corpus", f'No corpus "{slug}" is here; load it first (import_corpus).')
    if found.state != State.READY:
        raise BadField(
            "corpus", f'The corpus "{slug}" is not loaded to its end; run its import_corpus again first.'
        )
    return found


def topic_set(slug: str) -> TopicSet:
    """Return the set of topics of this slug. Raises `BadField` where none is here."""
    found = TopicSet.objects.filter(slug=slug).first()
    if found is None:
        raise BadField("topics", f'No topics "{slug}" are here; load them first (import_topics).')
    return found


def versions(topics: TopicSet) -> dict[str, TopicVersion]:
    """Return the current wording of each topic by its id."""
    return {each.topic.external_id: each for each in loading.current(topics)}


def documents(corpus: Corpus, lines: dict[str, int], wrong: Wrong) -> dict[str, int]:
    """Return the keys of documents by their ids.

    Args:
        corpus: Where to look.
        lines: The line of the file on which each id stands first.
        wrong: Makes the error for a line.

    Raises:
        BadInput: one of them is not in the corpus.
    """
    found: dict[str, int] = {}
    for ids in chunks(list(lines), AT_ONCE):
        rows = Document.objects.filter(corpus=corpus, external_id__in=ids)
        found.update(rows.values_list("external_id", "pk"))
    for each, line in lines.items():
        if each not in found:
            raise wrong(line, f'the document {each!r} is not in the corpus "{corpus.slug}".')
    return found


def known_topic(topics: dict[str, Key], topic: str, slug: str, line: int, wrong: Wrong) -> Key:
    """Return what stands for the topic of this id. Raises `BadInput` where the set has no such topic."""
    if topic not in topics:
        raise wrong(line, f'the topic {topic!r} is not among the topics "{slug}".')
    return topics[topic]


def chunks(values: Sequence[Key], size: int) -> Iterator[list[Key]]:
    """Yield the values in lists of this size; the last may be shorter."""
    rest: Iterable[Key] = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk


def run(corpus: Corpus, name: str) -> Run:
    """Return the run of this name. Raises `BadField` where the corpus has none."""
    found = Run.objects.filter(corpus=corpus, name=name).first()
    if found is None:
        names = ", ".join(Run.objects.filter(corpus=corpus).values_list("name", flat=True)[:20]) or "none"
        raise BadField("run", f'The corpus "{corpus.slug}" has no run "{name}"; it has: {names}.')
    return found
