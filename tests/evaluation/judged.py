"""Studies with judgments in them, written through the models."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256

from annotation.models import Assignment, AssignmentStatus, Enrolment, Item, Judgment, Outcome, State, Study
from annotation.studies.running.stopping import Rule, set_rule
from tests import builders

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAMES = "Ada Ben Hal".split()
UNANSWERED = {"u": Outcome.UNDECIDED, "b": Outcome.BROKEN}

# RELiC, section 4, n = 200: 137 items all agree, 62 two agree, 1 none. Gold (first of a row's votes, or
# wrong) is spread evenly over the canonical numbers, as a shuffle spreads it.
RELIC = (("ggg", 137), ("ggx", 62), ("gxy", 1))


def readers(study: Study, names: Iterable[str] = NAMES, **fields) -> list[Enrolment]:
    known = [builders.User.objects.filter(username=name.lower()).first() for name in names]
    return [
        builders.enrolment(study, user or builders.person(name), **fields)
        for name, user in zip(names, known, strict=True)
    ]


def ruled(study: Study, rule: Rule) -> Study:
    """The study with this stopping rule, as if it had been chosen before it opened."""
    Study.objects.filter(pk=study.pk).update(state=State.DRAFT)
    set_rule(study, rule, by=None)
    Study.objects.filter(pk=study.pk).update(state=State.OPEN)
    return Study.objects.get(pk=study.pk)


def relic(slug: str = "relic", **fields) -> Study:
    """The patterns of the RELiC study with three readers; item i has its gold at i mod 3."""
    votes = [pattern for pattern, times in RELIC for _ in range(times)]
    return judged(votes, slug=slug, **fields)


def judged(
    votes: list[str], *, slug: str = "fleet", by=None, names=NAMES, gold=True, order=None, **fields
) -> Study:
    """One item a text, one letter a reader: g gold, x and y the two wrong options, u can't decide, b broken,
    . nothing yet."""
    study = builders.study(slug, items=len(votes), overlap=len(names), by=by)
    if not gold:
        builders.rewrite(study.items.all(), gold=None)
    people = readers(study, names, **fields)
    places = (
        Assignment.objects.filter(study=study)
        .select_related("item", "study")
        .order_by("item__number", "slot")
    )
    rows = []
    for index, assignment in enumerate(places):
        who = people[index % len(names)]
        vote = votes[assignment.item.number - 1][index % len(names)]
        if vote == ".":
            continue
        rows.append(row(assignment, who, vote, seconds=20.0 + index % len(names), order=order))
    for who in people:
        theirs = [each.assignment.pk for each in rows if each.annotator == who]
        Assignment.objects.filter(pk__in=theirs).update(annotator=who, status=AssignmentStatus.DONE)
    Judgment.objects.bulk_create(rows)
    return study


def row(
    assignment: Assignment,
    who: Enrolment,
    vote: str,
    *,
    revision: int = 1,
    seconds=20.0,
    order=None,
    channel="web",
):
    outcome = UNANSWERED.get(vote, Outcome.ANSWER)
    right = assignment.item.number % 3
    return Judgment(
        assignment=assignment,
        annotator=who,
        revision=revision,
        outcome=outcome,
        answer={"option": (right + "gxy".index(vote)) % 3} if outcome == Outcome.ANSWER else None,
        order=order or [(assignment.slot + shown) % 3 for shown in range(3)],
        active_seconds=seconds,
        submission=uuid.uuid4(),
        channel=channel,
        created=NOW,
    )


def filled(task: str, items: Iterable[tuple], row, *, slug: str, by, names, fields) -> Study:
    """A study of a task with items of (payload, gold, what each reader said), "." for nothing yet.

    ``row`` makes the judgment of an assignment, its reader and what was said.
    """
    study = builders.study(slug, items=0, overlap=len(names), by=by, state=State.DRAFT)
    study.task, study.state = task, State.OPEN
    study.save()
    people, told = readers(study, names, **(fields or {})), list(items)
    made = Item.objects.bulk_create(
        Item(study=study, number=number, payload=payload, gold=gold, digest=digest(slug, number))
        for number, (payload, gold, _) in enumerate(told, 1)
    )
    answers = [
        (Assignment(
            study=study,
            item=item,
            slot=place,
            annotator=None if each == "." else who,
            status=AssignmentStatus.FREE if each == "." else AssignmentStatus.DONE,
        ), who, each)
        for item, (*_, said) in zip(made, told, strict=True)
        for place, (who, each) in enumerate(zip(people, said, strict=False), 1)
    ]  # fmt: skip
    Assignment.objects.bulk_create([place for place, *_ in answers])
    Judgment.objects.bulk_create(row(*each) for each in answers if each[-1] != ".")
    return study


def digest(slug: str, number: int) -> str:
    return sha256(f"{slug} {number}".encode()).hexdigest()


def judgment(assignment: Assignment, who, outcome: str, answer, reason: str, revision: int) -> Judgment:
    """A judgment of twenty seconds on the web, not stored; ``reason`` stands where there is no answer."""
    answered = outcome == Outcome.ANSWER
    return Judgment(
        assignment=assignment,
        annotator=who,
        revision=revision,
        outcome=outcome,
        answer=answer if answered else None,
        reason="" if answered else reason,
        active_seconds=20.0,
        submission=uuid.uuid4(),
        channel="web",
        created=NOW,
    )
