"""What the tests of the whole site share: one of everything, and a walk over all that can be reached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.mail import confirming
from annotation.mail.stopping import stop_path
from annotation.models import Delivery, Role, Webhook
from annotation.people import enrolments
from annotation.people.tokens import issue
from machines.client.endpoint import Endpoint
from machines.endpoints import scripted
from retrieval.models import Comparison, EncodingJob, Exclusion, LoadingJob
from tests import builders
from tests.machines import scripts
from tests.routes import routes
from variorum.accounts import links
from variorum.models import LinkKind

# Which of the things below an address names; addresses that are not here name nothing.
ARGS = {
    "signin_before": {"token": "signin"},
    "signin_by": {"pk": "signin_link"},
    "new_password_by": {"pk": "password_link"},
    "api:next": {"slug": "study"},
    **{f"api:sample{each}": {"slug": "study"} for each in ("", "_preview", "_back")},
    **{f"api:{name}": {"slug": "study"} for name in ("layouts", "methods", "citation", "pictures")},
    "api:qrels": {"slug": "study"},
    "api:stopping": {"slug": "study"},
    "api:validation": {"slug": "study"},
    "api:judgment": {"pk": "place"},
    "api:keep": {"pk": "place"},
    "api:take_back": {"pk": "place"},
    "api:books-detail": {"slug": "book"},
    "api:search": {"slug": "book"},
    "api:jobs-detail": {"pk": "job"},
    "api:jobs-cancel": {"pk": "job"},
    "api:loadings-detail": {"pk": "loading"},
    "api:trainings-detail": {"pk": "training"},
    **{f"api:machines-{name}": {"slug": "study"} for name in ("list", "answers")},
    **{
        f"api:machines-{name}": {"slug": "study", "name": "machine"}
        for name in ("detail", "start", "stop", "readings")
    },
    **{
        f"api:studies-{name}": {"slug": "study"}
        for name in ("detail", "items", "judgments", "decisions", "assignments", "open", "close", "reopen")
    },
    **{f"api:{name}": {"slug": "study"} for name in ("report", "figures", "people-list", "invitations-list")},
    **{f"api:people-{name}": {"slug": "study", "pseudonym": "pseudonym"} for name in ("detail", "act")},
    "api:invitations-revoke": {"slug": "study", "pk": "invitation"},
    "api:sources-detail": {"slug": "source"},
    "api:webhooks-list": {"slug": "study"},
    **{
        f"api:webhooks-{name}": {"slug": "study", "pk": "hook"}
        for name in ("detail", "end", "test", "deliveries")
    },
    "api:webhooks-resend": {"slug": "study", "pk": "hook", "number": "delivery"},
    **{
        f"retrieval:{name}": {"slug": "book"}
        for name in ("book", "book_delete", "book_parts", "encode", "generate", "search")
    },
    **{f"retrieval:encoding_{name}": {"pk": "encoding"} for name in ("progress", "cancel")},
    **{f"retrieval:{name}": {"slug": "source"} for name in ("source", "find_excerpts")},
    **{f"retrieval:{name}": {"slug": "source"} for name in ("source_matches", "exclude", "source_delete")},
    "machines:probe": {"name": "model"},
    "retrieval:take": {"slug": "source", "book": "book", "start": "start", "end": "end"},
    "retrieval:lift": {"pk": "exclusion"},
    **{
        f"retrieval:{name}": {"pk": "job"}
        for name in ("job", "job_progress", "job_cancel", "job_retry", "job_delete")
    },
    **{
        f"retrieval:loading{act}": {"pk": "loading"}
        for act in ("", "_progress", "_cancel", "_retry", "_delete")
    },
    **{
        f"retrieval:training{act}": {"pk": "training"}
        for act in ("", "_progress", "_cancel", "_retry", "_delete")
    },
    "retrieval:words_delete": {"pk": "words"},
    **{
        f"retrieval:excerpt{act}": {"pk": "excerpt"}
        for act in ("", "_borders", "_cover", "_uncover", "_reject", "_restore", "_delete")
    },
    **{
        f"annotation:{name}": {"pk": "place"}
        for name in (
            "work",
            "group_seen",
            "keep",
            "later",
            "prefetch",
            "prefetch_before",
            "neighbour",
            "earlier",
            "draft",
            "message",
            "message_before",
            "feedback",
        )
    },
    **{
        f"annotation:{name}": {"slug": "study"}
        for name in ("begin", "done", "withdraw", "study", "open", "close")
    },
    **{
        name: {"slug": "study"}
        for name in ("annotation:adjudicate", "evaluation:watch", "evaluation:stopping")
    },
    "annotation:workbench": {"slug": "study"},
    "annotation:workbench_item": {"slug": "study", "number": "item"},
    "annotation:decisions": {"slug": "closed"},
    "annotation:adjudicate_item": {"slug": "closed", "number": "item"},
    **{
        f"annotation:{name}": {"slug": "study"}
        for name in (
            "invite",
            "recruiting",
            "payment_list",
            "mail",
            "own_mail",
            "guidelines",
            "items",
            "notes",
            "export",
            "record",
            "webhooks",
        )
    },
    **{f"annotation:{name}_webhook": {"slug": "study", "pk": "hook"} for name in ("end", "test")},
    "annotation:resend_message": {"slug": "study", "pk": "delivery"},
    **{f"annotation:{name}": {"slug": "study"} for name in ("consent", "declined", "own_page", "leave")},
    "annotation:source": {"pk": "place"},
    "annotation:notebook": {"slug": "study"},
    "annotation:notebook_file": {"slug": "study", "form": "text_form"},
    "annotation:guidelines_read": {"slug": "study"},
    "annotation:along": {"slug": "study"},
    **{f"annotation:{name}": {"pk": "place"} for name in ("act", "take_back")},
    **{
        f"annotation:{name}": {"slug": "study"}
        for name in ("reopen", "duplicate", "delete", "restore", "setup", "people")
    },
    **{
        f"annotation:{name}": {"slug": "study"}
        for name in ("setup_items", "items_progress", "remove_items", "setup_consent", "sample")
    },
    "annotation:step": {"slug": "study", "step": "step"},
    "annotation:person": {"slug": "study", "pseudonym": "pseudonym"},
    "annotation:mail_template": {"slug": "study", "kind": "mail_kind"},
    "annotation:stop_mail": {"token": "stop"},
    "annotation:confirm_mail": {"token": "confirm"},
    "annotation:revoke": {"slug": "study", "pk": "invitation"},
    "annotation:erase": {"slug": "study", "pseudonym": "pseudonym"},
    "annotation:explain": {"slug": "study", "number": "item"},
    **{f"annotation:leaks{part}": {"slug": "study"} for part in ("", "_progress")},
    "annotation:cover": {"slug": "study", "number": "item"},
    **{
        f"annotation:{name}": {"slug": "study"}
        for name in ("machines", "new_machine_reader", "machine_prompt", "import_answers")
    },
    **{
        f"annotation:{name}": {"slug": "study", "name": "machine"}
        for name in ("machine_reader", "machine_progress", "machine_readings", "delete_machine")
    },
    "annotation:messages": {"slug": "study"},
    **{f"annotation:{name}_before": {"slug": "study"} for name in ("messages", "adjudicate", "remove_items")},
    "annotation:decisions_before": {"slug": "closed"},
    "annotation:adjudicate_item_before": {"slug": "closed", "number": "item"},
    "annotation:reply": {"slug": "study", "number": "item", "pseudonym": "pseudonym"},
    "annotation:item": {"slug": "study", "number": "item"},
    "annotation:join_before": {"token": "join"},
    "annotation:invited": {"pk": "invitation"},
    "annotation:revoke_token": {"pk": "token"},
    **{
        f"evaluation:{name}": {"slug": "study"}
        for name in (
            *("results", "microscope", "apparatus", "cues", "difficulty", "qrels", "span_queries"),
            *("validation", "bundle", "paper"),
        )
    },
    "evaluation:apparatus_item": {"slug": "study", "number": "item"},
    "evaluation:ranking": {"pk": "job"},
    **{
        f"api:corpora-{name}": {"slug": "corpus"}
        for name in (
            *("detail", "documents", "runs", "pools", "qrels", "asked", "recalls", "questions", "sets"),
        )
    },
    **{f"api:corpora-{name}": {"slug": "corpus", "name": "run"} for name in ("rows", "file")},
    "api:corpora-grades": {"slug": "corpus", "name": "qrels"},
    "api:corpora-entries": {"slug": "corpus", "topics": "topics", "number": "pool"},
    **{f"api:topics-{name}": {"slug": "topics"} for name in ("detail", "members")},
    "api:topics-reword": {"slug": "topics", "number": "item"},
    "api:evaluation": {"slug": "corpus", "topics": "topics"},
    "evaluation:runs": {"slug": "corpus", "topics": "topics"},
    "evaluation:allusions": {"slug": "corpus", "topics": "topics"},
    "evaluation:allusion_runs": {"slug": "corpus", "topics": "topics"},
    **{f"evaluation:evaluation{act}": {"pk": "evaluation"} for act in ("", "_state", "_cancel", "_retry")},
    **{f"api:evaluations-{name}": {"pk": "evaluation"} for name in ("detail", "result", "cancel")},
    **{f"api:searches-{name}": {"pk": "search"} for name in ("detail", "cancel", "resume")},
    **{f"api:asked-{name}": {"pk": "asked"} for name in ("detail", "cancel", "resume")},
    "corpora:corpus": {"slug": "corpus"},
    "corpora:document": {"slug": "corpus", "number": "item"},
    "retrieval:corpus_searches": {"slug": "corpus"},
    **{f"retrieval:corpus_search{act}": {"pk": "search"} for act in ("", "_state", "_cancel", "_retry")},
    **{f"retrieval:{name}": {"slug": "corpus"} for name in ("reranking", "recall", "question_sets")},
    **{f"retrieval:endpoint_job{act}": {"pk": "asked"} for act in ("", "_state", "_cancel", "_retry")},
    **{f"retrieval:question_set{act}": {"slug": "questions"} for act in ("", "_write", "_export")},
    "retrieval:question": {"slug": "questions", "number": "item"},
    "corpora:expansion": {"slug": "corpus"},
    "corpora:run": {"slug": "corpus", "name": "run"},
    "corpora:pool": {"slug": "corpus", "topics": "topics", "number": "pool"},
    "corpora:load_file": {"slug": "corpus"},
    "corpora:add_topic": {"slug": "topics"},
    "corpora:topics": {"slug": "topics"},
    "corpora:topic": {"slug": "topics", "number": "item"},
}


@pytest.fixture(scope="module")
def things(ground):
    """One of everything that an address can name, for all tests of a module: what they change is taken back.

    The place is Ada's; Fay researches elsewhere.
    """
    ada, ben, cleo, dora = (*map(builders.person, ("Ada", "Ben", "Cleo")), builders.researcher("Dora"))
    builders.person("Stan", is_staff=True)
    builders.enrolment(builders.study("elsewhere", items=1, overlap=1), builders.person("Eve"))
    builders.researcher("Fay")
    gus = builders.person("Gus", email="gus@example.org")
    book, source = builders.book(), builders.source()
    excerpt = builders.excerpt(book, source)
    job = builders.finished_job(book, [excerpt])
    encoding = EncodingJob.objects.create(book=book, size=1, ranker="dense", code_version="test")
    loading = LoadingJob.objects.create(work="find", book=book, source=source, code_version="test")
    training = builders.finished_training(book)
    found = {"found": 1, "dropped": [[3, 8, "too-short"]], "code_version": "test", "at": timezone.now()}
    Comparison.objects.create(book=book, source=source, **found)
    exclusion = Exclusion.objects.create(source=source, start=0, end=2, reason="title", at=timezone.now())
    study = builders.study("fleet", items=3, overlap=2, by=dora)
    reading = builders.enrolment(study, ada)
    builders.enrolment(study, ben)
    builders.enrolment(study, cleo, role=Role.ADJUDICATOR, pseudonym="J1")
    place = next_assignment(reading, now=timezone.now())
    closed = builders.closed_study([ada, ben], adjudicator=cleo, by=dora)
    invitation = enrolments.invite(study, role=Role.ANNOTATOR, seats=1, days=1, by=dora)
    machine = builders.machine_reader(study)
    token, _ = issue(dora, "hers", ["read"], timezone.now() + timedelta(days=1))
    hook = Webhook.objects.create(study=study, receiver="lab", events=["judgment.created"])
    delivery = Delivery.objects.create(hook=hook, event="judgment.created", code_version="test")
    scripted.register(Endpoint("toy", kind="scripted"), scripts.obedient)
    builders.analyse()
    return {
        "study": study.slug, "step": "basics", "text_form": "txt", "model": "toy", "machine": machine.name,
        "closed": closed.slug, "place": place.pk, "item": 1, "pseudonym": "A",
        "invitation": invitation.pk, "token": token.pk, "mail_kind": "reminded",
        "stop": stop_path(study, "gus@example.org").split("/")[-2],
        "confirm": confirming.path(gus).split("/")[-2],
        "join": enrolments.link(invitation), "signin": "a-token-of-before",
        **{f"{kind}_link": links.find(links.make(dora, kind).partition("#")[2], kind).pk
           for kind in (LinkKind.SIGN_IN, LinkKind.PASSWORD)},
        "hook": hook.pk, "delivery": delivery.pk,
        "book": book.slug, "source": source.slug, "excerpt": excerpt.pk, "job": job.pk,
        "encoding": encoding.pk, "training": training.pk, "loading": loading.pk, "start": 3, "end": 8,
        "words": builders.word_table().pk,
        "exclusion": exclusion.pk, **builders.judged_collection(), **builders.evaluations(),
    }  # fmt: skip


def browser_of(who: str) -> Client:
    """A browser in which that person of the cast is signed in, or nobody: `anon`."""
    browser = Client()
    if who != "anon":
        browser.force_login(User.objects.get(username=who))
    return browser


def addresses(things: dict[str, Any]) -> list[str]:
    """Every address of the site, of things that exist. Those that ARGS lacks fail in test_A01_matrix."""
    found = []
    for name in routes():
        with suppress(NoReverseMatch):
            found.append(
                reverse(name, kwargs={key: things[each] for key, each in ARGS.get(name, {}).items()})
            )
    return found


def walk(browser: Client, starts: list[str], most: int = 600) -> Iterator[tuple[str, HttpResponseBase]]:
    """Every page that links, forms and redirects lead to, asked for by GET, each address once."""
    waiting, seen = list(starts), set()
    while waiting:
        address = waiting.pop(0)
        if address in seen or not address.startswith("/") or address.startswith("/static/"):
            continue
        seen.add(address)
        assert len(seen) <= most, "The site has no end: give the walk a smaller world."
        response = browser.get(address)
        yield address, response
        waiting += [urljoin(address, each).partition("#")[0] for each in leads(response)]


def leads(response: HttpResponseBase) -> list[str]:
    """Where a reply points to, on this host."""
    if location := response.headers.get("Location"):
        return [location]
    if "text/html" not in response.headers.get("Content-Type", "") or response.streaming:
        return []
    found = re.findall(r'(?:href|action|hx-get|hx-post|formaction)="([^"]*)"', response.text)
    return [unescape(each) for each in found if not urlsplit(each).netloc]
