"""The passages of an item in their book: read after the answer, where the study allows it.

It is the reward of good reading, and it tells more than the item did: who has read them there can no longer
change that answer. Nothing says which passage is right, nor how any of them was found.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access import get_assignment
from annotation.assignment.claiming import order_at
from annotation.models import Assignment, AssignmentStatus, Enrolment, Event, Kind
from retrieval.models import Book, CandidateJob

AROUND = 12
"""Sentences before a passage and behind it: about a page of a novel."""


class InPlace(NamedTuple):
    """A passage in its place.

    position: which it was for this reader, from 1.
    before, passage, after: the words of the book; empty where the book has been corrected since.
    mine: whether it was the reader's answer.
    """

    position: int
    before: str
    passage: str
    after: str
    mine: bool


def may_be_read(assignment: Assignment) -> bool:
    """Return whether this reader may read the item's passages in their book now.

    Whether a book is known makes no difference: check items often come from a file, and nobody is to know
    them.
    """
    return (
        assignment.study.source_after
        and assignment.status == AssignmentStatus.DONE
        and assignment.item.kind != Kind.PRACTICE
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def source(request: HttpRequest, pk: int) -> HttpResponse:
    """Say what reading on means for the answer; then store that it was done, and show the passages."""
    assignment = get_assignment(request.user, pk)
    me = assignment.annotator
    if me is None or not may_be_read(assignment):
        raise Http404
    if request.method == "POST":
        opened(assignment, me)
        return redirect("annotation:source", pk)
    context: dict[str, Any] = {
        "study": assignment.study,
        "assignment": assignment,
        "opened": assignment.source_read,
    }
    if assignment.source_read is not None:
        job = CandidateJob.objects.filter(pk=assignment.item.provenance.get("job")).first()
        if job is not None and assignment.item.provenance.get("options"):
            context |= {"book": job.book, "places": in_place(assignment, me, job.book)}
    return render(request, "annotation/source.html", context)


def opened(assignment: Assignment, me: Enrolment) -> None:
    """Store when the passages were first read in their book: from then on the answer stays."""
    now = timezone.now()
    with transaction.atomic():
        own = Assignment.objects.filter(pk=assignment.pk, annotator=me, status=AssignmentStatus.DONE)
        if own.filter(source_read=None).update(source_read=now):
            said = {"number": assignment.item.number, "reader": me.pseudonym}
            Event.objects.create(study=me.study, actor=me.user, verb="source read", data=said)


def in_place(assignment: Assignment, me: Enrolment, book: Book) -> list[InPlace]:
    """Return the item's passages in the order in which this reader saw them."""
    item, judgment = assignment.item, assignment.judgments.order_by("revision").last()
    answer = judgment.answer if judgment is not None else None
    chosen = answer.get("option") if answer else None
    found = []
    for position, option in enumerate(order_at(assignment, me), 1):
        told = item.provenance["options"][option]
        first, size = told["first"], told["size"]
        there = 0 <= first < first + size <= book.n_sentences
        passage = book.passage(first, size) if there else ""
        if passage != item.payload["options"][option]:
            found.append(InPlace(position, "", "", "", option == chosen))
            continue
        start, stop = max(0, first - AROUND), min(first + size + AROUND, book.n_sentences)
        before = book.passage(start, first - start) if start < first else ""
        after = book.passage(first + size, stop - first - size) if first + size < stop else ""
        found.append(InPlace(position, before, passage, after, option == chosen))
    return found
