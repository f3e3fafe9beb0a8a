"""Runs from files and to files, and qrels from files: all of a file or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
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
from retrieval.engine.interchange.lines import Wrong, opened, printable, sha256, wrong_in
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
        read = ranked.run(stream, file_name)
    run = Run(
        corpus=corpus,
        topics=topics,
        name=name or _tag(read, wrong),
        made_with={"ties": READ_TIES},
        file_name=file_name,
        sha256=sha256(path),
        depth=int(np.diff(read.starts).max()),
        n_topics=len(read.topics),
        n_rows=len(read.score),
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
    keys = naming.documents(run.corpus, _first_lines(read), wrong)
    for n, (topic, numbers) in enumerate(read.numbers()):
        rows = slice(read.starts[n], read.starts[n + 1])
        line = int(read.lines[rows].min())
        version = naming.known_topic(versions, topic, run.topics.slug, line, wrong)
        Ranked.objects.bulk_create(
            (
                Ranked(
                    run=run, topic=version, rank=rank, document_id=keys[read.documents[number]], score=score
                )
                for rank, (number, score) in enumerate(
                    zip(numbers.tolist(), read.score[rows].tolist(), strict=True), 1
                )
            ),
            batch_size=BATCH,
        )
        progress(n + 1, len(read.topics), "storing, topics")


def _first_lines(read: ReadRun) -> dict[str, int]:
    """Return the first line of each document, by its id."""
    first = np.full(len(read.documents), np.iinfo(np.int64).max)
    np.minimum.at(first, read.document, read.lines)
    return dict(zip(read.documents, first.tolist(), strict=True))


def _notes(read: ReadRun, topics: TopicSet) -> list[str]:
    said = []
    if read.other_tags:
        others = ", ".join(each[:60] for each in read.other_tags)
        said.append(f"The file has other tags beside {read.tag[:60]}: {others}. It is taken as one run.")
    if read.contradicted:
        said.append(
            f"In {counted(read.contradicted, 'topic')} the ranks contradict the scores; the scores hold."
        )
    if tied := int(read.tied.sum()):
        said.append(f"{counted(tied, 'document')} tied with the one before; ordered by {READ_TIES}.")
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
    """Load relevance judgments made elsewhere; return them, and whether new.

    The path is a file that `qrels.qrels` reads, or a BEIR folder with one file in its `qrels`.

    Raises:
        BadInput: a sentence that names the file and the line, or the name; nothing is stored.
    """
    path = _qrels_file(path)
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
        read = grades.qrels(stream, file_name)

    def rows() -> None:
        members = dict(topics.members.values_list("external_id", "pk"))
        first: dict[str, int] = {}
        for _, document, _, line in read.rows():
            first.setdefault(document, line)
        keys = naming.documents(corpus, first, wrong)
        Grade.objects.bulk_create(
            (
                Grade(
                    qrels=qrels,
                    topic_id=naming.known_topic(members, topic, topics.slug, line, wrong),
                    document_id=keys[document],
                    grade=grade,
                )
                for topic, document, grade, line in read.rows()
            ),
            batch_size=BATCH,
        )

    return _store(qrels, rows), True


def _qrels_file(path: Path) -> Path:
    """Return the file of judgments: this one, or the only one of this BEIR folder. Raises `BadInput`."""
    if not path.is_dir():
        return path
    found = sorted(each for each in (path / "qrels").glob("*.tsv*") if each.is_file())
    if len(found) != 1:
        names = ", ".join(map(printable, found)) or "none"
        raise BadInput(
            f"{printable(path)}: one file qrels/….tsv was expected in the BEIR folder; there are: {names}."
        )
    return found[0]


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
