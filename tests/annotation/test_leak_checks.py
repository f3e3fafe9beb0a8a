"""A large draft is checked for printed answers in a job, which stops, goes on, and is shown."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.items import covering, leaving_out
from annotation.models import Kind, LeakCheck, LeakFinding, State
from annotation.studies import leaks
from annotation.studies.leak_checks import findings, jobs
from annotation.studies.readiness import readiness_of
from common.errors import BadInput
from retrieval import tasks
from retrieval.engine.leaks.places import Place
from retrieval.jobs import queue
from retrieval.models import Status
from tests import builders
from tests.annotation.test_leaks import BELL, FERRY, LAMPS, OPTIONS, ROPE, SALT, TIDE, put, said

pytestmark = pytest.mark.django_db
IN_CONTEXT = "gold-in-context-1-0-2-0"


@pytest.fixture
def large(draft, monkeypatch):
    """The first item's answer stands in the second's context; what practice tells is the second's."""
    monkeypatch.setattr(leaks, "MOST_AT_A_GLANCE", 1)
    monkeypatch.setattr(jobs, "BEAT", 0.0)
    draft.items.all().delete()
    put(draft, 1, OPTIONS, left="Of lamps along the quay.")
    put(draft, 2, [SALT, ROPE, TIDE], left=said(LAMPS))
    put(draft, 3, [SALT, FERRY, BELL], kind=Kind.PRACTICE)
    return draft


@pytest.fixture
def address(large):
    return reverse("annotation:leaks", args=[large.slug])


def checked(study, **how):
    job = jobs.submit(study, **how)
    assert jobs.attempt(job.pk, "worker")
    job.refresh_from_db()
    return job


def names(found):
    return sorted((each.name, each.key, each.printed[2:], each.caution) for each in found)


def test_a_job_finds_what_the_check_finds(large, dora):
    job = checked(large, by=dora)
    assert (job.status, job.done, job.counts["items"]) == (Status.DONE, job.total, 3)
    assert names(findings.with_texts(large, findings.listed(job))) == names(leaks.check(large).leaks)
    assert {each.caution for each in findings.listed(job)[:2]} == {True}
    assert [(run.item.number, run.length) for run in findings.runs(job)] == [(1, 4), (2, 1)]
    assert readiness_of(large).printed == 2


def test_it_stands_in_the_list_of_jobs_for_those_who_may_see_the_study(large, dora, as_user, address):
    jobs.submit(large, by=dora)
    for person, seen in ((dora, True), (builders.researcher("Fay"), False)):
        said = as_user(person).get(reverse("retrieval:jobs")).text
        assert ("Check for printed answers" in said, f'href="{address}"' in said) == (seen, seen)


def test_workers_compute_it():
    assert tasks.computing(LeakCheck.kind) is jobs
    assert LeakCheck in queue.KINDS


def test_it_goes_on_behind_the_texts_that_are_done(large, monkeypatch):
    began, first = [], jobs.by_text

    def watched(*those):
        began.append(those[-1])
        return first(*those)

    monkeypatch.setattr(jobs, "by_text", watched)
    job = jobs.submit(large)
    for most in (4, 9):
        assert jobs.attempt(job.pk, "worker", go_on=lambda row, most=most: row.done < most)
        job.refresh_from_db()
        assert (job.status, job.done) == (Status.QUEUED, most)
    assert jobs.attempt(job.pk, "another")
    assert began == [0, 4, 9]
    assert names(findings.with_texts(large, findings.listed(job))) == names(leaks.check(large).leaks)


def test_it_begins_again_where_a_text_was_changed_meanwhile(large):
    job = jobs.submit(large)
    jobs.attempt(job.pk, "worker", go_on=lambda row: row.done < 9)
    put(large, 4, [ROPE, TIDE], left=said(BELL))
    jobs.attempt(job.pk, "worker")
    assert names(findings.with_texts(large, findings.listed(job))) == names(leaks.check(large).leaks)


def test_one_check_at_a_time_and_the_last_result_is_kept(large):
    done = checked(large)
    first = jobs.submit(large)
    assert jobs.submit(large) == first
    assert findings.latest_done(large) == done
    jobs.attempt(first.pk, "worker")
    checked(large)
    assert list(large.leak_checks.all()) == [findings.latest_done(large), first]


def test_a_changed_text_is_told_and_its_finding_does_not_count_as_seen(large, as_user, dora, address):
    checked(large)
    item = large.items.get(number=2)
    covering.cover(item, [Place(0, 0, 9)], by=dora, why="", now=item.study.created)
    page = as_user(dora).get(address).text
    assert "Texts have changed since they were checked" in page
    assert "One of the two texts has changed since" in page
    assert readiness_of(large).printed is None


def explained(study, by):
    item = study.items.get(kind=Kind.PRACTICE)
    address = reverse("annotation:explain", args=[study.slug, item.number])
    assert by.post(address, {"explanation": "The lamps are lit."}).status_code == 302


def put_again(study, by):
    item = study.items.get(number=1)
    item.delete()
    item.pk = None
    item.save(force_insert=True)


