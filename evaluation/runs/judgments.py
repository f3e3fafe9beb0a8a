"""What runs are measured on: judgments loaded with a corpus, or made of the grades of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Min, QuerySet

from annotation.models import Item, Kind, Study
from common.errors import BadField, BadInput
from common.wording import counted
from evaluation.metrics.ranking.graded import Qrels
from evaluation.qrels.of_study import pools_of, study_qrels
from evaluation.runs import stored
from retrieval.corpora.models import Corpus, Document, TopicSet

PREFIX = "study:"
"""Before the slug of a study whose grades are the judgments."""


class Given(NamedTuple):
    """Judgments that are ready to be measured on.

    qrels: grades by topic and document.
    highest: the highest grade of the scale, used or not; None where nobody said.
    about: what one must know of them, in sentences.
    simulated: a sentence where programs judged, not people; empty where they did not.
    """

    qrels: Qrels
    highest: int | None
    about: tuple[str, ...]
    simulated: str


def of_file(corpus: Corpus, topics: TopicSet, name: str) -> Given:
    """Return judgments that were loaded with a corpus. Raises `BadField` where there are none so called."""
    found = stored.qrels_of(corpus, name, topics)
    source = f" ({found.source})" if found.source else ""
    return Given(stored.read_qrels(found), None, (f"Judgments: {found.name}{source}.",), "")


def of_study(study: Study, rule: str, corpus: Corpus, topics: TopicSet) -> Given:
    """Return one grade of those of a study's readers, by a rule.

    Raises:
        BadField: the study judged a pool of another corpus or of other topics, where the same ids mean other
            texts, it asks about other topics or documents, or it has no such grades.
    """
    for pool in pools_of(study):
        if (pool.corpus_id, pool.topics_id) != (corpus.pk, topics.pk):
            raise BadField(
                "qrels",
                f"The study “{study.slug}” judged “{pool.topics.slug}” in “{pool.corpus.slug}”, not "
                f"“{topics.slug}” in “{corpus.slug}”, where the same id may mean another text.",
            )
    if not judging(Study.objects.filter(pk=study.pk), corpus, topics):
        raise BadField(
            "qrels",
            f"The study “{study.title}” does not ask about topics of “{topics.slug}” and documents of "
            f"“{corpus.slug}”; choose a study that was made of them.",
        )
    try:
        found = study_qrels(study, rule)
    except BadInput as error:
        raise BadField("qrels", str(error)) from None
    about = f"Judgments: those of the study “{study.title}”; the grade of a document is {found.rule}."
    still = ("The study is open: these numbers may change.",) if study.is_open else ()
    simulated = ""
    if found.simulated:
        simulated = f"{counted(len(found.simulated), 'reader')} of the study {_verb(found.simulated)}."
    return Given(found.made.qrels, found.highest, (about, *still), simulated)


def _verb(names: tuple[str, ...]) -> str:
    return "is a program, not a person" if len(names) == 1 else "are programs, not people"


def judging(studies: QuerySet[Study], corpus: Corpus, topics: TopicSet) -> Sequence[Study]:
    """Return those studies whose first work item has a topic of this set and a document of this corpus.

    Few queries, however many studies there are, each of one pass: a subquery for every study is as fast only
    while the database knows how many items there are.
    """
    there = list(studies.order_by("title"))
    items = Item.objects.filter(study__in=[study.pk for study in there], kind=Kind.WORK).order_by()
    first = [pk for _, pk in items.values_list("study").annotate(Min("pk"))]
    payloads = dict(Item.objects.filter(pk__in=first).order_by().values_list("study", "payload"))
    asked = {
        study: tuple(_id(payload.get(part)) for part in ("topic", "document"))
        for study, payload in payloads.items()
    }
    named = set(topics.members.values_list("external_id", flat=True))
    wanted = {document for topic, document in asked.values() if topic in named}
    known = Document.objects.filter(corpus=corpus, external_id__in=wanted).order_by()
    here = set(known.values_list("external_id", flat=True))
    return [
        study
        for study in there
        if study.pk in asked and asked[study.pk][0] in named and asked[study.pk][1] in here
    ]


def _id(part: object) -> str:
    return str(part.get("id", "")) if isinstance(part, dict) else ""
