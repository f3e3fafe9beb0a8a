"""Runs from files and to files, and qrels from files: all of a file or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import IntegrityError, transaction

from common.errors import BadField, BadInput
from common.progress import Progress, silent
from common.wording import counted
from retrieval.corpora.models import Corpus, Grade, Qrels, Ranked, Run, TopicSet
from retrieval.corpora.runs import naming
from retrieval.engine.interchange import qrels as grades
from retrieval.engine.interchange import runs as ranked
from retrieval.engine.interchange.lines import Wrong, lines, opened, printable, sha256, wrong_in
from retrieval.engine.interchange.runs import ReadRun
from retrieval.loading.storing import check_fields

if TYPE_CHECKING:
    from django.contrib.auth.models import User

BATCH = 5_000
READ_TIES = "score (float64) descending, then bytes of the document's id descending, as trec_eval"
"""The rule by which a run that is read is ordered."""
Row = TypeVar("Row", Run, Qrels)


def load_run(
    path: Path,
    corpus: Corpus,
    topics: TopicSet,
    name: str,
    by: User | None = None,
    progress: Progress = silent,
) -> tuple[Run, bool]:
    """Load a run from a file in TREC's form; return it, and whether it is new.

    Args:
        path: The file; `.gz` is unpacked.
        corpus: The documents it ranks.
        topics: The topics it ranks them for, in their current wording.
        name: Of the run; empty: the tag of its first line.
        by: Who loads it.
        progress: Called with the topics that are stored.

    Raises:
        BadInput: a sentence that names the file and the line, or the name; nothing is stored.
    """
    file_name = printable(path)
    wrong = wrong_in(file_name)
    with opened(path) as stream:
        read = ranked.run(lines(stream, file_name), wrong)
    run = Run(
        corpus=corpus,
        topics=topics,
        name=name or _tag(read, wrong),
        made_with={"ties": READ_TIES},
        file_name=file_name,
        sha256=sha256(path),
        depth=max(map(len, read.topics.values())),
        notes=_notes(read, topics),
        created_by=by,
    )
    known = _known(run)
    return (known, False) if known else (_store(run, lambda: _rows(run, read, wrong, progress)), True)


def _tag(read: ReadRun, wrong: Wrong) -> str:
    """Return the tag of a run as its name. Raises `BadInput` where no name here is written so."""
    try:
        validate_slug(read.tag)
    except ValidationError:
        raise wrong(
            read.line,
            f"the tag {read.tag[:60]!r} is no name here (letters, digits, - and _); give one (--name).",
        ) from None
    return read.tag


def _rows(run: Run, read: ReadRun, wrong: Wrong, progress: Progress) -> None:
    versions = naming.versions(run.topics)
    first: dict[str, int] = {}
    for rows in read.topics.values():
        for row in rows:
            first[row.document] = min(row.line, first.get(row.document, row.line))
    keys = naming.documents(run.corpus, first, wrong)
    for n, (topic, rows) in enumerate(read.topics.items()):
        version = naming.known_topic(versions, topic, run.topics.slug, min(row.line for row in rows), wrong)
        Ranked.objects.bulk_create(
            (
                Ranked(run=run, topic=version, rank=rank, document_id=keys[row.document], score=row.score)
                for rank, row in enumerate(rows, 1)
            ),
            batch_size=BATCH,
        )
        progress(n + 1, len(read.topics), "storing, topics")


def _notes(read: ReadRun, topics: TopicSet) -> list[str]:
    said = []
    if read.contradicted:
        said.append(
            f"In {counted(read.contradicted, 'topic')} the ranks contradict the scores; the scores hold."
        )
    if read.tied:
        said.append(f"{counted(read.tied, 'document')} tied with the one before; ordered by {READ_TIES}.")
    missing = topics.members.count() - len(read.topics)
    if missing > 0:
        verb = "has" if missing == 1 else "have"
        said.append(f"{counted(missing, 'topic')} of the set {verb} no document in it.")
    return said


def write_run(run: Run) -> Iterator[str]:
    """Yield the lines of a run in TREC's form, topic by topic in the order of the set.

    Scores are written so that they fall strictly even as float32, in which trec_eval before version 10
    compares: then every reader keeps our order. The true scores stay in the table.
    """
    rows = run.rows.order_by("topic__topic__number", "rank").values_list(
        "topic__topic__external_id", "document__external_id", "score"
    )
    for topic, found in groupby(rows.iterator(chunk_size=BATCH), key=lambda row: row[0]):
        yield from ranked.written(topic, ((document, score) for _, document, score in found), run.name)


def load_qrels(
    path: Path, corpus: Corpus, topics: TopicSet, name: str, source: str = "", by: User | None = None
) -> tuple[Qrels, bool]:
    """Load relevance judgments made elsewhere, in TREC's or BEIR's form; return them, and whether new.

    Raises:
        BadInput: a sentence that names the file and the line, or the name; nothing is stored.
    """
    file_name = printable(path)
    wrong = wrong_in(file_name)
    qrels = Qrels(
        corpus=corpus,
        topics=topics,
        name=name,
        source=source,
        file_name=file_name,
        sha256=sha256(path),
        created_by=by,
    )
    known = _known(qrels)
    if known:
        return known, False
    with opened(path) as stream:
        read = list(grades.qrels(lines(stream, file_name), wrong))
    if not read:
        raise BadInput(f"{file_name} holds no judgment; topic, iteration, document and grade were expected.")

    def rows() -> None:
        members = dict(topics.members.values_list("external_id", "pk"))
        first = {each.document: each.line for each in reversed(read)}
        keys = naming.documents(corpus, first, wrong)
        Grade.objects.bulk_create(
            (
                Grade(
                    qrels=qrels,
                    topic_id=naming.known_topic(members, each.topic, topics.slug, each.line, wrong),
                    document_id=keys[each.document],
                    grade=each.grade,
                )
                for each in read
            ),
            batch_size=BATCH,
        )

    return _store(qrels, rows), True


def _known(row: Row) -> Row | None:
    """Return what is stored under this name already. Raises `BadField` where that came of another file."""
    check_fields(row, {"name", "source"} & {field.name for field in row._meta.fields})
    known: Row | None = type(row)._default_manager.filter(corpus=row.corpus, name=row.name).first()
    if known is None or (known.sha256, known.topics_id) == (row.sha256, row.topics_id):
        return known
    raise BadField("name", f'The corpus "{row.corpus.slug}" has another {row.name!r}; choose another name.')


def _store(row: Row, fill: Callable[[], object]) -> Row:
    """Store a row and what belongs to it, in one transaction."""
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            fill()
    except IntegrityError:
        raise BadField("name", f'"{row.name}" was stored meanwhile; look at it first.') from None
    return row
