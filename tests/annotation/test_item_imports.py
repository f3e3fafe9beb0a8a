"""Large files of items, sent on the page of a draft: imported in a job that is followed there."""

from __future__ import annotations

import json
import os
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotation.items import payloads
from annotation.models import ItemImport, Study
from annotation.studies import lifecycle
from annotation.studies.importing import jobs
from common.errors import BadInput
from retrieval.jobs import queue
from retrieval.loading import uploads
from retrieval.models import Status
from tests import builders

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def draft(dora):
    return builders.study("draft", items=0, state="draft", by=dora)


@pytest.fixture
def at(draft):
    return reverse("annotation:setup_items", args=[draft.slug])


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """What is large in these tests, and heard of at every item; no file waits from the test before, whose
    job's number SQLite gives again and PostgreSQL does not."""
    for name in waiting():
        uploads.remove(name)
    monkeypatch.setattr(jobs, "LARGE_FILE", 500)
    monkeypatch.setattr(jobs, "BEAT", 0.0)
    monkeypatch.setattr(payloads, "AT_ONCE", 2)


def file(n, last=""):
    lines = [
        {"left": [f"See {at}"], "right": ["x"], "options": [f"a lamp {at}", "a boat"]} for at in range(n)
    ]
    text = "\n".join([*map(json.dumps, lines), last])
    return SimpleUploadedFile("many.jsonl", text.encode())


@pytest.fixture
def sent(as_user, dora, at):
    """`sent(n)` sends a file of n items, and returns its job."""

    def send(n, last=""):
        reply = as_user(dora).post(at, {"file": file(n, last)})
        assert reply.status_code == 302, reply.context["file_form"].errors
        return ItemImport.objects.get()

    return send


def waiting():
    return sorted(path.name for path in (settings.DATA_DIR / "uploads").glob("items-*"))


def test_a_large_file_is_imported_by_a_worker_and_told_of_on_the_page(as_user, dora, draft, at, sent):
    job = sent(9)
    page = as_user(dora).get(at).text
    assert "Import of many.jsonl" in page
    assert "No worker has been seen yet" in page
    assert (draft.items.count(), waiting()) == (0, [f"items-{job.pk}"])
    assert jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    assert (job.status, job.counts, job.done) == (Status.DONE, {"new": 9, "known": 0}, job.total)
    assert (draft.items.count(), waiting()) == (9, [])
    assert "9 items added." in as_user(dora).get(at).text
    assert draft.events.get(verb="build").data == {"file": "many.jsonl", "items": 9}


def test_a_small_file_is_added_at_once(as_user, dora, draft, at):
    assert as_user(dora).post(at, {"file": file(1)}).status_code == 302
    assert (draft.items.count(), ItemImport.objects.count()) == (1, 0)


def test_a_wrong_line_at_the_end_stores_nothing_and_is_named(as_user, dora, draft, at, sent):
    job = sent(9, '{"left": 3}')
    jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    assert (job.status, draft.items.count(), waiting()) == (Status.FAILED, 0, [])
    assert job.error.startswith("many.jsonl, line 10, field “left”")
    assert "It failed:" in as_user(dora).get(at).text


def test_the_page_asks_how_far_it_is_until_it_has_ended(as_user, dora, draft, sent):
    job, browser = sent(9), as_user(dora)
    address = reverse("annotation:items_progress", args=[draft.slug])
    first = browser.get(address, headers=HTMX)
    assert "Waiting" in first.text
    assert browser.get(address, headers={**HTMX, "If-None-Match": first["ETag"]}).status_code == 304
    jobs.attempt(job.pk, "one")
    assert browser.get(address, headers=HTMX)["HX-Redirect"] == reverse(
        "annotation:setup_items", args=["draft"]
    )


def test_cut_off_while_it_stores_it_is_completed_by_the_next_attempt(as_user, dora, draft, at, sent):
    """The worker is told to stop after two items are stored."""
    job = sent(9)
    jobs.attempt(job.pk, "one", go_on=lambda job: draft.items.count() < 4)
    job.refresh_from_db()
    assert (job.status, job.attempts, draft.items.count()) == (Status.QUEUED, 0, 4)
    assert waiting() == [f"items-{job.pk}"]
    jobs.attempt(job.pk, "two")
    job.refresh_from_db()
    assert (job.status, job.counts) == (Status.DONE, {"new": 9, "known": 0})
    assert list(draft.items.values_list("number", flat=True)) == list(range(1, 10))
    built = draft.events.filter(verb="build", data__file="many.jsonl")
    assert [each.data["items"] for each in built] == [9], "told once, by the first attempt"
    assert "9 items added." in as_user(dora).get(at).text


def test_what_was_there_before_is_told_apart_from_what_an_attempt_left(as_user, dora, draft, at, sent):
    as_user(dora).post(at, {"file": file(4)})
    job = sent(9)
    jobs.attempt(job.pk, "one", go_on=lambda job: draft.items.count() < 6)
    jobs.attempt(job.pk, "two")
    job.refresh_from_db()
    assert (job.status, job.counts) == (Status.DONE, {"new": 5, "known": 4})
    built = draft.events.filter(verb="build", data__file="many.jsonl").order_by("pk")
    assert [each.data["items"] for each in built] == [4, 5]


