"""The page everybody starts from differs by what one may do."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.adjudication import decisions, worklist
from annotation.assignment.claiming import next_assignment
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Outcome, Study
from retrieval.candidates import submitting
from retrieval.jobs.workers import report
from retrieval.loading import jobs as loadings
from tests import builders

pytestmark = pytest.mark.django_db


def test_signed_out_one_is_asked_to_sign_in(client):
    assert client.get("/")["Location"] == "/login/?next=/"


def test_an_annotator_finds_the_studies_to_read_for(as_user, ada):
    study = builders.study(items=4, overlap=1)
    reader = builders.enrolment(study, ada)
    assert "Begin<" in as_user(ada).get("/").text
    place = next_assignment(reader, now=timezone.now())
    submit(place, reader, Submission(uuid4(), Outcome.ANSWER, {"option": "1"}), now=timezone.now())
    page = as_user(ada).get("/").text
    assert "1 of 4" in page
    assert "Continue<" in page
    assert f'action="/studies/{study.slug}/begin/"' in page
    for heading in ('id="research"', 'id="library"'):
        assert heading not in page


@pytest.mark.parametrize(("state", "word"), [("draft", "Not open yet"), ("closed", "Closed")])
def test_a_study_that_is_not_open_offers_no_work(as_user, ada, state, word):
    builders.enrolment(builders.study(state=state), ada)
    page = as_user(ada).get("/").text
    assert word in page
    assert 'action="/studies/' not in page
    assert "You did 0 items" not in page


def test_the_card_of_a_study_that_is_not_open_yet_leads_to_where_an_address_can_be_left(as_user, ada):
    study = builders.study(state="draft")
    builders.enrolment(study, ada)
    browser = as_user(ada)
    assert f'<a href="/studies/{study.slug}/begin/">{study.title}</a>' in browser.get("/").text
    assert f"/studies/{study.slug}/mail/" in browser.get(f"/studies/{study.slug}/begin/").text


def test_the_card_of_an_open_study_leads_to_its_guidelines(as_user, ada):
    study = builders.study()
    builders.enrolment(study, ada)
    assert f'<a href="/studies/{study.slug}/begin/">{study.title}</a>' in as_user(ada).get("/").text


def test_an_adjudicator_finds_how_much_waits_in_each_study(
    as_user, ada, ben, cleo, django_assert_max_num_queries
):
    for number in range(4):
        builders.closed_study([ada, ben], adjudicator=cleo, slug=f"closed-{number}")
    settled = Study.objects.get(slug="closed-1")
    (item,) = worklist.adjudicable_items(settled)
    seen = decisions.state_of(decisions.judgments_on(item))
    ruling = decisions.SubmittedDecision(uuid4(), None, "Both fit.", 0, seen)
    decisions.decide(item, settled.enrolments.get(pseudonym="J1"), ruling, now=timezone.now())
    for slug, state in (("begun", "open"), ("planned", "draft")):
        study = builders.study(slug, items=2, overlap=2, state=state)
        builders.enrolment(study, cleo, role="adjudicator", pseudonym="J1")
    agreed = builders.study("agreed", items=2, overlap=2)
    for user in (ada, ben):
        builders.judgment(agreed, 1, builders.enrolment(agreed, user))
    builders.enrolment(agreed, cleo, role="adjudicator", pseudonym="J1")
    browser = as_user(cleo)
    with django_assert_max_num_queries(12):
        page = browser.get("/").text
    assert page.count("<strong>1</strong> item waits to be decided") == 3
    assert page.count("Nothing waits to be decided") == 2
    assert page.count("1 decided so far") == 1
    assert page.index("closed-0/") < page.index("closed-1/")
    assert "No item has all its readings yet." in page
    assert "Not open yet" in page
    assert page.count(">Decide on items<") == 3
    assert 'id="reading"' not in page


NO_WAY_BACK = "your link worked only once: without a password you cannot come again"


def test_who_has_no_password_is_told_until_there_is_one(client, ada, django_assert_num_queries):
    ada.set_unusable_password()
    ada.save()
    client.force_login(ada)
    with CaptureQueriesContext(connection) as told:
        page = client.get("/").text
    assert NO_WAY_BACK in page
    assert '<a href="/password/">Choose one</a>' in page
    ada.set_password("a lamp before dawn")
    ada.save()
    client.force_login(ada)
    with django_assert_num_queries(len(told)):
        assert NO_WAY_BACK not in client.get("/").text


@pytest.mark.parametrize(("address", "told"), [("127.0.0.1", False), ("192.0.2.1", True)])
def test_the_links_of_a_demonstration_are_not_used_up(client, ada, settings, address, told):
    settings.DEMONSTRATION = True
    ada.set_unusable_password()
    ada.save()
    client.force_login(ada)
    assert (NO_WAY_BACK in client.get("/", REMOTE_ADDR=address).text) is told


def test_somebody_without_a_study_is_told_how_to_get_into_one(as_user, ada):
    assert "You are in no study yet." in as_user(ada).get("/").text


def test_a_researcher_finds_the_own_studies_and_no_others(as_user, dora, eve):
    builders.study(by=dora, items=2, overlap=2)
    page = as_user(dora).get("/").text
    assert "0 of 4" in page
    assert 'href="/manage/fleet/"' in page
    assert 'href="/results/fleet/"' in page
    assert "elsewhere" not in page
    assert 'id="reading"' not in page


def test_staff_read_how_many_jobs_of_either_kind_wait(as_user, stan):
    book, source = builders.book(), builders.source()
    builders.excerpt(book, source)
    assert "0 jobs waiting" in as_user(stan).get("/").text
    submitting.submit(book, ranker="bm25", parameters={})
    assert "1 job waiting" in as_user(stan).get("/").text
    loadings.submit_search(book, source)
    assert "2 jobs waiting" in as_user(stan).get("/").text


def test_staff_find_books_sources_and_whether_anybody_works(as_user, stan):
    book = builders.book()
    builders.finished_job(book, [builders.excerpt(book, builders.source())])
    page = as_user(stan).get("/").text
    assert "1 book to read, search and rank" in page
    assert "0 trainings of encoders<" in page
    training = builders.finished_training(book)
    assert f'<a href="/training/{training.pk}/">trained</a> (toy model) done' in as_user(stan).get("/").text
    assert "No worker has been seen." in page
    assert "Job " in page
    report("one", ["cpu"])
    assert "A worker is there" in as_user(stan).get("/").text


def test_a_name_is_text(as_user, db):
    user = builders.person("<b>Ada</b>")
    assert "<b>Ada" not in as_user(user).get("/").text


def test_a_reader_finds_what_waits_what_is_new_and_what_was_decided(as_user, ada, ben, cleo):
    closed = builders.closed_study([ada, ben], adjudicator=cleo, slug="closed")
    (item,) = worklist.adjudicable_items(closed)
    ruling = decisions.SubmittedDecision(
        uuid4(), None, "Both fit.", 0, decisions.state_of(decisions.judgments_on(item))
    )
    decisions.decide(item, closed.enrolments.get(pseudonym="J1"), ruling, now=timezone.now())
    study = builders.study("open", items=4, overlap=1)
    reader = builders.enrolment(study, ada)
    place = next_assignment(reader, now=timezone.now())
    submit(place, reader, Submission(uuid4(), Outcome.ANSWER, {"option": "1"}), now=timezone.now())
    reader.guideline_seen = 1
    reader.save()
    study.guidelines.create(version=2, text="Read twice.")
    study.events.create(verb="add items", data={})
    browser = as_user(ada)
    page = browser.get("/").text
    assert "One study has something for you to read." in page
    assert page.index("open/begin/") < page.index("closed/decisions/")
    assert "What was decided</a> on 1 that you answered" in page
    assert "The guidelines have changed</a> since you read them" in page
    assert "There is more to read since" in page
    assert "Your last answer:" in page
    reader.guideline_seen = 2
    reader.save()
    assert "The guidelines have changed" not in browser.get("/").text
