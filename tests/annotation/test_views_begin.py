"""Begin, put off, look back, and the page that says why nothing is left."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.judging.judgments import submit
from annotation.judging.submissions import Submission
from annotation.models import Assignment, Judgment, Outcome, Role, State
from tests import builders
from tests.annotation.test_views_work import HTMX, send
from tests.drawn import without_drawn

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(ada):
    return builders.read_by(ada, items=2, overlap=1)


def begin(browser, study, **extra):
    return browser.post(f"/studies/{study.slug}/begin/", **extra)


def test_begin_by_get_tells_and_claims_nothing(as_user, ada, study):
    page = as_user(ada).get(f"/studies/{study.slug}/begin/")
    assert "There are 2 items for you" in page.text
    assert "Choose the passage that reads best." in page.text
    assert not Assignment.objects.exclude(annotator=None).exists()


def test_begin_by_post_claims_one_item_and_leads_there(as_user, ada, study):
    response = begin(as_user(ada), study)
    place = Assignment.objects.get(annotator__user=ada)
    assert response["Location"] == place.get_absolute_url()
    assert place.opened is not None


def test_later_puts_off_without_judging_and_the_item_comes_back_last(as_user, ada, study):
    browser = as_user(ada)
    first = Assignment.objects.get(pk=begin(browser, study)["Location"].split("/")[2])
    response = browser.post(f"/work/{first.pk}/later/", **HTMX)
    second = Assignment.objects.get(annotator__user=ada, put_off=None)
    assert response["HX-Push-Url"] == second.get_absolute_url()
    assert "Put off for later." in response.text
    assert not Judgment.objects.exists()
    assert "put 1 off for later" in browser.get(f"/studies/{study.slug}/begin/").text
    assert send(browser, second, option="1")["Location"] == first.get_absolute_url()


def test_later_at_a_judged_item_changes_nothing(as_user, ada, study):
    browser = as_user(ada)
    place = Assignment.objects.get(pk=begin(browser, study)["Location"].split("/")[2])
    send(browser, place, option="1")
    browser.post(f"/work/{place.pk}/later/")
    place.refresh_from_db()
    assert (place.status, place.put_off) == ("done", None)


def test_later_is_a_post(as_user, ada, study):
    assert as_user(ada).get("/work/1/later/").status_code == 405


def test_after_the_last_item_a_page_thanks_and_shows_all_answers(as_user, ada, study):
    browser = as_user(ada)
    for _ in range(2):
        place = Assignment.objects.get(pk=begin(browser, study)["Location"].split("/")[2])
        response = send(browser, place, undecided="None of them fits", note="twice <b>checked</b>")
    assert response["Location"] == f"/studies/{study.slug}/done/"
    page = browser.get(response["Location"]).text
    assert "All done, thank you</h1>" in page
    assert "You have done all 2 items, and every answer is saved." in page
    assert page.index("Item 2</a>") < page.index("Item 1</a>")
    assert "None of them fits" in page
    assert "twice &lt;b&gt;checked&lt;/b&gt;" in page
    assert f'href="{place.get_absolute_url()}"' in page


def test_under_htmx_the_end_is_a_page_of_its_own(as_user, ada, study):
    browser = as_user(ada)
    for _ in range(2):
        place = Assignment.objects.get(pk=begin(browser, study)["Location"].split("/")[2])
        response = send(browser, place, htmx=True, option="1")
    assert response.status_code == 204
    assert response["HX-Redirect"] == f"/studies/{study.slug}/done/"


def test_in_the_middle_the_list_offers_to_continue(as_user, ada, study):
    browser = as_user(ada)
    place = Assignment.objects.get(pk=begin(browser, study)["Location"].split("/")[2])
    send(browser, place, option="0")
    page = browser.get(f"/studies/{study.slug}/done/").text
    assert "1 of 2 items" in page
    assert "Continue" in page
    assert "Item 1, the first passage." in page


def test_before_the_first_answer_the_list_says_so_and_offers_to_begin(as_user, ada, study):
    page = as_user(ada).get(f"/studies/{study.slug}/done/").text
    assert "Nothing yet." in page
    assert ">Begin</button>" in page
    assert f'<a href="/studies/{study.slug}/begin/">{study.title}</a>' in page, "the way back to the study"


def test_an_item_put_off_keeps_its_number_in_the_list(as_user, ada, study):
    browser = as_user(ada)
    first = begin(browser, study)["Location"].split("/")[2]
    browser.post(f"/work/{first}/later/")
    second = Assignment.objects.get(annotator__user=ada, put_off=None)
    send(browser, second, option="1")
    page = browser.get(f"/studies/{study.slug}/done/").text
    assert "Item 2</a></th>" in page
    assert "Item 1</a></th>" not in page


@pytest.mark.parametrize(
    ("state", "because"),
    [(State.CLOSED, "the study is closed."), (State.DRAFT, "the study is not open yet.")],
)
def test_a_study_that_is_not_open_says_so(as_user, ada, study, state, because):
    type(study).objects.update(state=state)
    assert begin(as_user(ada), study)["Location"] == f"/studies/{study.slug}/done/"
    assert because in as_user(ada).get(f"/studies/{study.slug}/done/").text
    assert not Assignment.objects.exclude(annotator=None).exists()


def test_when_colleagues_filled_the_places_no_one_and_no_number_is_named(as_user, ada, ben, study):
    other = builders.enrolment(study, ben)
    for _ in range(2):
        place = next_assignment(other, now=timezone.now())
        submission = Submission(uuid4(), Outcome.ANSWER, {"option": "1"})
        submit(place, other, submission, now=timezone.now())
    page = without_drawn(as_user(ada).get(f"/studies/{study.slug}/done/").text)
    assert "because the items you have not seen have all the readings they need." in page
    assert "Ben" not in page


def test_a_researcher_has_nothing_to_read_in_the_own_study(as_user, dora, study):
    builders.enrolment(study, dora, role=Role.RESEARCHER, pseudonym="R1")
    assert "not as one of its readers" in as_user(dora).get(f"/studies/{study.slug}/begin/").text
    assert begin(as_user(dora), study).status_code == 302
    assert not Assignment.objects.exclude(annotator=None).exists()


@pytest.mark.parametrize("page", ["begin", "done"])
def test_strangers_find_nothing(as_user, client, eve, study, page):
    assert client.get(f"/studies/{study.slug}/{page}/").status_code == 302
    assert as_user(eve).get(f"/studies/{study.slug}/{page}/").status_code == 404
    assert as_user(eve).get(f"/studies/nowhere/{page}/").status_code == 404


def test_who_did_nothing_in_a_closed_study_is_led_home_and_not_to_an_empty_list(as_user, ada):
    study = builders.study(state=State.CLOSED)
    builders.enrolment(study, ada)
    page = as_user(ada).get(f"/studies/{study.slug}/begin/").text
    assert "because the study is closed" in page
    assert 'class="button" href="/"' in page
    assert f'href="/studies/{study.slug}/done/"' not in page


def test_an_empty_notebook_leads_to_the_study(as_user, ada, study):
    page = as_user(ada).get(f"/studies/{study.slug}/notebook/").text
    assert f'class="button" href="/studies/{study.slug}/begin/"' in page


def test_who_withdraws_and_keeps_an_account_is_led_home(as_user, ada):
    study, other = builders.study(slug="left"), builders.study(slug="kept")
    me = builders.enrolment(study, ada)
    builders.enrolment(other, ada)
    page = as_user(ada).post(f"/studies/{study.slug}/withdraw/", {"pseudonym": me.pseudonym}).text
    assert "Your account stays" in page
    assert 'class="button" href="/"' in page
