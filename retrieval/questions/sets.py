"""A set of questions begun from a file of paragraphs: one question a mark, waiting to be written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction

from common.errors import BadField, BadInput
from retrieval.corpora.models import Corpus, Document, Question, QuestionSet
from retrieval.corpora.runs.naming import chunks
from retrieval.engine.interchange.lines import lines, opened, printable, sha256, wrong_in
from retrieval.engine.questions.paragraphs import Paragraph, paragraphs
from retrieval.loading.storing import check_fields

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MOST = 20_000
"""Questions of a set."""
AT_ONCE = 500
FACTS = ("slug", "title", "origin", "most_overlap")
"""Fields of a set that a person gives."""


def begin(path: Path, corpus: Corpus, facts: dict[str, object], by: User | None = None) -> QuestionSet:
    """Store a set with a waiting question for each mark of the paragraphs of a file; all of it or nothing.

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
    known = QuestionSet.objects.filter(slug=found.slug).first()
    if known is not None:
        if (known.sha256, known.corpus_id) == (found.sha256, corpus.pk):
            return known
        raise BadField("slug", f'Other questions are here as "{found.slug}"; choose another slug.')
    with opened(path) as stream:
        read = list(paragraphs(lines(stream, name), wrong_in(name)))
    if not read:
        raise BadInput(f"{name} holds no paragraph; one at least was expected.")
    if (number := sum(len(each.marks) for each in read)) > MOST:
        raise BadInput(f"{name} has {number:,} citation marks; a set holds {MOST:,} questions.")
    keys = _keys(corpus, read, name)
    try:
        with transaction.atomic():
            found.save(force_insert=True)
            _store(found, read, keys)
    except IntegrityError:
        raise BadField("slug", f'Questions were stored as "{found.slug}" meanwhile; look first.') from None
    return found


def _keys(corpus: Corpus, read: Sequence[Paragraph], name: str) -> dict[str, int]:
    """The keys of all documents that are cited or cite. Raises `BadInput` for one the corpus has not."""
    wrong = wrong_in(name)
    lines_of = {
        each: found.line
        for found in reversed(read)
        for each in filter(None, (found.source, *(target for mark in found.marks for target in mark.targets)))
    }
    keys: dict[str, int] = {}
    for ids in chunks(list(lines_of), AT_ONCE):
        rows = Document.objects.filter(corpus=corpus, external_id__in=ids)
        keys.update(rows.values_list("external_id", "pk"))
    for each, line in sorted(lines_of.items(), key=lambda item: item[1]):
        if each not in keys:
            raise wrong(line, f'the document {each!r} is not in the corpus "{corpus.slug}".')
    return keys


def _store(found: QuestionSet, read: Iterable[Paragraph], keys: dict[str, int]) -> None:
    rows = [
        (
            Question(
                set=found,
                number=0,
                paragraph_id=each.id,
                paragraph=each.without(mark),
                source_id=keys[each.source] if each.source else None,
            ),
            mark.targets,
        )
        for each in read
        for mark in each.marks
    ]
    for number, (question, _) in enumerate(rows, 1):
        question.number = number
    Question.objects.bulk_create([question for question, _ in rows], batch_size=AT_ONCE)
    through = Question.targets.through
    through.objects.bulk_create(
        (
            through(question_id=question.pk, document_id=keys[target])
            for question, targets in rows
            for target in targets
        ),
        batch_size=5_000,
    )
