"""One of everything that a page can show: studies in each state, jobs in each state, links that ended."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import uuid4

from tests.browser.scenery_adjudicating import adjudicating, flawed


def scenery() -> dict[str, Any]:
    """On top of the demonstration. Returns what the addresses of the pages need."""
    from django.contrib.auth.models import User

    from annotation.models import Item
    from retrieval.models import Book, Excerpt, Source
    from tests import builders
    from tests.browser.scenery_setup import before_work
    from variorum.accounts import links
    from variorum.demo import load
    from variorum.models import LinkKind

    dora = User.objects.get(username="dora")
    builders.person("nobody", is_active=True)
    builders.person("root", is_active=True, is_superuser=True)
    seth = builders.person("seth")
    seth.set_password("a lamp before dawn")
    seth.save()
    harbour = studied(dora)
    book = Book.objects.get(slug=load.BOOK)
    return {
        "book": book.slug,
        "source": Source.objects.first().slug,
        "excerpt": Excerpt.objects.first().pk,
        "item": Item.objects.filter(study__slug="tide-simulated").first().number,
        **harbour,
        **drafts(dora),
        **jobs_in_every_state(book),
        **trainings_in_every_state(book),
        **encoding(book),
        "words": builders.word_table().pk,
        **loadings_in_every_state(book),
        **decisions(book),
        **tokens(dora),
        **adjudicating(),
        **flawed(dora),
        **before_work(dora),
        **relevant(dora),
        **machines(dora),
        **builders.judged_collection(),
        **builders.evaluations(),
        **allusions(),
        "signin_link": links.make(dora, LinkKind.SIGN_IN).partition("#")[2],
        "password_link": links.make(seth, LinkKind.PASSWORD).partition("#")[2],
    }


def machines(dora: Any) -> dict[str, Any]:
    """A second machine reader of the gaps, which was tried on three items."""
    from annotation.machine import jobs
    from annotation.models import MachinePurpose, Study
    from tests import builders
    from variorum.demo.machine import NAME

    study = Study.objects.get(slug="tide-simulated")
    tried = builders.machine_reader(study, NAME, scripted=True)
    jobs.attempt(jobs.submit(tried, purpose=MachinePurpose.TRIAL, by=dora).pk, "scenery")
    return {}


def allusions() -> dict[str, Any]:
    """Runs of the systems that look for allusions, over a psalter of our own."""
    from tests.evaluation.allusion.workshop import workshop

    made = workshop()
    return {"psalter": made["corpus"], "psalms": made["topics"]}


def relevant(dora: Any) -> dict[str, Any]:
    """A study of relevance whose readers differ, now and then decide nothing, and grade later ones higher."""
    from random import Random

    from tests.evaluation.relevant import judged

    random, votes = Random(4), {}
    for topic in range(1, 7):
        for document in range(12):
            grade = random.randrange(5)
            said = (grade, grade + random.choice((-1, 0, 0, 1)), grade + random.choice((0, 0, 0, 1)))
            letters = (str(min(4, max(0, each))) for each in said)
            votes[f"T{topic}", f"harbour-{topic}-{document}"] = "".join(
                "u" if random.random() < 0.04 else each for each in letters
            )
    judged(votes, slug="lamps", by=dora, names=("Lena", "Lou", "Lars"))
    return {}


def studied(dora: Any) -> dict[str, Any]:
    """An open study with every kind of judgment, and what came too late; a closed one."""
    from django.utils import timezone

    from annotation.assignment.claiming import next_assignment
    from annotation.assignment.holding import mark_opened
    from annotation.judging.judgments import Late, submit
    from annotation.judging.submissions import Submission
    from annotation.mail import confirming
    from annotation.mail.stopping import stop_path
    from annotation.models import Role
    from annotation.people import enrolments as people
    from annotation.studies.lifecycle import close_study
    from tests import builders

    study = builders.study("harbour", items=6, overlap=2, by=dora)
    study.contact = "Dora, dora@example.org"
    study.save()
    ada = builders.enrolment(study, builders.person("ada-of-the-harbour", is_active=True))
    ben = builders.enrolment(study, builders.person("ben-of-the-harbour", is_active=True))
    said = (
        {"outcome": "answer", "data": {"option": 1}, "note": "The lamps decide it."},
        {"outcome": "undecided", "reason": "More than one of them fits."},
        {"outcome": "broken", "reason": "The passage ends in the middle of a word."},
        {"outcome": "answer", "data": {"option": 0}},
    )
    for reader, answers in ((ada, said), (ben, said[:3])):
        for each in answers:
            place = next_assignment(reader, now=timezone.now())
            mark_opened(place, now=timezone.now())
            submit(place, reader, Submission(uuid4(), **{"data": {}, **each}), now=timezone.now())
    done = ada.assignments.first()
    held = next_assignment(ada, now=timezone.now())
    mark_opened(held, now=timezone.now())

    closed = builders.study("closed-harbour", items=2, overlap=1, by=dora)
    cleo = builders.enrolment(closed, builders.person("cleo-of-the-harbour", is_active=True))
    cleo.user.email = "cleo@example.org"
    cleo.user.save()
    place = next_assignment(cleo, now=timezone.now())
    submit(place, cleo, Submission(uuid4(), "answer", {"option": 1}), now=timezone.now())
    late = next_assignment(cleo, now=timezone.now())
    invitation = people.invite(closed, role=Role.ANNOTATOR, seats=1, days=1, by=dora)
    close_study(closed, by=dora, now=timezone.now())
    with suppress(Late):
        submit(late, cleo, Submission(uuid4(), "answer", {"option": 2}, note="Too late?"), now=timezone.now())
    return {
        "place": held.pk,
        "judged": done.pk,
        "read_in_closed": place.pk,
        "invitation": people.link(people.invite(study, role=Role.ANNOTATOR, seats=3, days=7, by=dora)),
        "ended_invitation": people.link(invitation),
        "stop": stop_path(study, "gus@example.org").split("/")[-2],
        "confirm": confirming.path(cleo.user).split("/")[-2],
    }


def drafts(dora: Any) -> dict[str, Any]:
    """A draft that lacks everything, and one that could be opened, in which a context prints an answer."""
    from annotation.models import Role
    from annotation.people import enrolments as people
    from tests import builders

    builders.study("empty-draft", items=0, by=dora, state="draft")
    ready = builders.study("ready-draft", items=3, overlap=1, by=dora, state="draft")
    first, second = ready.items.order_by("number")[:2]
    answer = first.payload["options"][first.gold["option"]]
    left = [f"Elsewhere the critic quotes “{answer}”", *second.payload["left"]]
    builders.rewrite([second], payload={**second.payload, "left": left})
    builders.enrolment(ready, builders.person("eva-of-the-draft", is_active=True))
    people.revoke(people.invite(ready, role=Role.ANNOTATOR, seats=2, days=7, by=dora), by=dora, now=_now())
    return {"draft": "empty-draft", "ready": "ready-draft"}


def jobs_in_every_state(book: Any) -> dict[str, Any]:
    from django.contrib.auth.models import User

    from retrieval.candidates import submitting
    from retrieval.models import CandidateJob, Status

    stan = User.objects.get(username="stan")
    done = CandidateJob.objects.get(status=Status.DONE)
    found = {"done_job": done.pk}
    sizes = count(2)
    for status, more in (
        (Status.QUEUED, {}),
        (Status.RUNNING, {"done": 9, "stage": "ranking", "worker": "w", "started": _now(), "attempts": 1}),
        (Status.FAILED, {"error": "The passages of this book could not be ranked.", "attempts": 3}),
        (Status.CANCELLED, {"done": 4}),
    ):
        job = submitting.submit(book, ranker="bm25", parameters={"negatives": next(sizes)}, by=stan)
        CandidateJob.objects.filter(pk=job.pk).update(status=status, **more)
        found[f"{status.value}_job"] = job.pk
    return found


def trainings_in_every_state(book: Any) -> dict[str, Any]:
    """The demonstration's, which waits; a finished one; copies of it in other states."""
    from retrieval.models import Status, TrainingBook, TrainingJob
    from tests import builders

    done = builders.finished_training(book)
    found = {"queued_training": TrainingJob.objects.get(status=Status.QUEUED).pk, "done_training": done.pk}
    for status, more in (
        (Status.RUNNING, {"stage": "Epoch 4 of 10", "worker": "w", "started": _now(), "attempts": 1}),
        (Status.FAILED, {"error": "The loss is nan in epoch 1, step 1.", "attempts": 1, "curve": []}),
    ):
        copy = {"name": f"{status.value}-training", "plan": done.plan, "curve": done.curve, "total": 30}
        job = TrainingJob.objects.create(**{**copy, "status": status, "code_version": "test", **more})
        TrainingBook.objects.create(job=job, book=book, split="train")
        found[f"{status.value}_training"] = job.pk
    return found