CHANGES = {
    "words": lambda study, by: builders.rewrite(
        study.items.filter(number=1), payload={**study.items.get(number=1).payload, "left": ["Of boats."]}
    ),
    "right answer": lambda study, by: builders.rewrite(study.items.filter(number=1), gold={"option": 1}),
    "explanation": explained,
    "kind": lambda study, by: study.items.filter(number=1).update(kind=Kind.CHECK),
    "left out": lambda study, by: study.items.filter(number=1).update(retired=timezone.now()),
    "another item": lambda study, by: put(study, 4, [ROPE, TIDE], left=said(BELL)),
    "an item of the same words": put_again,
    "guidelines": lambda study, by: study.guidelines.create(version=9, text="Another."),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_changed_is_noticed_without_reading_a_text(
    change, large, as_user, dora, django_assert_max_num_queries
):
    browser, before = as_user(dora), findings.digest(large)
    assert findings.digest(large) == before
    CHANGES[change](large, browser)
    with django_assert_max_num_queries(3) as asked:
        assert findings.digest(large) != before
    assert not [each for each in asked if "payload" in each["sql"]]


def test_what_is_taken_back_is_as_it_was(large):
    before, item = findings.digest(large), large.items.get(number=1)
    built = item.payload
    builders.rewrite([item], payload={**built, "left": ["Of boats."]})
    builders.rewrite([item], payload=dict(reversed(built.items())))
    assert findings.digest(large) == before


def test_the_page_launches_stops_and_goes_on(large, as_user, dora, address):
    browser = as_user(dora)
    page = browser.get(address).text
    assert "Check 3 items" in page
    assert "without reading" not in page
    assert "has many items" in browser.get(reverse("annotation:setup", args=[large.slug])).text
    browser.post(address, {"check": "1"})
    page = browser.get(address).text
    assert 'name="stop"' in page
    assert f'hx-get="{address}progress/"' in page
    browser.post(address, {"stop": "1"})
    assert "Nothing was stopped" in browser.post(address, {"stop": "1"}).text
    assert 'name="on"' in browser.get(address).text
    browser.post(address, {"on": "1"})
    assert browser.post(address, {"on": "1"}).status_code == 422
    asked = browser.get(f"{address}progress/", headers={"HX-Request": "true"})
    assert "Waiting" in asked.text
    jobs.attempt(large.leak_checks.get().pk, "worker")
    last = browser.get(f"{address}progress/", headers={"HX-Request": "true"})
    assert last["HX-Retarget"] == "#job"
    assert "2 answers can be found without reading." in last.text
    assert browser.get(f"{address}progress/")["Location"] == address
    page = browser.get(address).text
    assert "3 items were checked on" in page
    assert f"<mark>{LAMPS[:-1]}</mark>" in page


def test_findings_are_covered_and_marked_as_harmless(large, as_user, dora, address):
    checked(large)
    browser = as_user(dora)
    assert browser.post(address, {"cover": "else"}).status_code == 422
    told = "gold-told-in-practice-2-0-3-0"
    assert "why" in browser.post(address, {"dismiss": told}).text
    browser.post(address, {"dismiss": told, "why": "a proverb"})
    page = browser.get(address).text
    assert "1 answer can be found without reading." in page
    assert "a proverb" in page
    key = LeakFinding.objects.get(kind="gold-told-in-practice").key
    browser.post(address, {"return": key})
    assert "2 answers can be found" in browser.get(address).text
    browser.post(address, {"cover": IN_CONTEXT})
    assert [each.words for each in covering.covers(large.items.get(number=2))] == [LAMPS[:-1]]
    assert "not found any more" in browser.post(address, {"cover": IN_CONTEXT}).text


def test_all_are_covered_in_the_job_which_then_checks_again(large, as_user, dora, address):
    checked(large)
    as_user(dora).post(address, {"mend": "1"})
    job = findings.latest(large)
    jobs.attempt(job.pk, "worker", go_on=lambda row: not row.counts.get("covered"))
    jobs.attempt(job.pk, "worker")
    job.refresh_from_db()
    assert (job.counts["covered"], job.counts["left_out"]) == (1, 1)
    assert [each.caution for each in findings.listed(job)] == []
    page = as_user(dora).get(address).text
    assert "1 finding was covered, and 1 practice item left out" in page
    assert "No answer can be found by its words." in page


def test_nobody_is_told_that_words_are_covered_while_texts_are_only_checked(large, as_user, dora, address):
    checked(large)
    as_user(dora).post(address, {"check": "1"})
    refused = as_user(dora).post(address, {"mend": "1"})
    assert (refused.status_code, "are being checked just now" in refused.text) == (422, True)
    assert not findings.latest(large).mends


def test_a_practice_item_stays_whose_finding_is_out_of_date(large, dora):
    checked(large)
    leaving_out.leave_out(large.items.get(number=2), by=dora, why="dull", now=timezone.now())
    job = checked(large, mends=True, by=dora)
    assert job.counts["left_out"] == 0
    assert large.items.get(kind=Kind.PRACTICE).retired is None


def test_nothing_is_covered_once_the_study_has_opened(large):
    checked(large)
    large.state = State.OPEN
    large.save()
    with pytest.raises(BadInput, match="has opened"):
        jobs.run(LeakCheck(study=large, mends=True))


def test_a_large_study_without_options_is_not_sent_to_check_for_answers(large):
    assert readiness_of(large).printed is None
    large.task = "relevance"
    assert readiness_of(large).printed == 0
