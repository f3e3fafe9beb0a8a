"""Behind the stage: changes the database of the tested site. Run as `python -m tests.browser.backstage`.

A process of its own, because playwright's event loop forbids Django's ORM in the
process of the tests. Each line in is `{"do": name, …}`, each line out what was done.
"""

from __future__ import annotations

import json
import sys
from typing import Any
from uuid import uuid4

import django

from tests.browser.asking import rubric_decision, rubric_judged, rubric_reader
from tests.browser.passages import span_reader
from tests.browser.poison import poison
from tests.browser.scenery import scenery, search_that_waits, some_reading
from tests.browser.scenery_adjudicating import bench

PASSWORD = "a lamp before dawn"


def main() -> None:
    out, sys.stdout = sys.stdout, sys.stderr
    django.setup()
    for line in sys.stdin:
        asked = json.loads(line)
        reply = ACTS[asked.pop("do")](**asked)
        out.write(json.dumps(reply) + "\n")
        out.flush()


def prepare(demonstration: bool = True) -> None:
    """Tables, static files as they are served in earnest, and the demonstration or its people only."""
    from django.core.management import call_command
    from django.utils import timezone

    from variorum.demo import load

    call_command("migrate", verbosity=0, interactive=False)
    call_command("collectstatic", verbosity=0, interactive=False)
    if demonstration:
        load.load(now=timezone.now(), say=lambda _: None)
    else:
        load.people_of_the_demo()


ARABIC = {
    "left": ["يبدأ المقال بالبحر.", "ثم يصل إلى الغرض."],
    "right": ["ليس في الكتاب ما هو أوضح.", "والباقي يتبع."],
    "options": ["خرجت القوارب قبل أن تُضاء المصابيح.", "كان الميناء ساكنًا.", "لم يعد أحد في تلك الليلة."],
    "language": "ar",
}


def reader(items: int = 4, overlap: int = 1, language: str = "en") -> dict[str, Any]:
    """Somebody new with a password, enrolled in a new open study of their own."""
    from tests import builders

    slug = f"fleet-{uuid4().hex[:8]}"
    study = builders.study(slug, items=items, overlap=overlap)
    study.contact = "Dora, dora@example.org"
    study.save()
    if language == "ar":
        for item in study.items.all():
            item.payload |= ARABIC
            item.save()
    user = builders.person(f"Reader-{uuid4().hex[:8]}")
    user.first_name = "Ada"
    user.set_password(PASSWORD)
    user.save()
    builders.enrolment(study, user)
    return {"study": slug, "title": study.title, "user": user.username}


def varied_reader(items: int = 15) -> dict[str, Any]:
    """Somebody new in a study whose items are short and long, so that anything that moves would show."""
    from annotation.assignment.grid import grid_of
    from annotation.models import Study

    said = reader(items=items)
    study = Study.objects.get(slug=said["study"])
    sentence = "The keeper wrote the hour of the tide in his book, and thought of something else. "
    for number, item in enumerate(study.items.all()):
        options = [f"{name} {sentence * (1 + number * len(name) % 6)}" for name in ("He", "She", "Nobody")]
        item.payload |= {"left": [sentence * (1 + number % 5)], "options": options}
        item.save()
    Study.objects.filter(pk=study.pk).update(grid=grid_of(study))
    return said


def topics_reader(topics: int = 2, documents: int = 15, **changed: Any) -> dict[str, Any]:
    """Somebody new in a new open study of relevance."""
    from tests import builders
    from tests import topics as made

    study = made.study(f"topics-{uuid4().hex[:8]}", topics=topics, documents=documents, **changed)
    user = builders.person(f"Reader-{uuid4().hex[:8]}")
    builders.enrolment(study, user)
    return {"study": study.slug, "title": study.title, "user": user.username}