def encoding(book: Any) -> dict[str, Any]:
    """Passages of three sentences that a worker is encoding with the trained model."""
    from retrieval.dense import encoding_jobs
    from retrieval.models import EncodingJob, Status

    job = encoding_jobs.submit(book, "dense:trained", 3)
    at = {"done": 120, "stage": "Encoding, 40 passages a second", "worker": "w", "started": _now()}
    EncodingJob.objects.filter(pk=job.pk).update(status=Status.RUNNING, attempts=1, **at)
    return {"encoding": job.pk}


def loadings_in_every_state(book: Any) -> dict[str, Any]:
    """Searches for the quotations of a book in each state, and imports of large files."""
    from django.contrib.auth.models import User

    from retrieval.models import LoadingJob, LoadingTask, Source, Status

    by = {"created_by": User.objects.get(username="stan"), "code_version": "test"}
    dropped = {"too-short": 7, "unmarked": 2, "too-different": 1}
    counts = {"new": 9, "known": 3, "set_aside": 1, "dropped": dropped}
    cause = (
        f"Quotations of {book} in Varga 2009: ended after 10 min, the longest this may take. It stood at: "
        "comparing the texts, 204 of 310 sentences. Nothing was stored."
    )
    pair = {"work": LoadingTask.FIND, "book": book}
    begun = {"total": 310, "started": _now(), "attempts": 1}
    sources = iter(Source.objects.all())
    found = {}
    for status, more in (
        (Status.DONE, {**begun, "done": 310, "counts": counts, "finished": _now()}),
        (Status.QUEUED, {}),
        (Status.RUNNING, {**begun, "done": 120, "stage": "Comparing the texts", "worker": "w"}),
        (Status.FAILED, {**begun, "done": 204, "error": cause, "finished": _now()}),
        (Status.CANCELLED, {**begun, "done": 20, "finished": _now()}),
    ):
        source = next(sources, None) or Source.objects.first()
        job = LoadingJob.objects.create(**pair, source=source, status=status, **more, **by)
        found[f"{status.value}_search"] = job.pk
    file = {
        "work": LoadingTask.BOOK,
        "name": "middlemarch.txt",
        "facts": {"slug": "middlemarch", "year": 1871},
    }
    remarks = ["Removed a Project Gutenberg header of 23 lines."]
    for status, more in (
        (Status.QUEUED, {}),
        (Status.FAILED, {"error": "middlemarch.txt is a binary file.", "attempts": 1}),
        (Status.DONE, {"total": 3, "done": 3, "book": book, "counts": {"created": True, "remarks": remarks}}),
    ):
        job = LoadingJob.objects.create(**file, sha256=status.value, status=status, **more, **by)
        found[f"{status.value}_import"] = job.pk
    return found


