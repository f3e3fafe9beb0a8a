"""Where stored runs rank the right documents: those places alone are read, not the whole of a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_

import numpy as np
from django.db.models import Q

from evaluation.metrics.nominal.table import IntArray
from evaluation.metrics.ranking.evaluated import Evaluated
from evaluation.metrics.ranking.graded import Graded, Judgments
from evaluation.metrics.ranking.measures import RunMeasure
from retrieval.corpora.models import Qrels, Ranked, Run, TopicVersion
from retrieval.corpora.runs.naming import chunks

AT_ONCE = 200
"""Topics that are asked for at once; SQLite takes no expression deeper than 1,000."""

Ranks = Mapping[str, Mapping[str, int]]
"""{topic: {document: its rank, from 1}} of judged documents that a run ranks."""


def judged_keys(qrels: Qrels) -> dict[int, dict[int, tuple[str, str]]]:
    """Return {wording of a topic: {document: ids of both}} of what was judged, by primary keys."""
    found: dict[int, dict[int, tuple[str, str]]] = {}
    rows = qrels.grades.values_list("topic", "topic__external_id", "document", "document__external_id")
    for key, topic, document, name in rows.order_by().iterator():
        found.setdefault(key, {})[document] = (topic, name)
    versions = TopicVersion.objects.filter(topic__in=found).values_list("pk", "topic").order_by()
    return {version: found[topic] for version, topic in versions}


def ranks(run: Run, judged: Mapping[int, Mapping[int, tuple[str, str]]]) -> Ranks:
    """Return where a run ranks what was judged; `judged` as `judged_keys` gives it."""
    found: dict[str, dict[str, int]] = {}
    for some in chunks(list(judged), AT_ONCE):
        pairs = reduce(or_, (Q(topic=key, document__in=list(judged[key])) for key in some))
        rows = Ranked.objects.filter(pairs, run=run).order_by()
        for version, document, rank in rows.values_list("topic", "document", "rank"):
            topic, name = judged[version][document]
            found.setdefault(topic, {})[name] = rank
    return found


def evaluated(name: str, found: Ranks, judged: Judgments, measures: tuple[RunMeasure, ...]) -> Evaluated:
    """Return the values of measures that look at ranks of judged documents alone, such as MRR and success@k.

    A topic whose right documents the run does not rank has the value 0.
    """
    laid = _laid(found, judged)
    values = np.array([one.per_topic(laid) for one in measures])
    missing = tuple(topic for topic in judged.topics if not found.get(topic))
    return Evaluated(name, judged.topics, measures, values, judged.without_relevant, missing, (), ())


def _laid(found: Ranks, judged: Judgments) -> Graded:
    topics, places, grades = [_NONE], [_NONE], [_NONE]
    retrieved = np.zeros(len(judged.topics), dtype=np.int64)
    rows = zip(judged.topics, judged.documents, judged.grades, strict=True)
    for number, (topic, documents, given) in enumerate(rows):
        of = found.get(topic, {})
        rank = np.array([of.get(each, 0) for each in documents], dtype=np.int64)
        there = np.flatnonzero(rank)
        there = there[np.argsort(rank[there])]
        topics.append(np.full(len(there), number))
        places.append(rank[there])
        grades.append(given[there])
        retrieved[number] = rank.max(initial=0)
    return Graded(judged, np.concatenate(topics), np.concatenate(places), np.concatenate(grades), retrieved)


_NONE: IntArray = np.zeros(0, dtype=np.int64)
