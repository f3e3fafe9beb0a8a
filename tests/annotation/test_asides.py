"""What readers may open beside an item: neighbours of its document, which is stored, and own answers."""

from __future__ import annotations

import json
import uuid

import pytest
from django.core.management import call_command
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.assignment.groups import confirm
from annotation.export import judgments
from annotation.manage.forms.steps import STEPS
from annotation.models import Assignment, Judgment, Study
from annotation.studies.duplicate import duplicate
from annotation.studies.lifecycle import open_study
from retrieval.corpora.models import Document
from tests import builders, topics

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def study(dora):
    """A study of a pool whose four documents stand one after the other in one source."""
    builders.collection()
    Document.objects.update(source_key="the quay")
    told = ("--corpus", "quays", "--topics", "boats", "--overlap", "1")
    call_command("build_relevance", "late", *told, "--neighbours", "--earlier-answers")
    return Study.objects.get(slug="late")


@pytest.fixture
def place(study, ada, dora):
    reader = builders.enrolment(study, ada)
    open_study(study, by=dora, now=timezone.now())
    found = next_assignment(reader, now=timezone.now())
    confirm(found, reader)
    return found


def number_of(place):
    return Document.objects.get(pk=place.item.provenance["document"]).number


def opened(browser, place, side, **headers):
    return browser.post(reverse("annotation:neighbour", args=[place.pk]), {"side": side}, **headers)


def judged(browser, place, grade="1"):
    sent = {"submission": str(uuid.uuid4()), "revision": "0", "grade": grade, "answer": "1"}
    return browser.post(place.get_absolute_url(), sent)


def side_that_is_there(place):
    return "before" if number_of(place) else "after"


def test_a_neighbour_is_shown_when_it_is_opened_and_stored_with_what_is_judged_then(as_user, ada, place):
    browser, side = as_user(ada), side_that_is_there(place)
    step = {"before": -1, "after": 1}[side]
    beside = Document.objects.get(number=number_of(place) + step)
    page = browser.get(f"{place.get_absolute_url()}?neighbour={side}").text
    assert f'data-side="{side}"' in page
    assert beside.text not in page, "looking at a page opens nothing"
    told = opened(browser, place, side, **HTMX).text
    assert beside.text in told
    assert beside.external_id not in told
    opened(browser, place, side, **HTMX)
    assert Assignment.objects.get(pk=place.pk).neighbours == [step]
    judged(browser, place)
    assert Judgment.objects.get().neighbours == [step]
    row = next(iter(judgments.rows(place.study)))
    assert (row["neighbours"], row["group_place"]) == ([step], 1)


def test_without_scripts_it_is_a_button_and_a_page(as_user, ada, place):
    browser, side = as_user(ada), side_that_is_there(place)
    page = opened(browser, place, side)
    assert page["Location"] == f"{place.get_absolute_url()}?neighbour={side}"
    shown = browser.get(page["Location"]).text
    step = {"before": -1, "after": 1}[side]
    assert Document.objects.get(number=number_of(place) + step).text in shown
    judged(browser, place)
    assert Judgment.objects.get().neighbours == [step]


def test_who_opens_none_is_stored_as_such_and_a_study_that_shows_none_as_neither(as_user, ada, place):
    browser = as_user(ada)
    judged(browser, place)
    assert Judgment.objects.get().neighbours == []
    Study.objects.update(neighbours=False)
    other = Assignment.objects.get(annotator__user=ada, status="held")
    assert "data-side" not in browser.get(other.get_absolute_url()).text
    assert opened(browser, other, "after").status_code == 404
    judged(browser, other)
    assert Judgment.objects.order_by("pk").last().neighbours is None


def test_only_what_stands_there_and_only_in_the_same_source(as_user, ada, ben, place):
    assert opened(as_user(ben), place, side_that_is_there(place)).status_code == 404
    browser = as_user(ada)
    assert opened(browser, place, "above").status_code == 404
    first = Document.objects.order_by("number").first()
    place.item.provenance["document"] = first.pk
    place.item.save()
    assert opened(browser, place, "before").status_code == 404
    Document.objects.filter(number=1).update(source_key="another")
    assert opened(browser, place, "after").status_code == 404
    assert Assignment.objects.get(pk=place.pk).neighbours is None


def test_an_item_of_a_file_has_no_neighbours(as_user, ada):
    made = topics.study(topics=1, documents=2)
    Study.objects.update(neighbours=True)
    found = next_assignment(builders.enrolment(made, ada), now=timezone.now())
    confirm(found, found.annotator)
    assert "data-side" not in as_user(ada).get(found.get_absolute_url()).text


def test_own_earlier_answers_of_the_topic_stand_in_a_drawer_and_nobody_elses(as_user, ada, ben, dora):
    made = topics.study(topics=2, documents=2, overlap=2)
    me, other = builders.enrolment(made, ada), builders.enrolment(made, ben)
    Study.objects.update(earlier_answers=True)
    first = next_assignment(me, now=timezone.now())
    confirm(first, me)
    theirs = next_assignment(other, now=timezone.now())
    confirm(theirs, other)
    judged(as_user(ben), theirs, "4")
    browser = as_user(ada)
    page = browser.get(first.get_absolute_url()).text
    assert "What you said before of this topic" in page
    drawer = reverse("annotation:earlier", args=[first.pk])
    assert "this is the first of its topic" in browser.get(drawer).text
    german = browser.get(drawer, headers={"Accept-Language": "de"}).text
    assert "Was Sie vorher zu diesem Thema gesagt haben</h1>" in german
    assert "Ihre erste Antwort zu diesem Thema." in german
    judged(browser, first, "2")
    second = Assignment.objects.get(annotator=me, status="held")
    told = browser.get(reverse("annotation:earlier", args=[second.pk]), **HTMX).text
    assert first.item.payload["document"]["title"] in told
    assert f'href="{first.get_absolute_url()}"' in told
    assert "2: Partly relevant" in told
    assert "Fully relevant" not in told
    assert "<html" not in told
    judged(browser, second, "3")
    third = Assignment.objects.get(annotator=me, status="held")
    assert third.item.group != first.item.group
    assert "Partly" not in browser.get(reverse("annotation:earlier", args=[third.pk])).text
    assert as_user(ben).get(drawer).status_code == 404
    Study.objects.update(earlier_answers=False)
    browser = as_user(ada)
    assert browser.get(drawer).status_code == 404
    assert "What you said before" not in browser.get(second.get_absolute_url()).text


def test_both_are_set_in_a_draft_alone_and_where_they_can_be(as_user, dora, study):
    draft = duplicate(study, title="Copy", slug="copy", by=dora)
    assert (draft.neighbours, draft.earlier_answers) == (True, True)
    address = reverse("annotation:step", args=["copy", "reading"])
    browser = as_user(dora)
    page = browser.get(address).text
    assert 'name="neighbours"' in page
    choice = builders.study("chosen", items=1, state="draft", by=dora)
    assert not {"neighbours", "earlier_answers"} & set(STEPS["reading"](study=choice).fields)
    Study.objects.filter(pk=draft.pk).update(state="open")
    draft.refresh_from_db()
    form = STEPS["reading"](study=draft)
    assert form.fields["neighbours"].disabled
    assert form.fields["earlier_answers"].disabled


def test_a_judgment_stays_append_only(place, as_user, ada):
    judged(as_user(ada), place)
    with connection.cursor() as cursor, pytest.raises(Exception, match="append-only"):
        cursor.execute("UPDATE annotation_judgment SET neighbours = %s", [json.dumps([1])])
