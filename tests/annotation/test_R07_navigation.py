"""R07: wherever a reader comes from, an item is the same item until done, and a change is a revision."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotation.models import Assignment, Judgment
from tests import builders
from tests.annotation.test_views_work import HTMX, fields, send
from tests.builders import pick

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(ada):
    return builders.read_by(ada, items=3, overlap=1)


def device(user):
    browser = Client()
    browser.force_login(user)
    return browser


def test_R07_two_devices_are_at_the_same_item_and_the_second_answer_is_no_second_judgment(ada, place, study):
    desk, tablet = device(ada), device(ada)
    assert {each.post(f"/studies/{study.slug}/begin/")["Location"] for each in (desk, tablet)} == {
        place.get_absolute_url()
    }
    forms = [fields(each.get(place.get_absolute_url())) for each in (desk, tablet)]
    assert desk.post(place.get_absolute_url(), {**forms[0], **pick(place, 1)}).status_code == 302
    second = tablet.post(place.get_absolute_url(), {**forms[1], **pick(place, 2)}, **HTMX)
    assert second.status_code == 409
    assert "In another window you submitted" in second.text
    assert fields(second)["revision"] == "1"
    assert Judgment.objects.get().answer == {"option": 1}
    assert tablet.post(place.get_absolute_url(), {**fields(second), **pick(place, 2)}).status_code == 302
    assert list(Judgment.objects.values_list("revision", "answer__option")) == [(1, 1), (2, 2)]


def test_R07_both_devices_go_on_to_the_same_next_item(ada, place, study):
    desk, tablet = device(ada), device(ada)
    following = send(desk, place, option="1")["Location"]
    assert tablet.post(f"/studies/{study.slug}/begin/")["Location"] == following
    assert Assignment.objects.filter(annotator__user=ada, status="held").count() == 1


def test_R07_a_bookmark_of_a_done_item_opens_it_and_gives_nothing_out(ada, place, study):
    browser = device(ada)
    send(browser, place, option="1")
    held = Assignment.objects.filter(status="held").values_list("pk", flat=True)
    before = list(held)
    page = browser.get(place.get_absolute_url())
    assert "Save the change" in page.text
    assert "Return to your open item" in page.text
    assert list(held) == before


def test_R07_undo_is_one_key_away_and_shows_the_answer(ada, place):
    browser = device(ada)
    page = send(browser, place, htmx=True, option="1").text
    assert re.search(rf'<a href="{place.get_absolute_url()}" data-key="u">', page)
    again = browser.get(place.get_absolute_url())
    assert again.context["chosen"] == {"position": place.order.index(1)}


def test_R07_after_the_last_item_undo_is_there_as_well(ada, place, study):
    browser = device(ada)
    for each in (place, None, None):
        here = each or Assignment.objects.get(annotator__user=ada, status="held")
        end = send(browser, here, option="1")
    page = browser.get(end["Location"]).text
    assert "revision 1 of item 3" in page
    assert re.search(rf'<a href="{here.get_absolute_url()}" data-key="u">Undo', page)


def test_every_revision_stays_readable_with_its_time(ada, place, study, django_assert_max_num_queries):
    browser = device(ada)
    send(browser, place, option="1", note="first thought")
    send(browser, place, undecided="More than one fits")
    send(browser, place, option="0")
    with django_assert_max_num_queries(12):
        page = browser.get(f"/studies/{study.slug}/done/").text
    order = ["Before that", "Revision 2, ", "More than one fits", "Revision 1, ", "first thought"]
    assert [page.index(words) for words in order] == sorted(page.index(words) for words in order)
    assert page.count("data-local") >= 4
