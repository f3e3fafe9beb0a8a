"""The demonstration: our own novel, critics and sermon; of each task a study to read for and a simulated one.

A script reads the gaps beside their readers; a sample of what a simulated machine graded is validated. The
novel and its critics are a corpus as well, with topics, runs and a pool. A toy model waits for the worker to
train it. Every step asks first whether it was done, so a second start changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User

from annotation.models import Role, Study
from annotation.people import enrolments
from annotation.studies.build import Built, build_study
from annotation.studies.mending import mend
from common.errors import BadInput
from retrieval.candidates import pipeline, submitting
from retrieval.loading import find_excerpts, import_book, import_source
from retrieval.loading.plain import stored_text
from retrieval.loading.storing import sha256
from retrieval.models import Book, CandidateJob, Source, Status
from variorum.demo import shelf
from variorum.demo.machine import load_machine
from variorum.demo.relevance import load_relevance
from variorum.demo.rubric import load_rubric
from variorum.demo.sermon import PLAIN
from variorum.demo.spans import load_spans
from variorum.demo.studies import Say, built, finished, for_readers
from variorum.demo.training import SERMON, submit_training
from variorum.demo.validated import load_validation

SAMPLE = Path(__file__).parents[1] / "sample"
NOVEL = SAMPLE / "the_stand_of_the_tide.txt"
BOOK = "stand-of-the-tide"
ESSAYS = {
    "harrow": "Harrow 1911",
    "ansley": "Ansley 1958",
    "thwaite": "Thwaite 1987",
    "varga": "Varga 2009",
}
READERS = ("Ada", "Ben", "Cleo")
OPEN_STUDY, SIMULATED_STUDY = "tide", "tide-simulated"
OVERLAP, SEED, ACCURACY = 3, 1892, 0.87
GUIDELINES = """\
Read the criticism, with its gap.
One of the passages beside/below it is what the critic quoted there.

Choose the passage that the argument needs. Try each in the gap.
Style and subject may mislead; the words just before and after the gap rarely do.

You may put an item off until later, say that you can’t decide, or say that something is wrong with it.
You may come back to any item and change your answer: the earlier answer is kept in the record.

Please do not look the novel up.
"""


class Cast(NamedTuple):
    """The people whose sign-in links are printed.

    annotator: reads for the open studies.
    adjudicator: decides where the simulated readers differ.
    researcher: directs all studies.
    staff: looks after texts and jobs.
    """

    annotator: User
    adjudicator: User
    researcher: User
    staff: User


def load(*, now: datetime, say: Say) -> Cast:
    """Bring everything the demonstration shows into the database, once.

    Raises:
        BadInput: the sample of an earlier version is there; nothing is added to it.
    """
    refuse_an_older_sample()
    cast = people_of_the_demo()
    book = texts(say)
    job = candidates(book, cast.staff, say)
    readers = [person(name) for name in READERS]
    who: dict[str, Any] = {"researcher": cast.researcher, "readers": readers, "now": now, "say": say}
    _, choices = load_choices(job, **who)
    _, spans = load_spans(**who)
    pool = shelf.pool(BOOK, [slug_of(each) for each in ESSAYS.values()], cast.staff, say)
    load_relevance(pool, **who)
    load_validation(pool, researcher=cast.researcher, now=now, say=say)
    _, uses = load_rubric(book, **who)
    for study in (choices, spans, uses):
        enrolments.enrol(study, cast.adjudicator, Role.ADJUDICATOR)
    load_machine(choices, researcher=cast.researcher, say=say)
    submit_training(book, cast.staff, say)
    return cast


def refuse_an_older_sample() -> None:
    """Raise `BadInput` where a text of the sample is stored as an earlier version read or wrote it.

    Its excerpts and studies hang on that text, so it can neither be replaced nor go with today's.
    """
    files = {slug_of(citation): f"essay_{name}.txt" for name, citation in ESSAYS.items()}
    stored = {BOOK: NOVEL.name, SERMON: PLAIN.name} | files
    for kind in (Book, Source):
        for slug, digest in kind._default_manager.filter(slug__in=stored).values_list("slug", "sha256"):
            file = SAMPLE / stored[slug]
            if sha256(stored_text(file.read_bytes(), file.name).text) != digest:
                raise BadInput(
                    f'The data folder {settings.DATA_DIR} holds "{slug}" as an earlier version read it, so '
                    "today’s demonstration cannot be added: give it a folder of its own "
                    f"(VARIORUM_DATA_DIR={settings.DATA_DIR}-new make demo), or see the earlier one as it "
                    "is with make serve."
                )


def people_of_the_demo() -> Cast:
    """Make accounts without passwords: one signs in by link only."""
    readers = [person(name) for name in READERS]
    dora, stan = person("Dora"), person("Stan")
    enrolments.make_researcher(dora)
    if not stan.is_staff:
        stan.is_staff = True
        stan.save(update_fields=["is_staff"])
    return Cast(readers[0], person("Iris"), dora, stan)


def person(name: str) -> User:
    """Return the account of that name, made without a password where there is none."""
    user, created = User.objects.get_or_create(username=name.lower(), defaults={"first_name": name})
    if created:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def texts(say: Say) -> Book:
    """Import the sample novel and its essays, and find their quotations; return the novel."""
    book = import_book(
        NOVEL.read_bytes(),
        name=NOVEL.name,
        slug=BOOK,
        title="The Stand of the Tide",
        author="A. R. Hallam",
        year=1889,
        licence="Written for Variorum (MIT; CC0 1.0)",
    ).book
    for name, citation in ESSAYS.items():
        essay = SAMPLE / f"essay_{name}.txt"
        slug = slug_of(citation)
        source = import_source(essay.read_bytes(), name=essay.name, slug=slug, citation=citation).source
        if not source.excerpts.filter(book=book).exists():
            found = find_excerpts(book, source)
            say(f"{citation} quotes the novel {len(found.excerpts)} times.")
    return book


def slug_of(citation: str) -> str:
    """Return the slug of a critic."""
    return citation.lower().replace(" ", "-")


def candidates(book: Book, staff: User, say: Say) -> CandidateJob:
    """Compute the BM25 job on the sample here: the studies are built before the worker runs."""
    job = CandidateJob.objects.filter(book=book, ranker="bm25", created_by=staff).order_by("id").first()
    if job is None:
        job = submitting.submit(book, ranker="bm25", parameters={"negatives": 2}, by=staff)
    if job.status != Status.DONE:
        say("Ranking the novel’s passages with BM25 …")
        pipeline.attempt(job.pk, "demo")
        job.refresh_from_db()
    return job


def load_choices(
    job: CandidateJob, *, researcher: User, readers: Sequence[User], now: datetime, say: Say
) -> tuple[Study, Study]:
    """Bring both studies of the gaps into the database, once; returns the open one and the finished one."""
    make = partial(mended, job=job, by=researcher, now=now)
    opened = built(OPEN_STUDY, "The Stand of the Tide and its critics", make, say)
    done = built(SIMULATED_STUDY, "The Stand of the Tide (simulated readers)", make, say)
    return (
        for_readers(opened, readers, by=researcher, now=now),
        finished(done, by=researcher, annotators=OVERLAP, accuracy=ACCURACY, seed=SEED),
    )


def mended(*, job: CandidateJob, by: User, now: datetime, **named: Any) -> Built:
    """Make a study of the job, in which no context prints an answer."""
    settings = {"task": "choice", "overlap": OVERLAP, "seed": SEED, "guidelines": GUIDELINES, **named}
    made = build_study(job=job, by=by, **settings)
    mend(made.study, by=by, now=now)
    return made
