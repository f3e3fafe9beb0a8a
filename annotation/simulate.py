"""Simulated readers, for demonstrations and trials. They judge by the same functions as people.

What a simulated reader says of an item depends on the seed, the item and their
pseudonym only, so an interrupted run continues to the same judgments.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.assignment import arms
from annotation.assignment.claiming import next_assignment
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, AssignmentStatus, Enrolment, Judgment, Role, State, Study
from annotation.people import enrolments
from annotation.studies.lifecycle import open_study
from common.errors import BadInput
from common.wording import counted

MOST_READERS = 50
QUICKEST, SLOWEST = 6.0, 600.0


class Towards(NamedTuple):
    """How simulated readers follow a machine from which they differ.

    pull: probability of taking over an answer that was chosen beforehand.
    sway: probability of changing to one that is revealed after their own.
    """

    pull: float = 0.0
    sway: float = 0.0


class Simulated(NamedTuple):
    """What a simulation did.

    new: how many judgments it made.
    opened: whether it opened the study.
    """

    new: int
    opened: bool


def simulate(
    study: Study,
    *,
    annotators: int,
    accuracy: float,
    seed: int,
    pull: float = 0.0,
    sway: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
    clock: Callable[[], datetime] = timezone.now,
) -> Simulated:
    """Let `annotators` simulated readers, right with probability `accuracy` (0 to 1), do all they can.

    In a study that shows what a machine answered, a reader who differs from an answer that was chosen
    beforehand takes it over with probability `pull`, and changes to one that is revealed with probability
    `sway`; otherwise they keep their own.

    A draft is opened first. Run again it goes on, or does nothing when all is done.
    `progress` is called with (assignments done, assignments). `BadInput` for a study with people
    among its annotators, a closed one, items without gold where the task type needs
    it, or numbers out of range.
    """
    check(study, annotators, accuracy)
    for name, chance in (("pull", pull), ("sway", sway)):
        if not 0 <= chance <= 1:
            raise BadInput(f"The {name} {chance} is not a probability: use 0 to 1, such as 0.3.")
    towards = Towards(pull, sway)
    study, opened = open_and_enrol(study, annotators, clock())
    total = study.assignments.work().count()
    done = study.assignments.work().filter(status=AssignmentStatus.DONE).count()
    readers = study.enrolments.filter(role=Role.ANNOTATOR).order_by("id")[:annotators]
    turns = [(reader.judgments.count(), n, reader) for n, reader in enumerate(readers)]
    heapq.heapify(turns)
    new = 0
    while turns:
        # Who has read least comes next: an interrupted run takes turns as an undisturbed one.
        mine, n, reader = heapq.heappop(turns)
        if not read_one(study, reader, accuracy, seed, clock(), towards):
            continue
        heapq.heappush(turns, (mine + 1, n, reader))
        new += 1
        if progress:
            progress(min(done + new, total), total)
    return Simulated(new, opened)


def check(study: Study, annotators: int, accuracy: float) -> None:
    """Raise `BadInput` where the study cannot be simulated."""
    if not 1 <= annotators <= MOST_READERS:
        raise BadInput(f"{annotators} simulated readers: use 1 to {MOST_READERS}.")
    if not 0 <= accuracy <= 1:
        raise BadInput(f"The accuracy {accuracy} is not a probability: use 0 to 1, such as 0.87.")
    if study.enrolments.filter(role=Role.ANNOTATOR, simulated=False).exists():
        raise BadInput(
            f"“{study.slug}” has people among its annotators: simulate a study of its own, the two never mix."
        )
    if study.state == State.DRAFT and annotators < study.overlap:
        raise BadInput(
            f"“{study.slug}” asks for {study.overlap} readings an item and "
            f"{counted(annotators, 'annotator')} {'is' if annotators == 1 else 'are'} simulated: "
            "no item would have all its readings."
        )
    if not study.task_type.needs_gold:
        return
    goldless = study.items.filter(gold__isnull=True).order_by("number").first()
    if goldless is not None:
        raise BadInput(
            f"Item {goldless.number} of “{study.slug}” has no gold answer: simulated readers need one."
        )


def open_and_enrol(study: Study, annotators: int, now: datetime) -> tuple[Study, bool]:
    """Open the study and enrol its readers, in one transaction; return whether it had to be opened."""
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if study.state == State.CLOSED:
            raise BadInput(f"The study “{study.slug}” is closed: nobody can read in it any more.")
        for number in range(1, annotators + 1):
            enrolments.enrol(study, reader_account(study, number), Role.ANNOTATOR, simulated=True)
        if study.state == State.OPEN:
            return study, False
        return open_study(study, by=study.created_by, now=now), True


def reader_account(study: Study, number: int) -> User:
    """Return an account that nobody can sign in to."""
    name = f"sim-{study.slug}-{number}"
    user, created = User.objects.get_or_create(
        username=name, defaults={"first_name": "Simulated", "last_name": f"Reader {number}"}
    )
    if created:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    elif user.has_usable_password():
        raise BadInput(f"There is a person called “{name}”: the simulated reader needs that name.")
    return user


def read_one(
    study: Study,
    reader: Enrolment,
    accuracy: float,
    seed: int,
    now: datetime,
    towards: Towards = Towards(),  # noqa: B008 - a value
) -> bool:
    """Let one reader judge one item; return False when nothing is left for them."""
    assignment = next_assignment(reader, now=now)
    if assignment is None:
        return False
    # Not a secret: the same seed must say the same.
    chance = Random(f"{seed}:{assignment.item.number}:{reader.pseudonym}")  # noqa: S311
    answer = study.task_type.simulate(assignment.item.payload, assignment.item.gold, accuracy, chance)
    seconds = round(min(max(chance.lognormvariate(3.7, 0.5), QUICKEST), SLOWEST), 1)
    shown(assignment, now - timedelta(seconds=seconds))
    previews = chance.randint(0, 6)
    machine = arms.machine_at(assignment)
    if machine is not None and chance.random() < towards.pull:
        answer = machine.answer
    form = Random(f"{seed}:{study.slug}:{assignment.item.number}:{reader.pseudonym}")  # noqa: S311
    submission = Submission(
        submission=UUID(int=form.getrandbits(128), version=4),
        outcome="answer",
        data=answer,
        active_seconds=seconds,
        previews=previews,
        revision=0,
        channel="simulation",
    )
    judgment = submit(assignment, reader, submission, now=now)
    if arms.is_followed(judgment):
        after_reveal(judgment, reader, submission, chance.random() < towards.sway, now)
    return True


def after_reveal(
    judgment: Judgment, reader: Enrolment, submission: Submission, sways: bool, now: datetime
) -> None:
    """Let a reader who is shown a machine's answer after their own change to it, or keep theirs."""
    assignment = judgment.assignment
    machine, task = arms.machine_at(assignment), assignment.study.task_type
    if sways and machine is not None and not task.says_the_same(machine.answer, judgment.answer):
        key = UUID(int=submission.submission.int ^ 1)
        again = submission._replace(submission=key, data=machine.answer, revision=judgment.revision)
        submit(assignment, reader, again, now=now)
    else:
        arms.keep(assignment, reader, now=now)


def shown(assignment: Assignment, since: datetime) -> None:
    """Set the page as shown some time ago: the seconds of simulated readers are bounded by it too."""
    assignment.claimed = assignment.opened = since
    Assignment.objects.filter(pk=assignment.pk, status=AssignmentStatus.HELD).update(
        claimed=since, opened=since
    )
