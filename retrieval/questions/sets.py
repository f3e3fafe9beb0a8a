"""A set of questions begun from a file of paragraphs: one question a mark, waiting to be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from django.db import IntegrityError, transaction

from common.errors import BadField, BadInput
from retrieval.corpora.models import Corpus, Question, QuestionEdit, QuestionSet, Standing
from retrieval.corpora.runs import naming
from retrieval.engine.interchange.lines import lines, opened, printable, sha256, wrong_in
from retrieval.engine.questions.paragraphs import paragraphs, written
from retrieval.loading.storing import check_fields
from retrieval.questions.checks import CHANGED, assess

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MOST = 20_000
"""Questions of a set."""
AT_ONCE, BATCH = 500, 5_000
AUTHOR = "author"
"""The origin of questions that authors wrote of their own texts."""
FACTS = ("slug", "title", "origin", "most_overlap")
"""Fields of a set that a person gives."""


def begin(path: Path, corpus: Corpus, facts: dict[str, object], by: User | None = None) -> QuestionSet:
    """Store a set with a waiting question for each mark of the paragraphs of a file; all of it or nothing.

    Where the origin is `author` the file holds questions that were written already: they are checked at once.

    Args:
        path: JSON lines, as `paragraphs.paragraphs` reads them; `.gz` is unpacked.
        corpus: Whose documents are cited.
        facts: Values of `FACTS`.
        by: Who begins it.

    Raises:
        BadInput: a sentence that names the line, or the fact; nothing is stored.
    """
    name = printable(path)
    found = QuestionSet(corpus=corpus, file_name=name, sha256=sha256(path), created_by=by, **facts)
    check_fields(found, FACTS)
    if not 0 <= found.most_overlap <= 1:
        raise BadField("most_overlap", f"The overlap is a share, 0 to 1, not {found.most_overlap}.")
    known = QuestionSet.objects.filter(slug=found.slug).first()
    if known is not None:
        if (known.sha256, known.corpus_id) == (found.sha256, corpus.pk):
            return known
        raise BadField("slug", f'Other questions are here as "{found.slug}"; choose another slug.')
    with opened(path) as stream:
        rows = list(_written(stream, name) if found.origin == AUTHOR else _waiting(stream, name))
    if not rows:
        raise BadInput(f"{name} holds nothing; one line at least was expected.")
    if len(rows) > MOST:
        raise BadInput(f"{name} has {len(rows):,} questions; a set holds {MOST:,}.")
    keys = _keys(corpus, rows, name)
    try:
        with transaction.atomic():
            found.save(force_insert=True)
            _store(found, rows, keys)
    except IntegrityError:
        raise BadField("slug", f'Questions were stored as "{found.slug}" meanwhile; look first.') from None
    return found


class Row(NamedTuple):
    """One question of a file.

    question: not saved yet.
    source: id of the document that the paragraph stands in; "" where none is named.
    targets: ids of documents.
    line: of the file.
    """

    question: Question
    source: str
    targets: tuple[str, ...]
    line: int


def _waiting(stream: IO[bytes], name: str) -> Iterator[Row]:
    for each in paragraphs(lines(stream, name), wrong_in(name)):
        for mark in each.marks:
            question = Question(paragraph_id=each.id, paragraph=each.without(mark))
            yield Row(question, each.source, mark.targets, each.line)


def _written(stream: IO[bytes], name: str) -> Iterator[Row]:
    for each in written(lines(stream, name), wrong_in(name)):
        yield Row(Question(paragraph_id=each.id, text=each.question), "", each.targets, each.line)


def _keys(corpus: Corpus, rows: Sequence[Row], name: str) -> dict[str, int]:
    """The keys of all documents that are cited or cite. Raises `BadInput` for one the corpus has not."""
    first: dict[str, int] = {}
    for row in rows:
        for each in filter(None, (row.source, *row.targets)):
            first.setdefault(each, row.line)
    return naming.documents(corpus, first, wrong_in(name))


def _store(found: QuestionSet, rows: Sequence[Row], keys: dict[str, int]) -> None:
    for number, row in enumerate(rows, 1):
        row.question.set, row.question.number = found, number
        row.question.source_id = keys[row.source] if row.source else None
    Question.objects.bulk_create([row.question for row in rows], batch_size=AT_ONCE)
    through = Question.targets.through
    through.objects.bulk_create(
        (
            through(question_id=row.question.pk, document_id=keys[target])
            for row in rows
            for target in row.targets
        ),
        batch_size=BATCH,
    )
    if found.origin == AUTHOR:
        check_written(found)


def check_written(found: QuestionSet) -> None:
    """Check the questions of a set that somebody wrote, each against those before it."""
    others: list[str] = []
    for question in found.questions.prefetch_related("targets").order_by("number"):
        assess(question, others, found.most_overlap)
        question.save(update_fields=CHANGED)
        QuestionEdit.objects.create(question=question, after=question.text, by=found.created_by)
        if question.standing == Standing.WRITTEN:
            others.append(question.text)