def test_it_is_stopped_on_the_page(as_user, dora, draft, at, sent):
    job = sent(9)
    page = as_user(dora).post(at, {"stop": "1"}, follow=True)
    assert "The import is stopped" in page.text
    assert not jobs.attempt(job.pk, "one")
    uploads.remove_stale()
    assert (draft.items.count(), waiting()) == (0, [])
    assert "Nothing was stopped" in as_user(dora).post(at, {"stop": "1"}, follow=True).text
    assert not draft.events.filter(verb__startswith="build").exists(), "nothing of it was stored"


def stopped(draft):
    """What the record says of imports that left a part."""
    return [(each.actor, each.data) for each in draft.events.filter(verb=jobs.STOPPED)]


def test_stopped_while_it_stores_the_record_says_what_the_draft_has(as_user, dora, draft, at, sent):
    job = sent(9)

    def press(_):
        if draft.items.count() == 4:
            as_user(dora).post(at, {"stop": "1"})
        return True

    jobs.attempt(job.pk, "one", go_on=press)
    job.refresh_from_db()
    assert job.status == Status.CANCELLED
    has = draft.items.count()
    assert 4 <= has < 9
    assert stopped(draft) == [(None, {"file": "many.jsonl", "items": 9, "in_draft": has})]
    assert "build stopped" in as_user(dora).get(reverse("annotation:record", args=["draft"])).text


def test_stopped_while_it_waits_to_go_on_the_record_says_so_too(as_user, dora, draft, at, sent):
    jobs.attempt(sent(9).pk, "one", go_on=lambda job: draft.items.count() < 4)
    assert stopped(draft) == []
    as_user(dora).post(at, {"stop": "1"})
    assert stopped(draft) == [(dora, {"file": "many.jsonl", "items": 9, "in_draft": 4})]


@pytest.mark.parametrize("worker", ["checks again", "died"])
def test_stopped_in_a_later_attempt_the_record_says_so_once(as_user, dora, draft, at, sent, worker):
    job = sent(9)
    # The first attempt is told to end behind the first part, as when the site is restarted.
    jobs.attempt(job.pk, "one", go_on=lambda _: draft.items.count() < 4)
    has = draft.items.count()
    assert 4 <= has < 9
    if worker == "died":
        ago = timezone.now() - timedelta(minutes=5)
        ItemImport.objects.filter(pk=job.pk).update(status=Status.RUNNING, worker="two", lease_until=ago)
        as_user(dora).post(at, {"stop": "1"})
    else:
        jobs.attempt(job.pk, "two", go_on=lambda _: bool(as_user(dora).post(at, {"stop": "1"})))
    job.refresh_from_db()
    assert job.status == Status.CANCELLED
    ((_, data),) = stopped(draft)
    assert data == {"file": "many.jsonl", "items": 9, "in_draft": has}
    jobs.record_stopped(job)
    assert len(stopped(draft)) == 1


def test_claimed_by_another_worker_nothing_was_stopped(draft, sent):
    job = sent(9)

    def taken(_):
        if draft.items.count() == 4:
            ItemImport.objects.filter(pk=job.pk).update(worker="two", attempts=2)
        return True

    jobs.attempt(job.pk, "one", go_on=taken)
    assert 4 <= draft.items.count() < 9
    assert stopped(draft) == []


def test_while_it_is_under_way_no_other_begins_and_the_study_does_not_open(as_user, dora, draft, at, sent):
    sent(9)
    again = as_user(dora).post(at, {"file": file(12)})
    assert again.status_code == 422
    assert "imported into this study already" in again.context["file_form"].errors["file"][0]
    builders.enrolment(draft, builders.person("Ada"))
    with pytest.raises(BadInput, match="is being filled from a file"):
        lifecycle.open_study(draft, by=dora, now=timezone.now())


def test_a_draft_that_somebody_else_changes_meanwhile_is_left_as_it_is(draft, sent):
    job = sent(9)

    def and_another(_):
        if draft.items.count() == 2:
            builders.item(draft, 99)
        return True

    jobs.attempt(job.pk, "one", go_on=and_another)
    job.refresh_from_db()
    assert (job.status, draft.items.count()) == (Status.FAILED, 3)
    assert "was changed by somebody else meanwhile" in job.error
    assert stopped(draft) == [(None, {"file": "many.jsonl", "items": 9, "in_draft": 3})]


def test_a_draft_that_was_put_away_meanwhile_gets_nothing_and_no_other_is_made(draft, sent):
    job = sent(9)
    Study.objects.update(deleted=timezone.now())
    jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    assert (job.status, draft.items.count(), Study.objects.count()) == (Status.FAILED, 0, 1)


def test_the_list_of_jobs_shows_it_to_those_who_see_the_study(as_user, dora, eve, sent):
    sent(9)
    assert "Import of items" in as_user(dora).get(reverse("retrieval:jobs")).text
    assert queue.KINDS[ItemImport] == "annotation.studies.importing.jobs"


def test_the_file_of_a_job_that_is_not_there_any_more_is_removed_in_time(sent):
    job = sent(9)
    ItemImport.objects.all().delete()
    uploads.remove_stale()
    assert waiting() == [f"items-{job.pk}"]
    path = settings.DATA_DIR / "uploads" / f"items-{job.pk}"
    os.utime(path, (0, 0))
    uploads.remove_stale()
    assert waiting() == []