def pool_reader() -> dict[str, Any]:
    """Somebody new in a study of a pool whose documents stand in one source, with all that can be opened."""
    from django.core.management import call_command
    from django.utils import timezone

    from annotation.models import Study
    from annotation.studies.lifecycle import open_study
    from retrieval.corpora.models import Corpus, Document
    from tests import builders

    if not Corpus.objects.filter(slug="quays-read").exists():
        builders.collection("quays-read", "boats-read")
        Document.objects.filter(corpus__slug="quays-read").update(source_key="the quay")
    slug = f"late-{uuid4().hex[:8]}"
    told = ("--corpus", "quays-read", "--topics", "boats-read", "--overlap", "1")
    call_command("build_relevance", slug, *told, "--neighbours", "--earlier-answers")
    study, user = Study.objects.get(slug=slug), builders.person(f"Reader-{uuid4().hex[:8]}")
    builders.enrolment(study, user)
    open_study(study, by=None, now=timezone.now())
    return {"study": slug, "title": study.title, "user": user.username}


def validation_reader(part: str) -> dict[str, Any]:
    """Somebody new in a study whose every item shows what a machine answered: reveal or prefilled."""
    from django.utils import timezone

    from annotation.models import SampledItem
    from annotation.studies.lifecycle import open_study
    from tests import builders
    from tests.annotation import validating

    # On a narrow screen the answer is out of sight from where the text begins.
    long = " The keeper wrote it in his book." * 60
    whose = builders.person(uuid4().hex[:8])
    draft = validating.draft(f"judged-{uuid4().hex[:8]}", topics=1, by=whose, more=long)
    arms = {"blind": 0, "reveal": 0, "prefilled": 0, part: 1} | ({"reveal": 1} if part != "reveal" else {})
    validating.sampled(draft, data=validating.qrels(topics=1), share=1.0, **arms)
    SampledItem.objects.filter(item__study=draft).update(machine_answer={"grade": 3})
    user = builders.person(f"Reader-{uuid4().hex[:8]}")
    builders.enrolment(draft, user)
    study = open_study(draft, by=None, now=timezone.now())
    return {"study": study.slug, "title": study.title, "user": user.username}


def machine_at_examples(task: str) -> dict[str, Any]:
    """Somebody new in a study of a task with several parts, whose items a machine has answered."""
    from tests import builders
    from tests.annotation import validating

    user = builders.person(f"Reader-{uuid4().hex[:8]}")
    arms = {"blind": 0, "reveal": 1, "prefilled": 1}
    study = validating.opened_of_examples(task, user, slug=f"{task}-{uuid4().hex[:8]}", **arms)
    return {"study": study.slug, "title": study.title, "user": user.username}


def book_reader() -> dict[str, Any]:
    """Somebody new in an open study of the demonstration's candidates who may read on in the book."""
    from django.utils import timezone

    from annotation.models import Study
    from annotation.studies.build import build_study
    from annotation.studies.lifecycle import open_study
    from retrieval.models import CandidateJob
    from tests import builders

    by, user = builders.researcher(f"Dora-{uuid4().hex[:8]}"), builders.person(f"Reader-{uuid4().hex[:8]}")
    slug, job = f"read-on-{uuid4().hex[:8]}", CandidateJob.objects.filter(studies__slug="tide").get()
    made = build_study(slug=slug, title=slug, task="choice", job=job, overlap=1, seed=7, by=by).study
    Study.objects.filter(pk=made.pk).update(source_after=True)
    builders.enrolment(made, user)
    open_study(made, by=by, now=timezone.now())
    return {"study": slug, "user": user.username}


def whole_study() -> str:
    """A new open study with consent, practice and five items of work; its short name."""
    from annotation.models import Consent, Item, Kind, Study
    from tests import builders

    study = builders.study(f"fleet-{uuid4().hex[:8]}", items=7, overlap=1)
    practice = Item.objects.filter(study=study, number__lte=2)
    builders.rewrite(practice, kind=Kind.PRACTICE, provenance={"explanation": "The essay speaks of the sea."})
    study.assignments.filter(item__in=practice).delete()
    Study.objects.filter(pk=study.pk).update(pass_mark=1)
    Consent.objects.create(study=study, version=1, text="Your answers are kept under a letter.")
    return study.slug


def disagreement() -> dict[str, str]:
    """An open study of three items, read whole by two; they differ on the first two. Cleo can sign in."""
    from annotation.models import Role
    from tests import builders

    study = builders.study(f"fleet-{uuid4().hex[:8]}", items=3, overlap=2)
    names = {}
    for name, options in (("Ada", (0, 0, 1)), ("Ben", (1, 1, 1))):
        user = builders.person(f"{name}-{uuid4().hex[:8]}")
        reader = builders.enrolment(study, user)
        for number, option in enumerate(options, 1):
            builders.judgment(study, number, reader, option)
        names[name.lower()] = user.username
    cleo = builders.person(f"Cleo-{uuid4().hex[:8]}")
    cleo.set_password(PASSWORD)
    cleo.save()
    builders.enrolment(study, cleo, role=Role.ADJUDICATOR, pseudonym="J1")
    return {"study": study.slug, "cleo": cleo.username, **names}