def search_that_waits(user: str, address: str, loading: bool) -> str:
    """The page of a search whose passages are not encoded yet, or whose model is still being loaded."""
    from unittest.mock import patch

    from django.contrib.auth.models import User
    from django.test import Client

    from retrieval.search.evidence import NotEncoded, NotLoaded

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.get(username=user))
    why = NotLoaded("The model is being loaded.") if loading else NotEncoded("It would take 3 minutes here.")
    with patch("retrieval.forms.search.search", side_effect=why):
        return client.get(address).text


def decisions(book: Any) -> dict[str, Any]:
    """Excerpts and a stretch of a source that staff decided about, and a book that can still be corrected."""
    from django.contrib.auth.models import User

    from retrieval.curating.excerpts import Borders, move, reject
    from retrieval.curating.exclusions import exclude
    from retrieval.loading import import_book
    from retrieval.models import Source
    from retrieval.texts.source_places import span
    from tests.retrieval.quay import NOVEL

    who = {"by": User.objects.get(username="stan"), "now": _now()}
    source = Source.objects.first()
    start, end = span(source.text, "2.1", "")
    source.comparisons.filter(book=book).update(dropped=[[start, end, "too-different"]])
    *_, moved, rejected = book.excerpts.in_use().exclude(source=source)
    reject(rejected, reason="a review of the play, not of the novel", **who)
    borders = Borders(moved.first, moved.size, 1, len(moved.right))
    made = move(moved, borders, reason="the first sentences are another critic’s", **who)
    exclude(source, book=book, span=(0, 40), reason="the title page", **who)
    facts = {"slug": "quay", "title": "The Quay", "author": "A. Author", "year": 1891}
    return {
        "rejected": rejected.pk,
        "superseded": moved.pk,
        "moved": made.pk,
        "drop_start": start,
        "drop_end": end,
        "loose_book": import_book(NOVEL.encode(), name="quay.txt", **facts).book.slug,
    }


def tokens(dora: Any) -> dict[str, Any]:
    from annotation.models import ApiToken
    from annotation.people.tokens import issue

    token, _ = issue(dora, "the laboratory’s notebook", ["read"], _now() + timedelta(days=30))
    gone, _ = issue(dora, "an old laptop", ["read", "judge"], _now() + timedelta(days=30))
    ApiToken.objects.filter(pk=gone.pk).update(revoked=_now())
    return {"token": token.pk}


def _now() -> Any:
    from django.utils import timezone

    return timezone.now()


def some_reading(study: str, done: dict[str, int], seed: int) -> None:
    """Let people of an open study have read some of its items, right about five times of six."""
    from random import Random

    from annotation.assignment.claiming import next_assignment
    from annotation.assignment.holding import mark_opened
    from annotation.judging.judgments import submit
    from annotation.judging.submissions import Submission
    from annotation.models import Enrolment

    rng = Random(seed)
    for name, items in done.items():
        me = Enrolment.objects.get(study__slug=study, user__username=name)
        for _ in range(items):
            place = next_assignment(me, now=_now())
            mark_opened(place, now=_now())
            gold = place.item.gold["option"]
            option = gold if rng.random() < 5 / 6 else rng.choice([n for n in range(3) if n != gold])
            submit(place, me, Submission(uuid4(), "answer", {"option": option}), now=_now())
