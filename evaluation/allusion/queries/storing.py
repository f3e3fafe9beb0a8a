"""Queries as they are stored: topics with their wordings, and judgments in the corpus they point into."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from django.db import IntegrityError, transaction

from annotation.models import Event, Study
from common.errors import BadField, BadInput
from evaluation.allusion.queries.making import WINDOWS, Made, Query, made
from evaluation.allusion.queries.wordings import READER
from evaluation.kinds.answers import read_readers
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, Grade, Qrels, TopicSet
from retrieval.corpora.runs.naming import documents
from retrieval.engine.interchange.topics import ReadTopic
from retrieval.loading.storing import check_fields

if TYPE_CHECKING:
    from django.contrib.auth.models import User

BATCH = 5_000
RELEVANT = 1
FACET = "query"
"""The facet that says which reading a topic's query is."""


class Stored(NamedTuple):
    """What came of making queries.

    topics, qrels: as they are stored.
    created: whether anything is new.
    made: the queries, and what gave none.
    open: whether readings may still come in.
    simulated: pseudonyms of readers that are programs.
    """

    topics: TopicSet
    qrels: Qrels
    created: bool
    made: Made
    open: bool
    simulated: tuple[str, ...]


def store(
    study: Study,
    corpus: Corpus,
    name: str,
    windows: tuple[int, ...] = WINDOWS,
    *,
    unread: bool = False,
    by: User | None = None,
) -> Stored:
    """Make the queries of a study and store them as topics and judgments of one name, all or nothing.

    Made again from the same readings they are known, and a further corpus gets judgments of its own.

    Raises:
        BadInput: as `made`, or the name is none, or is taken by other topics or other judgments.
    """
    found = made(study, corpus, windows, unread=unread)
    state = "while it was open" if study.is_open else "when it was closed"
    simulated = tuple(each.pseudonym for each in read_readers(study) if each.simulated)
    who = "simulated readers" if simulated else "readers"
    topics = TopicSet(
        slug=name,
        title=f"Spans of {study.title}"[:300],
        source=f"What {who} of the study {study.slug} marked, {state}"[:300],
        sha256=_digest([(each.topic, each.usual, each.wordings) for each in found.queries]),
        created_by=by,
    )
    qrels = Qrels(
        corpus=corpus,
        topics=topics,
        name=name,
        source=f"What the references of the study {study.slug} point into"[:300],
        sha256=_digest([(each.topic, each.targets) for each in found.queries]),
        created_by=by,
    )
    known = _known(qrels)
    with transaction.atomic():
        loaded = loading.keep(
            topics, lambda: [_topic(each) for each in found.queries], found.queries[0].language, _wrong
        )
        if known is None:
            qrels.topics = loaded.topics
            _judge(qrels, found.queries)
            data = {"format": "topics", "topics": name, "corpus": corpus.slug, "queries": len(found.queries)}
            Event.objects.create(study=study, actor=by, verb="export", data=data)
    created = loaded.created or known is None
    return Stored(loaded.topics, known or qrels, created, found, study.is_open, simulated)


def _topic(query: Query) -> ReadTopic:
    reading = READER.rstrip("-") if query.usual.startswith(READER) else query.usual
    wordings = {
        name: {"text": each.text, **({"lemmas": each.lemmas} if each.lemmas else {})}
        for name, each in query.wordings.items()
    }
    return ReadTopic(
        query.topic,
        query.title.text,
        query.citation,
        f"Alludes to {'; '.join(query.cited)}.",
        "",
        query.language,
        {FACET: reading},
        query.number,
        wordings,
    )


def _wrong(number: int, sentence: str) -> BadInput:
    return BadInput(f"Item {number}: {sentence}")


def _judge(qrels: Qrels, queries: Sequence[Query]) -> None:
    """Store the judgments: every target of a query is right."""
    members = dict(qrels.topics.members.values_list("external_id", "pk"))
    lines = {name: each.number for each in queries for name in each.targets}
    keys = documents(qrels.corpus, lines, _wrong)
    try:
        with transaction.atomic():
            qrels.save(force_insert=True)
    except IntegrityError:
        raise BadField(
            "name", f'Judgments "{qrels.name}" were stored meanwhile; look at them first.'
        ) from None
    Grade.objects.bulk_create(
        (
            Grade(qrels=qrels, topic_id=members[each.topic], document_id=keys[name], grade=RELEVANT)
            for each in queries
            for name in each.targets
        ),
        batch_size=BATCH,
    )


def _known(qrels: Qrels) -> Qrels | None:
    """Return these judgments where they are here already. Raises `BadField` where others have the name."""
    check_fields(qrels, ("name", "source"))
    found = Qrels.objects.filter(corpus=qrels.corpus, name=qrels.name).select_related("topics").first()
    if found is None or (found.sha256, found.topics.sha256) == (qrels.sha256, qrels.topics.sha256):
        return found
    raise BadField(
        "name",
        f'The corpus "{qrels.corpus.slug}" has other judgments "{qrels.name}": other words were marked '
        "since, or they come of something else. Choose another name.",
    )


def _digest(what: object) -> str:
    return hashlib.sha256(json.dumps(what, ensure_ascii=False).encode()).hexdigest()
