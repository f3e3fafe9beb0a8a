"""References between verses as topics and judgments: their sources are searched for, their targets are right.

A source is one topic, however many records it has: the targets of all of them are relevant, with grade 1. So
no verse counts as wrong for one record that another record of the same words calls right, and no words are
counted twice.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from common.errors import BadField, BadInput
from common.wording import counted
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Corpus, Document, Grade, Qrels, TopicSet
from retrieval.corpora.runs import naming
from retrieval.engine.interchange import references
from retrieval.engine.interchange.lines import opened, printable, sha256
from retrieval.engine.interchange.objects import LONGEST_ID
from retrieval.engine.interchange.references import ReadReference
from retrieval.engine.interchange.topics import ReadTopic
from retrieval.engine.interchange.verses import VerseId
from retrieval.loading.storing import check_fields

if TYPE_CHECKING:
    from django.contrib.auth.models import User

WORDING = "source"
"""The name of the wording that holds text and lemmas of the source."""
GRADE = 1
BATCH = 5_000


class Asked(NamedTuple):
    """What is made of a file of references.

    corpus: its documents are the verses that are searched for.
    sources: of which the sources are documents; it may be the same.
    facts: values of `loading.FACTS` of the new topics.
    name: of the judgments.
    language: of the topics.
    accepted: reasons for which no record is refused.
    """

    corpus: Corpus
    sources: Corpus
    facts: dict[str, str]
    name: str
    language: str
    accepted: frozenset[str] = frozenset()


class Made(NamedTuple):
    """What became of a file of references.

    topics: one for each source.
    qrels: the targets of each.
    created: whether they are new.
    joined: how many records they are of.
    refused: the other records, by reason.
    """

    topics: TopicSet
    qrels: Qrels
    created: bool
    joined: int
    refused: Counter[str]


class _Verse(NamedTuple):
    """A verse as a document: its key, its words, and its lemmas (empty: not known)."""

    key: int
    text: str
    lemmata: str


Group = tuple[tuple[VerseId, ...], Sequence[ReadReference]]
"""The records of one source."""


def load(path: Path, asked: Asked, by: User | None = None) -> Made:
    """Make topics and judgments of a file of references, all of it or nothing.

    Args:
        path: The records, as JSON (`engine.interchange.references`).
        asked: What to make of them.
        by: Who makes them.

    Raises:
        BadInput: a record is none, all are refused, or a name is taken by something else.
    """
    name = printable(path)
    digest = _digest(sha256(path), asked)
    with opened(path) as stream:
        read = references.read(stream.read(), name)
    targets = _verses(asked.corpus, (verse for each in read for verse in each.target))
    sources = _verses(asked.sources, (verse for each in read for verse in each.source))
    joined, refused = _joined(read, sources, targets, asked)
    groups = _by_source(joined)
    found = TopicSet(**asked.facts, sha256=digest, created_by=by)
    qrels = Qrels(
        corpus=asked.corpus,
        topics=found,
        name=asked.name,
        source=f"{counted(len(joined), 'reference')} of {name}"[:300],
        file_name=name,
        sha256=digest,
        created_by=by,
    )
    known = _known(qrels)
    loaded = loading.keep(
        found,
        lambda: [_topic(*each, sources, asked) for each in groups],
        asked.language,
        lambda n, sentence: BadInput(f"{name}: {sentence}"),
        partial(_store, qrels, groups, targets),
    )
    if not loaded.created and known is None:
        raise BadField(
            "slug",
            f'The topics "{loaded.topics.slug}" are here without their judgments; choose another slug.',
        )
    return Made(loaded.topics, known or qrels, loaded.created, len(joined), refused)


def _digest(of_file: str, asked: Asked) -> str:
    what = [of_file, asked.corpus.sha256, asked.sources.sha256, asked.name, sorted(asked.accepted)]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def _verses(corpus: Corpus, named: Iterable[VerseId]) -> dict[VerseId, _Verse]:
    """Return those of the verses that are documents of the corpus."""
    wanted = {each.written: each for each in named}
    found = {}
    for ids in naming.chunks(list(wanted), naming.AT_ONCE):
        rows = Document.objects.filter(corpus=corpus, external_id__in=ids).order_by()
        for external_id, key, text, lemmata in rows.values_list("external_id", "pk", "text", "lemmata"):
            found[wanted[external_id]] = _Verse(key, text, lemmata)
    return found


def _joined(
    read: Sequence[ReadReference],
    sources: dict[VerseId, _Verse],
    targets: dict[VerseId, _Verse],
    asked: Asked,
) -> tuple[list[ReadReference], Counter[str]]:
    """Return the records that are used, and the others counted by reason. Raises `BadInput` for none."""
    refused: Counter[str] = Counter()
    joined = []
    for each in read:
        absent = not (set(each.source) <= set(sources) and set(each.target) <= set(targets))
        if why := references.why_not(each, absent=absent, accepted=asked.accepted):
            refused[why] += 1
        else:
            joined.append(each)
    if not joined:
        said = ", ".join(f"{why} ({number:,})" for why, number in refused.most_common()) or "it holds none"
        raise BadInput(
            f"No reference can be used: {said}. Sources are looked for in the corpus "
            f'"{asked.sources.slug}", targets in "{asked.corpus.slug}", by ids such as Matthew_1_23.'
        )
    return joined, refused


def _by_source(joined: Sequence[ReadReference]) -> list[Group]:
    groups: dict[tuple[VerseId, ...], list[ReadReference]] = {}
    for each in joined:
        groups.setdefault(tuple(each.source), []).append(each)
    return list(groups.items())


def _topic(
    source: Sequence[VerseId],
    records: Sequence[ReadReference],
    verses: dict[VerseId, _Verse],
    asked: Asked,
) -> ReadTopic:
    name = references.names(source)
    if len(name.encode()) > LONGEST_ID:
        raise BadInput(
            f"{records[0].where}: the ids of its source have more than {LONGEST_ID} bytes together."
        )
    said = {"text": " ".join(verses[each].text for each in source)}
    if all(verses[each].lemmata for each in source):
        said["lemmas"] = " ".join(verses[each].lemmata for each in source)
    facets = {
        "book": source[0].book,
        "ref_type": _values(each.record.get("ref_type") for each in records),
        "flags": _values(flag for each in records for flag in references.flags_of(each) or ()),
        "records": str(len(records)),
    }
    kept = {facet: value for facet, value in facets.items() if value}
    return ReadTopic(name, said["text"], "", "", "", asked.language, kept, 0, {WORDING: said})


def _values(given: Iterable[object]) -> str:
    """Return the values that records have, each once."""
    return " + ".join(sorted({str(each) for each in given if references.is_plain(each)}))


def _store(qrels: Qrels, groups: Sequence[Group], targets: dict[VerseId, _Verse], topics: TopicSet) -> None:
    qrels.save(force_insert=True)
    members = dict(topics.members.values_list("external_id", "pk"))
    Grade.objects.bulk_create(
        (
            Grade(
                qrels=qrels,
                topic_id=members[references.names(source)],
                document_id=targets[verse].key,
                grade=GRADE,
            )
            for source, records in groups
            for verse in dict.fromkeys(verse for each in records for verse in each.target)
        ),
        batch_size=BATCH,
    )


def _known(qrels: Qrels) -> Qrels | None:
    """Return these judgments where they are here already. Raises `BadField` where others have the name."""
    check_fields(qrels, ("name", "source"))
    found = Qrels.objects.filter(corpus=qrels.corpus, name=qrels.name).first()
    if found is not None and found.sha256 != qrels.sha256:
        raise BadField(
            "name", f'The corpus "{qrels.corpus.slug}" has another {qrels.name!r}; choose another name.'
        )
    return found
