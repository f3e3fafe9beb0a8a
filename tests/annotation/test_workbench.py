"""Another candidate set is another item: next in rank, under the job's rules, with places of its own."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.assignment.claiming import claim_row, next_assignment
from annotation.items import covering, leaving_out, workbench
from annotation.judging.judgments import Late, submit
from annotation.judging.submissions import Submission
from annotation.models import AssignmentStatus, Event, Kind, Role
from annotation.studies import overview
from annotation.studies.build import add_from_job, build_study, take_items_out
from annotation.studies.duplicate import duplicate
from annotation.studies.lifecycle import close_study, open_study
from common.errors import BadInput
from evaluation.report.compute import report
from retrieval.candidates import pipeline, submitting
from retrieval.candidates.more_negatives import more_negatives
from retrieval.engine.leaks.places import Place
from tests import builders
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(dora, stan):
    """Two excerpts, ranked by a real job with two negatives each; opened with two readers."""
    book, source = builders.book(), builders.source()
    for first in (3, 11):
        builders.excerpt(book, source, first=first)
    job = submitting.submit(book, ranker="bm25", parameters={"negatives": 2}, by=stan)
    pipeline.attempt(job.pk, "test")
    made = build_study(slug="fleet", title="Fleet", task="choice", job=job, overlap=2, seed=7, by=dora).study
    for name in ("Hal", "Ivo"):
        builders.enrolment(made, builders.person(name))
    return open_study(made, by=dora, now=timezone.now())


@pytest.fixture
def item(study):
    return study.items.select_related("study", "excerpt").get(number=1)


def act(made):
    return {"by": made, "now": timezone.now()}


def wrong(item):
    return [n for n, option in enumerate(item.provenance["options"]) if not option["is_gold"]]


def fresh(study, number):
    return study.items.select_related("study", "excerpt", "replaces").get(number=number)


def places_of(item):
    return {option["first"] for option in item.provenance["options"]}


def test_what_is_covered_stays_covered_in_the_next_version(study, dora):
    copy = duplicate(study, slug="copy", title="Copy", by=dora)
    item = fresh(copy, 1)
    said = item.payload["left"][0]
    covering.cover(item, [Place(0, 0, len(said.split()[0]))], why="tells", **act(dora))
    made = workbench.replace(fresh(copy, 1), wrong(item)[0], **act(dora))
    assert made.payload["left"][0] == said.replace(said.split()[0], "[…]", 1)
    [kept] = covering.covers(made)
    assert covering.uncover(fresh(copy, made.number), kept.event, by=dora).payload["left"][0] == said


def test_an_item_that_is_left_out_has_no_other_version(study, dora):
    copy = duplicate(study, slug="copy", title="Copy", by=dora)
    leaving_out.leave_out(fresh(copy, 1), why="printed", **act(dora))
    with pytest.raises(BadInput, match="is left out of the study"):
        workbench.rebuild(fresh(copy, 1), **act(dora))


def test_the_next_in_rank_are_those_the_job_would_have_chosen(study, stan, item):
    """Of a job that matches nothing; where one does, its places are dealt among all excerpts."""
    jobs = []
    for number in (2, 6):
        asked = {"negatives": number, "matching": False}
        job = submitting.submit(study.job.book, ranker="bm25", parameters=asked, by=stan)
        pipeline.attempt(job.pk, "test")
        jobs.append(job)
    less, more = jobs
    chosen = more.candidates.filter(excerpt=item.excerpt, is_gold=False).order_by("rank")
    expected = [(each.rank, each.first, each.scores["bm25"]) for each in chosen]
    found = more_negatives(less, item.excerpt, 6)
    assert [(each.rank, each.first, each.scores["bm25"]) for each in found.candidates] == expected
    assert found.reason == ""
    coming = workbench.coming(item, less).candidates
    offered = {option["first"] for option in item.provenance["options"]}
    next_ones = [first for _, first, _ in expected if first not in offered]
    assert [each.first for each in coming[: len(next_ones)]] == next_ones


def test_one_negative_is_replaced_and_the_rest_stays(study, item, dora):
    away = wrong(item)[0]
    following = workbench.coming(item, study.job).candidates[0]
    made = workbench.replace(item, away, **act(dora))
    item.refresh_from_db()
    assert (made.number, made.version, made.replaces_id) == (3, 2, item.pk)
    assert item.retired is not None
    gone = item.provenance["options"][away]["first"]
    assert places_of(made) == places_of(item) - {gone} | {following.first}
    assert made.payload["options"][made.gold["option"]] == item.payload["options"][item.gold["option"]]
    assert made.assignments.filter(status=AssignmentStatus.FREE).count() == 2
    event = Event.objects.get(verb="replace")
    assert (event.actor, event.data["number"], event.data["new"]) == (dora, 1, 3)


def test_a_rebuild_replaces_every_negative_and_never_offers_one_again(study, item, dora):
    first = workbench.rebuild(item, **act(dora))
    second = workbench.rebuild(first, **act(dora))
    gold = {item.provenance["options"][item.gold["option"]]["first"]}
    assert places_of(item) & places_of(first) & places_of(second) == gold
    assert len(places_of(item) | places_of(first) | places_of(second)) == 1 + 3 * 2
    assert second.version == 3


def test_judgments_stay_with_the_version_they_were_made_on(study, item, dora):
    hal = study.enrolments.get(pseudonym="A")
    builders.judgment(study, 1, hal, 0)
    made = workbench.rebuild(item, **act(dora))
    assert item.judgments.count() == 1
    assert made.judgments.count() == 0
    found = report(study)
    assert (found.n_items, found.n_answers, found.n_retired) == (2, 0, 1)
    given = []
    while (place := next_assignment(hal, now=timezone.now())) is not None:
        given.append(place.item.number)
        builders.judgment(study, place.item.number, hal, 0)
    assert given == [2, 3], "the new version, and no more of the old one"


def test_undo_until_a_reader_has_it(study, item, dora):
    made = workbench.rebuild(item, **act(dora))
    old = workbench.undo(made, by=dora)
    assert (old.pk, old.retired, study.items.count()) == (item.pk, None, 2)
    assert Event.objects.get(verb="undo").data["gone"] == 3
    item.refresh_from_db()
    again = workbench.rebuild(item, **act(dora))
    hal = study.enrolments.get(pseudonym="A")
    while next_assignment(hal, now=timezone.now()).item.number != 3:
        number = next_assignment(hal, now=timezone.now()).item.number
        builders.judgment(study, number, hal, 0)
    with pytest.raises(BadInput, match="A reader has taken up"):
        workbench.undo(again, by=dora)
    with pytest.raises(BadInput, match="first version"):
        workbench.undo(study.items.get(number=2), by=dora)


def test_what_cannot_be_is_said(study, item, dora):
    with pytest.raises(BadInput, match="the gold passage stays"):
        workbench.replace(item, item.gold["option"], **act(dora))
    with pytest.raises(BadInput, match="Choose one of the wrong"):
        workbench.replace(item, 9, **act(dora))
    workbench.rebuild(item, **act(dora))
    item.refresh_from_db()
    with pytest.raises(BadInput, match="taken this item’s place"):
        workbench.rebuild(item, **act(dora))
    other = marked([(7, 9)] * 3, names=["Uma", "Vic", "Wes"]).items.get()
    with pytest.raises(BadInput, match="not made of a job’s candidates"):
        workbench.rebuild(other, **act(dora))


def test_when_the_candidates_run_out_nothing_is_half_done(study, item, dora):
    last = item
    while len(workbench.coming(last, study.job).candidates) >= 2:
        last = workbench.rebuild(last, **act(dora))
    with pytest.raises(BadInput, match="not enough candidates"):
        workbench.rebuild(last, **act(dora))
    last.refresh_from_db()
    assert last.retired is None
    assert study.items.filter(retired=None).count() == 2


def test_a_ranking_that_has_become_another_is_not_mixed_in(study, item):
    study.job.candidates.filter(excerpt=item.excerpt, is_gold=False).update(first=20)
    found = more_negatives(study.job, item.excerpt, 6)
    assert len(found.candidates) == 2
    assert "another one today" in found.reason


def test_the_page_shows_candidates_and_acts(study, item, dora, as_user):
    browser = as_user(dora)
    address = reverse("annotation:workbench_item", args=["fleet", 1])
    text = browser.get(address).content.decode()
    for said in ("Next in rank", "Gold", "Replace it by the next in rank", "Rebuild", "bm25"):
        assert said in text
    response = browser.post(address, {"act": "replace", "option": str(wrong(item)[0])}, follow=True)
    assert response.redirect_chain[-1][0] == reverse("annotation:workbench_item", args=["fleet", 3])
    assert "Item 3 is version 2 of item 1, and gets 2 new readings." in response.content.decode()
    assert "Replaced" in browser.get(address).content.decode()
    back = browser.post(reverse("annotation:workbench_item", args=["fleet", 3]), {"act": "undo"}, follow=True)
    assert back.redirect_chain[-1][0] == address
    browser.post(address, {"act": "quarantine", "reason": "Two fit."})
    listed = browser.get(reverse("annotation:workbench", args=["fleet"])).content.decode()
    assert "In quarantine" in listed
    browser.post(address, {"act": "lift"})
    assert "In quarantine" not in browser.get(address).content.decode()


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "Choose one of the acts"),
        ({"act": "lift"}, "not in quarantine"),
        ({"act": "undo"}, "first version"),
        ({"act": "replace", "option": "²"}, "Choose one of the wrong"),
        ({"act": "quarantine"}, "Say in a few words"),
    ],
)
def test_what_is_refused_is_said_on_the_page(study, dora, as_user, sent, said):
    response = as_user(dora).post(reverse("annotation:workbench_item", args=["fleet", 1]), sent)
    assert response.status_code == 422
    assert said in response.content.decode()


@pytest.mark.parametrize("who", ["dora", "stan"])
def test_in_few_queries(study, item, dora, stan, who, as_user, django_assert_max_num_queries):
    builders.judgment(study, 1, study.enrolments.get(pseudonym="A"), None)
    workbench.rebuild(item, **act(dora))
    browser = as_user({"dora": dora, "stan": stan}[who])
    for name, args in (("workbench", []), ("workbench_item", [1]), ("workbench_item", [3])):
        with django_assert_max_num_queries(12):
            assert browser.get(reverse(f"annotation:{name}", args=["fleet", *args])).status_code == 200


def test_adjudicators_and_readers_find_nothing(study, ada, cleo, as_user):
    builders.enrolment(study, ada, pseudonym="Z")
    builders.enrolment(study, cleo, role=Role.ADJUDICATOR, pseudonym="J1")
    for user in (ada, cleo):
        for name, args in (("workbench", []), ("workbench_item", [1])):
            assert as_user(user).get(reverse(f"annotation:{name}", args=["fleet", *args])).status_code == 404


def test_what_was_replaced_is_no_place_that_is_still_to_be_filled(study, item, dora, as_user):
    readers = study.enrolments.filter(role=Role.ANNOTATOR)
    made = workbench.rebuild(item, **act(dora))
    for number in (2, made.number):
        for reader in readers:
            builders.judgment(study, number, reader, 0)
    assert overview.assignment_counts(study) == (4, 0, 0, 4)
    assert sum(n for _, n in overview.items_by_readings(study)) == 2
    listed = overview.with_counts(type(study).objects.filter(pk=study.pk)).get()
    assert (listed.n_items, listed.n_assignments, listed.n_done) == (2, 4, 4)
    text = as_user(dora).get(study.get_absolute_url()).content.decode()
    assert "every reading is given" in text


def test_staff_repair_without_seeing_who_said_what(study, item, stan, as_user):
    readers = study.enrolments.filter(role=Role.ANNOTATOR)
    for reader in readers:
        builders.judgment(study, 1, reader, None, note=f"A note of {reader.pseudonym}.")
    browser = as_user(stan)
    assert "Items to repair" not in browser.get("/").text
    study.items.filter(number=1).update(quarantined=timezone.now())
    listed = reverse("annotation:workbench", args=["fleet"])
    assert f'<a href="{listed}">Fleet</a>: 1 item' in browser.get("/").text
    assert 'bench/1/">' in browser.get(listed).text
    address = reverse("annotation:workbench_item", args=["fleet", 1])
    page = browser.get(address).text
    for said in (
        "More than one fits (2)",
        "Replace it by the next in rank",
        "bm25",
        f'href="/jobs/{study.job.pk}/"',
    ):
        assert said in page
    for hidden in ("What was said of it", "A note of", "/manage/fleet/items", "/results/"):
        assert hidden not in page
    response = browser.post(address, {"act": "rebuild"}, follow=True)
    assert "Item 3 is version 2 of item 1" in response.text
    assert Event.objects.get(verb="rebuild").actor == stan
    assert "Items to repair" not in browser.get("/").text


def test_why_an_item_was_taken_out_by_hand_stands_there_while_it_is_out(study, item, dora, stan, as_user):
    address = reverse("annotation:workbench_item", args=["fleet", 1])
    as_user(dora).post(address, {"act": "quarantine", "reason": "Two passages <fit>."})
    for who in (dora, stan):
        assert "Taken out by hand: Two passages &lt;fit&gt;." in as_user(who).get(address).text
    as_user(stan).post(address, {"act": "lift"})
    assert "Taken out by hand" not in as_user(stan).get(address).text


def test_staff_find_no_bench_of_a_study_they_read_for_or_that_is_a_draft(study, item, stan, as_user):
    others = builders.study("drafted", state="draft")
    builders.enrolment(study, stan, pseudonym="Z")
    study.items.update(quarantined=timezone.now())
    assert "Items to repair" not in as_user(stan).get("/").text
    for slug in ("fleet", others.slug):
        assert as_user(stan).get(reverse("annotation:workbench", args=[slug])).status_code == 404


def test_staff_find_no_practice_or_check_item_there(study, item, stan, dora, as_user):
    type(item).objects.filter(pk=item.pk).update(kind=Kind.CHECK)
    address = reverse("annotation:workbench_item", args=["fleet", 1])
    assert (as_user(stan).get(address).status_code, as_user(dora).get(address).status_code) == (404, 200)


def test_a_version_for_which_an_answer_came_too_late_is_not_undone(study, item, dora, as_user):
    made = workbench.rebuild(item, **act(dora))
    reader = study.enrolments.get(pseudonym="A")
    now = timezone.now()
    place = made.assignments.order_by("slot").first()
    with transaction.atomic():
        assert claim_row(place, reader, now=now - timedelta(days=1))
    builders.release_expired(now)
    close_study(study, by=dora, now=now)
    with pytest.raises(Late):
        submit(place, reader, Submission(uuid.uuid4(), "answer", {"option": 0}), now=now)
    with pytest.raises(BadInput, match="taken up this version"):
        workbench.undo(fresh(study, made.number), by=dora)
    assert "Answers that came too late" in as_user(dora).get("/manage/fleet/notes/").text


@pytest.fixture
def unopened(study, dora):
    """The same job’s items once more, in a draft."""
    return build_study(
        slug="draft", title="Draft", task="choice", job=study.job, overlap=2, seed=7, by=dora
    ).study


def test_a_draft_with_versions_can_be_emptied(unopened, dora):
    workbench.rebuild(fresh(unopened, 1), **act(dora))
    assert take_items_out(unopened, by=dora) == 3
    assert not unopened.items.exists()


def test_items_added_after_a_version_was_undone_get_numbers_of_their_own(unopened, dora, stan):
    made = [workbench.rebuild(fresh(unopened, number), **act(dora)) for number in (1, 2)]
    workbench.undo(fresh(unopened, made[0].number), by=dora)
    builders.excerpt(unopened.job.book, builders.source("another"), first=20)
    job = submitting.submit(unopened.job.book, ranker="bm25", parameters={"negatives": 2}, by=stan)
    pipeline.attempt(job.pk, "test")
    add_from_job(unopened, job, by=dora)
    numbers = list(unopened.items.order_by("number").values_list("number", flat=True))
    assert numbers[:3] == [1, 2, 4]
    assert numbers[3:] == list(range(5, 2 + len(numbers)))
    assert len(numbers) > 3


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite locks no rows")
def test_a_new_version_and_a_reader_who_flags_the_item_do_not_wait_for_each_other(study, item, dora):
    with CaptureQueriesContext(connection) as asked:
        made = workbench.rebuild(item, **act(dora))
        workbench.undo(fresh(study, made.number), by=dora)
    locks = [each["sql"] for each in asked if "annotation_study" in each["sql"] and " FOR " in each["sql"]]
    assert len(locks) == 2
    assert all(sql.endswith("FOR NO KEY UPDATE") for sql in locks)
