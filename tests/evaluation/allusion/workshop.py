"""Topics with wordings over the psalter, and runs of the systems whose ranks are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from retrieval.corpora.models import Corpus, Grade, Qrels, Ranked, Run, Topic, TopicSet, TopicVersion
from retrieval.corpora.searching import lemmas
from tests.evaluation.allusion.verses import VERSES, psalter

NAMES = list(VERSES)
RIGHT: Mapping[str, Sequence[int]] = {"item-1": (0,), "item-2": (1,), "item-3": (2, 3), "item-4": (4,)}
"""The right verses of each topic, by their places."""


def topics(corpus: Corpus, name: str = "spans") -> TopicSet:
    """Store four topics with judgments; the last has no window."""
    made = TopicSet.objects.create(slug=name, title="Spans", wordings=["manual", "source", "window-3"])
    qrels = Qrels.objects.create(corpus=corpus, topics=made, name=name)
    keys = list(corpus.documents.order_by("number").values_list("pk", flat=True))
    for n, (each, right) in enumerate(RIGHT.items()):
        topic = Topic.objects.create(topics=made, number=n, external_id=each)
        words = {"text": "the tide asks", "lemmas": "the tide ask"}
        wordings = {"manual": words, "source": words, **({} if n == 3 else {"window-3": words})}
        TopicVersion.objects.create(topic=topic, title="the tide asks", wordings=wordings)
        Grade.objects.bulk_create(
            Grade(qrels=qrels, topic=topic, document_id=keys[at], grade=1) for at in right
        )
    return made


def run(
    of: TopicSet,
    corpus: Corpus,
    ranker: str,
    *orders: Sequence[int],
    wording: str = "wording:manual",
    name: str = "",
    scores: Sequence[float] = (),
    depth: int = 5,
    **parameters: Any,
) -> Run:
    """Store a run: for each topic the places of the verses in their order; none for a topic without rows."""
    genre = parameters.pop("genre", "all")
    given = {"words": "tokens", **parameters}
    said = lemmas.TOKENS if given["words"] == "tokens" else lemmas.GIVEN
    parameters = {
        "fields": [wording],
        "depth": depth,
        "similarity": {"ranker": ranker, "parameters": given, "words": said},
        "subset": {"name": genre, "documents": len(VERSES), "mask_sha256": f"of {genre}"},
    }
    number = Run.objects.count()
    made = Run.objects.create(
        corpus=corpus,
        topics=of,
        name=name or f"run-{number}",
        ranker=ranker,
        depth=depth,
        parameters=parameters,
        n_topics=len(orders),
        n_rows=sum(map(len, orders)),
    )
    keys = list(corpus.documents.order_by("number").values_list("pk", flat=True))
    versions = TopicVersion.objects.filter(topic__topics=of).order_by("topic__number")
    Ranked.objects.bulk_create(
        Ranked(
            run=made, topic=version, rank=n, document_id=keys[at], score=scores[n - 1] if scores else 1 / n
        )
        for version, order in zip(versions, orders, strict=False)
        for n, at in enumerate(order, 1)
    )
    return made


def workshop() -> dict[str, str]:
    """Make corpus, topics and a few runs of Tables 2 to 4; return their names."""
    corpus = psalter()
    of = topics(corpus)
    # The right verses stand first, second, first and not at all; MRR (1 + 1/2 + 1 + 0) / 4.
    tfidf = [(0, 1, 2), (0, 1, 2), (3, 0, 2), (0, 1)]
    run(of, corpus, "bow", (1, 0), (1, 0), (0, 1), (4,))
    run(of, corpus, "tfidf", *tfidf, name="tfidf")
    run(of, corpus, "tfidf", *tfidf[::-1], words="lemmas")
    run(of, corpus, "tesserae", (), (1, 0), (), ())
    run(of, corpus, "wmd", (2, 0), (2, 3, 1), (2,), (0, 4), vectors="shore")
    run(of, corpus, "soft-cosine", (0, 1), (1, 0), (2, 3), (0, 4), relation="vectors", vectors="shore")
    run(of, corpus, "soft-cosine", (1, 0), (1, 0), (2, 3), (4, 0), relation="random", words="lemmas")
    run(of, corpus, "tfidf", *tfidf[:3], wording="wording:window-3", name="window")
    return {"corpus": corpus.slug, "topics": of.slug, "qrels": of.slug}