def joined(study: str) -> str:
    """Somebody new with a password who reads in the study; their user name."""
    from annotation.models import Study
    from tests import builders

    user = builders.person(f"Reader-{uuid4().hex[:8]}")
    user.set_password(PASSWORD)
    user.save()
    builders.enrolment(Study.objects.get(slug=study), user)
    return user.username


def invitation(study: str, seats: int = 1) -> str:
    """The path of an invitation link into the study."""
    from annotation.models import Role, Study
    from annotation.people import enrolments

    made = enrolments.invite(Study.objects.get(slug=study), role=Role.ANNOTATOR, seats=seats, days=7, by=None)
    return enrolments.address(enrolments.link(made))


def session(user: str) -> dict[str, str]:
    """The cookie of somebody who is signed in."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username=user))
    return {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}


def signin_link(user: str, kind: str = "signin") -> str:
    """The path of a link of that kind for somebody."""
    from django.contrib.auth.models import User

    from variorum.accounts import links
    from variorum.models import LinkKind

    return links.make(User.objects.get(username=user), LinkKind(kind))


def expire() -> int:
    """End every session."""
    from django.contrib.sessions.models import Session

    return Session.objects.all().delete()[0]


def worker() -> None:
    """Have a worker reported as there, as if it had just spoken."""
    from retrieval.jobs import workers

    workers.report("a worker", ["cpu", "gpu"])


def trained() -> str:
    """Train the demonstration's toy model, as a worker would."""
    from retrieval.models import TrainingJob
    from retrieval.training import run

    run.attempt(TrainingJob.objects.get(name="toy").pk, "a worker")
    return TrainingJob.objects.get(name="toy").status


def judgments(study: str) -> list[dict[str, Any]]:
    """Every judgment of the study, oldest first."""
    from annotation.models import Judgment

    rows = Judgment.objects.filter(assignment__study__slug=study).order_by("pk")
    fields = (
        "assignment",
        "revision",
        "outcome",
        "answer",
        "position",
        "reason",
        "note",
        "previews",
        "channel",
        "active_seconds",
        "confidence",
        "basis",
    )
    return list(rows.values(*fields))


def drafts(study: str) -> list[dict[str, str]]:
    """What is typed and not submitted, place by place."""
    from annotation.models import Assignment

    places = Assignment.objects.filter(study__slug=study).exclude(draft={}).order_by("pk")
    return list(places.values_list("draft", flat=True))


def researcher_of(study: str) -> str:
    """Somebody new who directs the study; their user name."""
    from annotation.models import Study
    from tests import builders

    user = builders.researcher(f"Dora-{uuid4().hex[:8]}")
    builders.enrolment(Study.objects.get(slug=study), user, role="researcher", pseudonym="R1")
    return user.username


def close(study: str) -> None:
    from annotation.models import State, Study

    Study.objects.filter(slug=study).update(state=State.CLOSED)


def lapse(study: str) -> None:
    """Let every lease of the study run out, as after a night."""
    from datetime import timedelta

    from django.utils import timezone

    from annotation.models import Assignment
    from tests import builders

    now = timezone.now()
    Assignment.objects.filter(study__slug=study, status="held").update(lease_until=now - timedelta(hours=1))
    builders.release_expired(now)


ACTS = {
    act.__name__: act
    for act in (
        prepare,
        scenery,
        some_reading,
        search_that_waits,
        bench,
        span_reader,
        rubric_reader,
        rubric_judged,
        rubric_decision,
        reader,
        varied_reader,
        topics_reader,
        pool_reader,
        validation_reader,
        machine_at_examples,
        book_reader,
        poison,
        whole_study,
        disagreement,
        joined,
        invitation,
        session,
        signin_link,
        expire,
        worker,
        trained,
        judgments,
        drafts,
        researcher_of,
        close,
        lapse,
    )
}

if __name__ == "__main__":
    main()
