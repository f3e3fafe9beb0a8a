"""Samples for validation: what is drawn, in which arm a reader meets an item, and what they are shown."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from annotation.assignment.arms import arm_at
from annotation.assignment.claiming import next_assignment
from annotation.models import Arm, ArmDraw, Assignment, Item, Judgment, Sample, SampledItem
from annotation.studies.lifecycle import check_ready, open_study
from annotation.tasktypes import registry
from annotation.validation import drawing, machine_answers, samples
from annotation.validation.drawing import Unit, draw
from annotation.validation.first_grades import first_grades, seen_in
from annotation.validation.whole_topics import draw_topics
from common.errors import BadInput
from evaluation.validation.compute import validation
from evaluation.validation.sentences import notes
from tests import builders
from tests.annotation import validating

pytestmark = pytest.mark.django_db
SHOWN = "A machine"


def units(sizes):
    return [
        Unit(1000 * n + key, name, f"t{key % 7}")
        for n, (name, size) in enumerate(sizes.items())
        for key in range(size)
    ]


def test_each_stratum_has_its_share_and_two_or_more():
    found = draw(units({("a", "0"): 550, ("a", "1"): 200, ("b", "0"): 30, ("b", "4"): 5}), 0.4, seed=3)
    assert [(each.size, each.drawn) for each in found.strata] == [(550, 220), (200, 80), (30, 12), (5, 2)]
    assert len(found.drawn) == 314
    assert found.merged == []


def test_strata_stand_in_the_order_of_numbers_so_that_neighbours_are_alike():
    found = draw(units({("", str(grade)): 20 if grade != 2 else 3 for grade in range(12)}), 0.5, seed=1)
    names = [each.name for each in found.strata]
    assert names == ["0", "1 or 2", *map(str, range(3, 12))]


def test_the_seed_decides_and_topics_have_their_share():
    some = units({("", "0"): 70})
    found = draw(some, 0.5, seed=1)
    assert found == draw(list(reversed(some)), 0.5, seed=1)
    assert found.drawn != draw(some, 0.5, seed=2).drawn
    topics = Counter(unit.topic for unit in some if unit.key in found.drawn)
    assert set(topics.values()) == {5}


def test_strata_too_small_are_merged_and_said():
    found = draw(units({("a", "0"): 40, ("a", "3"): 10, ("a", "4"): 3, ("b", "0"): 40}), 0.1, seed=1)
    assert found.merged[0] == ("a, 4", "a, 3")
    assert all(each.drawn >= 2 for each in found.strata)
    assert sum(each.size for each in found.strata) == 93


def test_all_of_everything_is_drawn_with_a_share_of_one():
    found = draw(units({("a", "0"): 1, ("b", "0"): 3}), 1.0, seed=1)
    assert [(each.size, each.drawn) for each in found.strata] == [(1, 1), (3, 3)]


def test_inclusion_is_as_often_as_the_share():
    some = units({("", "0"): 20, ("", "1"): 10})
    drawn = Counter(key for seed in range(2000) for key in draw(some, 0.4, seed).drawn)
    assert len(drawn) == 30
    assert all(abs(times / 2000 - 0.4) < 0.05 for times in drawn.values())


def test_the_draft_becomes_the_sample_and_can_be_taken_back(dora):
    made = validating.draft(by=dora)
    sample = validating.sampled(made, share=0.4)
    assert sample.rule == "grade"
    assert SampledItem.objects.filter(sample=sample).count() == 40
    drawn = SampledItem.objects.filter(sample=sample, drawn=True)
    assert drawn.count() == 16 == Item.objects.filter(study=made, retired=None).count()
    assert sum(each.weight for each in drawn) == pytest.approx(40)
    assert samples.take_back(made, by=None) == 40
    made.refresh_from_db()
    assert (made.shows_machine, made.items.filter(retired=None).count()) == (False, 40)
    assert not Sample.objects.exists()


def test_topics_make_strata_where_asked(dora):
    made = validating.draft(by=dora)
    sample = validating.sampled(made, share=1.0, rule="topic_grade")
    assert sample.items.values("stratum").distinct().count() == 20
    assert sample.items.filter(stratum="t0, 3").first().stratum_size == 2


def test_runs_make_strata_of_items_of_a_pool(dora):
    from annotation.studies.pools import build_of_pool
    from retrieval.corpora.models import Pool
    from tests import builders

    builders.judged_collection()
    pool = Pool.objects.get()
    pool.runs.set(pool.corpus.runs.all())
    made = build_of_pool("quays", "relevance", pool, {}, by=dora, title="Quays", overlap=1, seed=1).study
    lines = b"".join(b"1 0 quay-%d %d\n" % (n, n % 2) for n in (1, 2, 3, 4))
    found = machine_answers.of_file(made, lines, "m.qrels")
    plan = samples.plan(made, found, samples.Wish(share=1.0, top_k=1))
    assert plan.rule == "grade_in_top"
    assert plan.runs == ["bm25", "rm3"]
    # bm25 has the first document at rank 1, rm3 the last.
    assert {each.name: each.size for each in plan.drawing.strata} == {
        "in a top, 0": 1, "in a top, 1": 1, "in no top, 0": 1, "in no top, 1": 1,
    }  # fmt: skip


def test_a_file_of_json_says_the_same(dora):
    made = validating.draft(by=dora)
    found = machine_answers.of_file(made, validating.json_file(made), "machine.jsonl")
    assert found.of == validating.answers(made).of
    assert len(found.sha256) == 64


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"t0 0 d0 7\n", "line 1, to item 1: The answer must be one of the grades, 0 to 4."),
        (b'{"item": 1, "grade": 1}\n{"topic": "t0", "document": "d0", "grade": 1}\n', "line 2: the item of"),
        (b'{"item": 1}\n', "line 1: has no answer"),
        (b'{"grade": 1}\n', "line 1: names no item"),
        (b"x 0 y 1\n", "holds no answer to an item"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(data, said):
    made = validating.draft()
    with pytest.raises(BadInput, match=said):
        machine_answers.of_file(made, data, "machine")


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"share": 0}, "share must be above 0"),
        ({"rule": "luck"}, "strata must be one of"),
        ({"blind": 0, "reveal": 0}, "without the machine"),
        ({"blind": 11}, "0 to 10"),
        ({"told": " "}, "Say what readers are told"),
    ],
)
def test_a_sample_that_cannot_be_is_refused(wish, said):
    made = validating.draft()
    with pytest.raises(BadInput, match=said):
        validating.sampled(made, **wish)
    assert not Sample.objects.exists()


WORDS = {
    "rubric": ("How well does the passage answer?", "In part", "What is missing?", "The reason itself."),
    "span": ("the tide asks no man twice",),
    "spans": ("Keep your lamp", "the tide asks no man twice"),
}
"""What readers read of the machine's answer, each part by itself."""


@pytest.mark.parametrize("task", ["rubric", "span", "spans"])
def test_answers_of_several_parts_have_the_same_arms(ada, as_user, task):
    example = registry.get(task).example()
    study = validating.opened_of_examples(task, ada)
    type_, me, client, met = study.task_type, study.enrolments.get(user=ada), as_user(ada), Counter()
    while (place := next_assignment(me, now=timezone.now())) is not None:
        machine = SampledItem.objects.get(item=place.item_id).machine_answer
        assert machine == type_.check_answer(place.item.payload, example.answer)
        page = client.get(place.get_absolute_url()).text
        filled = {name: str(value) for name, value in type_.fields(machine, place.order).items()}
        assert (SHOWN in page) == (place.arm == Arm.PREFILLED)
        if place.arm == Arm.PREFILLED:
            assert "stands there already" in page
            assert all(f'dir="auto">{each}</' in page for each in WORDS[task])
            for value in filled.values():
                typed, chosen = (
                    rf'type="(number|text)"[^>]* value="{value}"',
                    rf'value="{value}"[^>]* checked',
                )
                assert re.search(rf"{typed}|{chosen}|>{value}</textarea>", page)
            reply = client.post(place.get_absolute_url(), {**filled, **filled_in("_", 0, 0)})
        else:
            own = type_.check_answer(place.item.payload, validating.OTHER[task])
            sent = type_.fields(own, place.order)
            reply = client.post(place.get_absolute_url(), {**sent, **filled_in("_", 0, 0)})
        said = Judgment.objects.get(assignment=place)
        assert (said.seen is not None) == (place.arm == Arm.PREFILLED)
        assert type_.says_the_same(said.answer, machine) == (place.arm == Arm.PREFILLED)
        if place.arm == Arm.REVEAL:
            revealed = client.get(reply.url).text
            assert "Keep yours, or change it." in revealed
            client.post(place.get_absolute_url(), {**filled, **filled_in("_", 0, 1)})
            assert Judgment.objects.get(assignment=place, revision=2).seen == machine
        met[place.arm] += 1
    assert min(met.values()) == 3
    seen = seen_in(study)
    assert (seen.prefilled, seen.revealed, seen.changed) == (3, 3, 3)
    found = validation(study)
    assert (found.problem, found.one_number, found.reveal.changed) == ("", False, 3)
    assert found.meter.headline.shown == 1
    assert "how alike two of them are" in " ".join(notes(found))


def test_a_sample_that_was_changed_does_not_open(ada, dora):
    made = validating.draft(by=dora)
    validating.sampled(made)
    made.refresh_from_db()
    one = made.items.filter(retired=None).first()
    made.items.filter(pk=one.pk).update(retired=timezone.now())
    with pytest.raises(BadInput, match="1 item left out since its sample was drawn"):
        check_ready(made, timezone.now())


def test_an_open_study_keeps_its_sample(ada):
    made = validating.opened(ada)
    with pytest.raises(BadInput, match="in a draft only"):
        samples.take_back(made, by=None)


def test_a_fifth_blind_is_warned_of_with_numbers():
    assert "21 times in 100" in samples.of_arms(samples.Wish(blind=1, reveal=2, prefilled=2))[0]
    assert samples.of_arms(samples.Wish()) == []


def read_all(study, me, data=None):
    """Let a reader answer everything with the grade 1, keeping it after each reveal; return what they met."""
    from annotation.judging.judgments import submit
    from annotation.judging.submissions import Submission

    met = []
    while (place := next_assignment(me, now=timezone.now())) is not None:
        met.append(place)
        submit(place, me, Submission(uuid.uuid4(), "answer", {"grade": 1}), now=timezone.now())
    return met


def test_arms_are_balanced_in_each_stratum_and_early_as_often_as_late(ada):
    study = validating.opened(ada)
    me = study.enrolments.get(user=ada)
    met = read_all(study, me)
    assert len(met) == 20
    by_stratum = Counter(ArmDraw.objects.filter(reader=me).values_list("stratum", "arm"))
    for stratum in {stratum for stratum, _ in by_stratum}:
        counts = [by_stratum[stratum, arm] for arm in Arm.values]
        assert max(counts) - min(counts) <= 1
    arms = [each.arm for each in met]
    assert set(arms[:7]) == set(Arm.values) == set(arms[-7:])
    assert arms == list(
        Assignment.objects.filter(annotator=me).order_by("claimed", "pk").values_list("arm", flat=True)
    )


def test_the_arm_follows_from_seed_reader_stratum_and_place(ada):
    study = validating.opened(ada)
    sample = study.sample
    drawn = [arm_at(sample, "A", "3", place) for place in range(30)]
    assert drawn == [arm_at(sample, "A", "3", place) for place in range(30)]
    assert all(sorted(drawn[n : n + 3]) == sorted(Arm.values) for n in range(0, 30, 3))
    assert drawn != [arm_at(sample, "B", "3", place) for place in range(30)]
    sample.seed += 1
    assert drawn != [arm_at(sample, "A", "3", place) for place in range(30)]


def test_an_item_that_comes_back_comes_in_the_same_arm(ada):
    from annotation.models import EMPTY

    study = validating.opened(ada)
    me = study.enrolments.get(user=ada)
    first = next_assignment(me, now=timezone.now())
    arm = first.arm
    Assignment.objects.filter(pk=first.pk).update(**EMPTY)
    for _ in range(3):
        again = next_assignment(me, now=timezone.now())
        assert (again.item_id, again.arm) == (first.item_id, arm)
        Assignment.objects.filter(pk=again.pk).update(**EMPTY)
    assert ArmDraw.objects.filter(reader=me).count() == 1


def meet(study, me, arm):
    """Give the reader items until one is in this arm; those before are answered with 1."""
    from annotation.judging.judgments import submit
    from annotation.judging.submissions import Submission

    while (place := next_assignment(me, now=timezone.now())) is not None:
        if place.arm == arm:
            me.group_seen = place.item.group
            me.save(update_fields=["group_seen"])
            return place
        submit(place, me, Submission(uuid.uuid4(), "answer", {"grade": 1}), now=timezone.now())
    raise AssertionError(arm)


def post(client, place, **fields):
    sent = {"submission": str(uuid.uuid4()), "revision": "0", "answer": "1", **fields}
    return client.post(reverse("annotation:work", args=[place.pk]), sent)


def machine_grade(place):
    return SampledItem.objects.get(item=place.item_id).machine_answer["grade"]


def test_blind_items_never_show_the_machine(ada, as_user):
    study = validating.opened(ada)
    place = meet(study, study.enrolments.get(user=ada), Arm.BLIND)
    client = as_user(ada)
    assert SHOWN not in client.get(place.get_absolute_url()).content.decode()
    reply = post(client, place, grade="2")
    assert reply.url != place.get_absolute_url()
    assert SHOWN not in client.get(place.get_absolute_url()).content.decode()
    assert Judgment.objects.get(assignment=place).seen is None


def test_the_machine_is_revealed_after_the_readers_own_answer_and_kept_is_recorded(ada, as_user):
    study = validating.opened(ada)
    place = meet(study, study.enrolments.get(user=ada), Arm.REVEAL)
    client = as_user(ada)
    assert SHOWN not in client.get(place.get_absolute_url()).content.decode()
    other = (machine_grade(place) + 1) % 5
    assert post(client, place, grade=str(other)).url == place.get_absolute_url()
    page = client.get(place.get_absolute_url()).content.decode()
    assert "Your answer is kept. A machine answered" in page
    place.refresh_from_db()
    assert place.revealed_at == Judgment.objects.get(assignment=place).created
    reply = client.post(reverse("annotation:keep", args=[place.pk]))
    place.refresh_from_db()
    assert place.kept_at is not None
    assert reply.url != place.get_absolute_url()
    assert Judgment.objects.filter(assignment=place).count() == 1


def test_a_change_after_the_reveal_is_a_revision_that_names_what_it_saw(ada, as_user):
    study = validating.opened(ada)
    place = meet(study, study.enrolments.get(user=ada), Arm.REVEAL)
    client, machine = as_user(ada), machine_grade(place)
    post(client, place, grade=str((machine + 1) % 5))
    reply = post(client, place, grade=str(machine), revision="1")
    assert reply.url != place.get_absolute_url()
    first, second = Judgment.objects.filter(assignment=place).order_by("revision")
    assert (first.answer, first.seen) == ({"grade": (machine + 1) % 5}, None)
    assert (second.answer, second.seen) == ({"grade": machine}, {"grade": machine})
    assert list(first_grades(study).filter(assignment=place)) == [first]
    assert seen_in(study).changed == 1
    # Opened again later, what was seen stays to be read.
    assert "A machine answered" in client.get(place.get_absolute_url()).content.decode()


def test_nothing_is_revealed_upon_no_answer(ada, as_user):
    study = validating.opened(ada)
    place = meet(study, study.enrolments.get(user=ada), Arm.REVEAL)
    client = as_user(ada)
    client.post(
        place.get_absolute_url(),
        {"submission": str(uuid.uuid4()), "revision": "0", "undecided": "It lies between two grades"},
    )
    place.refresh_from_db()
    assert place.revealed_at is None
    assert SHOWN not in client.get(place.get_absolute_url()).content.decode()
    # An answer that comes later is the reader's own, and is followed by the machine's.
    assert post(client, place, grade="2", revision="1").url == place.get_absolute_url()
    assert Judgment.objects.get(assignment=place, revision=2).seen is None


def test_a_prefilled_item_says_so_and_keeps_what_was_chosen_beforehand(ada, as_user):
    study = validating.opened(ada)
    place = meet(study, study.enrolments.get(user=ada), Arm.PREFILLED)
    client, machine = as_user(ada), machine_grade(place)
    page = client.get(place.get_absolute_url()).content.decode()
    assert "Its answer is chosen already" in page
    assert re.findall(r'name="grade" value="(\d)"[^>]* checked', page) == [str(machine)]
    post(client, place, grade=str((machine + 1) % 5))
    said = Judgment.objects.get(assignment=place)
    assert (said.answer["grade"], said.seen) == ((machine + 1) % 5, {"grade": machine})
    assert not first_grades(study).filter(assignment=place).exists()


def test_a_draft_at_a_prefilled_item_is_no_answer_of_the_machine(ada, as_user):
    study = validating.opened(ada)
    place = meet(study, study.enrolments.get(user=ada), Arm.PREFILLED)
    client, machine = as_user(ada), machine_grade(place)
    typed = {"revision": "0", "grade": str((machine + 1) % 5), "draft_version": "1.1"}
    assert "saved" in client.post(reverse("annotation:draft", args=[place.pk]), typed).json()
    page = client.get(place.get_absolute_url()).content.decode()
    assert "Its answer is chosen already" not in page
    assert "what you chose instead stands there now" in page
    assert re.findall(r'name="grade" value="(\d)"[^>]* checked', page) == [typed["grade"]]


def test_a_draft_from_before_the_reveal_is_refused_after_it(ada, as_user):
    """A window that was without a network since: its words are older than what they saw."""
    study = validating.opened(ada)
    place = meet(study, study.enrolments.get(user=ada), Arm.REVEAL)
    client, machine = as_user(ada), machine_grade(place)
    post(client, place, grade=str((machine + 1) % 5))
    late = {"revision": "0", "grade": "0", "draft_known": "", "draft_version": "2.1"}
    reply = client.post(reverse("annotation:draft", args=[place.pk]), late)
    assert (reply.status_code, place.draft) == (409, {})
    # An answer that waited in a browser is shown beside the one that is kept, and makes no revision.
    assert post(client, place, grade=str(machine)).status_code == 409
    assert Judgment.objects.filter(assignment=place).count() == 1


TASKS = {"choice": ("option", "position", "options"), "grade": ("grade", "grade", "grades")}


@pytest.mark.parametrize("task", TASKS)
def test_choice_and_grade_have_the_same_arms(ada, as_user, task):
    """What is shown and chosen is in the words and the order of the reader, whatever their number."""
    part, field, words = TASKS[task]
    study = validating.opened_on(task, ada)
    me, client = study.enrolments.get(user=ada), as_user(ada)
    met = Counter()
    while (place := next_assignment(me, now=timezone.now())) is not None:
        machine = SampledItem.objects.get(item=place.item_id).machine_answer
        shown = study.task_type.as_shown(machine, place.order)[field]
        page = client.get(place.get_absolute_url()).content.decode()
        checked = re.findall(rf'name="{field}" value="(\d)"[^>]* checked', page)
        assert checked == ([str(shown)] if place.arm == Arm.PREFILLED else [])
        assert (SHOWN in page) == (place.arm == Arm.PREFILLED)
        other = (shown + 1) % 3
        after = client.post(place.get_absolute_url(), filled_in(field, other, 0))
        said = Judgment.objects.get(assignment=place)
        assert said.answer == study.task_type.read(place.item.payload, {field: str(other)}, place.order)
        if place.arm == Arm.REVEAL:
            assert after.url == place.get_absolute_url()
            revealed = client.get(after.url).content.decode()
            assert "A machine answered" in revealed
            notice = re.search(r'class="machine-said".*?</div>', revealed, re.DOTALL).group()
            assert escape(place.item.payload[words][machine[part]]) in notice
            client.post(place.get_absolute_url(), filled_in(field, shown, 1))
            assert Judgment.objects.get(assignment=place, revision=2).seen == machine
        met[place.arm] += 1
    assert met == dict.fromkeys(Arm.values, 3)
    assert first_grades(study).count() == 6
    assert seen_in(study)[:3] == (3, 3, 3)


def filled_in(field, value, revision):
    return {"submission": str(uuid.uuid4()), "revision": revision, "answer": "1", field: str(value)}


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite in memory has one writer at a time")
def test_two_windows_of_two_readers_draw_each_arm_once(transactional_db):
    """Each place in a stratum is drawn once, in its arm, whichever window claims: on PostgreSQL."""
    from annotation.judging.judgments import Stale, submit
    from annotation.judging.submissions import Submission

    study = validating.opened(*map(builders.person, ("Hal", "Ivo")))
    readers = list(study.enrolments.order_by("pseudonym")) * 2
    together = Barrier(len(readers))

    def read(me):
        try:
            together.wait(timeout=120)
            while (place := next_assignment(me, now=timezone.now())) is not None:
                with suppress(Stale):
                    submit(place, me, Submission(uuid.uuid4(), "answer", {"grade": 1}), now=timezone.now())
        finally:
            connection.close()

    with ThreadPoolExecutor(len(readers)) as threads:
        list(threads.map(read, readers))
    places = Assignment.objects.filter(study=study).select_related("annotator")
    assert len(places) == 20
    for me in readers[:2]:
        drawn = ArmDraw.objects.filter(reader=me)
        mine = {each.item_id: each.arm for each in places if each.annotator_id == me.pk}
        assert dict(drawn.values_list("item", "arm")) == mine
        for stratum in set(drawn.values_list("stratum", flat=True)):
            met = list(drawn.filter(stratum=stratum).order_by("place").values_list("place", "arm"))
            arms = [arm_at(study.sample, me.pseudonym, stratum, n) for n in range(len(met))]
            assert met == list(enumerate(arms))


def test_the_prefetched_item_never_holds_the_machines_answer(ada, as_user):
    study = validating.opened(ada)
    me, client = study.enrolments.get(user=ada), as_user(ada)
    met = Counter()
    while (place := next_assignment(me, now=timezone.now())) is not None:
        reply = client.get(reverse("annotation:prefetch", args=[place.pk]))
        body = reply.content.decode()
        assert SHOWN not in body
        assert not re.search(r'name="grade"[^>]* checked', body)
        post(client, place, grade="1")
        after = next_assignment(me, now=timezone.now())
        if reply.status_code == 200 and after is not None:
            met[after.arm] += 1
        if min((met[arm] for arm in Arm.values), default=0) >= 1:
            break
    assert set(met) == set(Arm.values)


def test_readers_are_told_before_they_begin(ada, as_user):
    study = validating.opened(ada, told="Some items show what **we** call a machine.")
    page = as_user(ada).get(reverse("annotation:begin", args=[study.slug])).content.decode()
    assert "Some items show what **we** call a machine." in page


def test_others_see_no_machine_at_a_readers_item(ada, ben, as_user):
    study = validating.opened(ada, ben)
    place = meet(study, study.enrolments.get(user=ada), Arm.PREFILLED)
    assert as_user(ben).get(place.get_absolute_url()).status_code == 404
    assert as_user(ben).post(reverse("annotation:keep", args=[place.pk])).status_code == 404


def test_keep_says_nothing_before_a_reveal(ada, as_user):
    study = validating.opened(ada)
    place = meet(study, study.enrolments.get(user=ada), Arm.REVEAL)
    reply = as_user(ada).post(reverse("annotation:keep", args=[place.pk]))
    place.refresh_from_db()
    assert (reply.url, place.kept_at) == (place.get_absolute_url(), None)


def test_items_without_an_answer_of_the_machine_are_blind(ada, dora):
    made = validating.draft(topics=1, by=dora)
    found = validating.answers(made, validating.qrels(topics=1))
    few = {pk: each for n, (pk, each) in enumerate(found.of.items()) if n >= 5}
    samples.take(made, found._replace(of=few), samples.Wish(share=1.0), by=None, now=timezone.now())
    from tests import builders

    me = builders.enrolment(made, ada)
    study = open_study(made, by=None, now=timezone.now())
    me = study.enrolments.get(pk=me.pk)
    read_all(study, me)
    without = Assignment.objects.filter(item__sampled__machine_answer__isnull=True, study=study)
    assert Counter(without.values_list("arm", flat=True)) == {Arm.BLIND: 5}


def simulated(slug, **how):
    from annotation.simulate import simulate

    made = validating.draft(slug, topics=2)
    validating.sampled(made, data=validating.qrels(topics=2), share=1.0)
    made.refresh_from_db()
    simulate(made, annotators=1, accuracy=0.8, seed=5, **how)
    return made


def agreement(study, arm):
    """Judgments in an arm, and those that say what the machine says, as reports count: by grade. A reader
    who gives the machine's grade by themselves marks words, too."""
    rows = Judgment.objects.current().filter(assignment__arm=arm, assignment__study=study)
    numbers = study.task_type.numbers_of_answer
    said = [(each.answer, each.item.sampled.machine_answer) for each in rows.select_related("item__sampled")]
    return len(said), sum(numbers(one) == numbers(other) for one, other in said)


def test_simulated_readers_follow_the_machine_as_far_as_they_are_told():
    free = simulated("free")
    assert seen_in(free).changed == 0
    own = {arm: agreement(free, arm) for arm in Arm.values}
    assert sum(n for n, _ in own.values()) == 20
    n, alike = own[Arm.PREFILLED]
    assert alike < n
    pulled = simulated("pulled", pull=1.0, sway=1.0)
    for arm in (Arm.PREFILLED, Arm.REVEAL):
        n, alike = agreement(pulled, arm)
        assert n == alike
    firsts = first_grades(pulled)
    assert firsts.count() == own[Arm.BLIND][0] + own[Arm.REVEAL][0]
    # What was said before the machine was shown is not moved by any pull.
    columns = ("item__number", "number_1")
    assert set(firsts.values_list(*columns)) == set(first_grades(free).values_list(*columns))


def test_exports_say_what_was_seen_and_what_an_item_stands_for(ada, as_user):
    from annotation.export import codebook, judgments

    study = validating.opened(ada, share=0.5)
    me, client = study.enrolments.get(user=ada), as_user(ada)
    place = meet(study, me, Arm.REVEAL)
    machine = machine_grade(place)
    post(client, place, grade=str((machine + 1) % 5))
    post(client, place, grade=str(machine), revision="1")
    found = [each for each in judgments.rows(study) if each["item"] == place.item.number]
    assert [each["seen_grade"] for each in found] == [None, machine]
    assert [each["differs"] for each in found] == [None, False]
    assert {each["arm"] for each in found} == {"reveal"}
    assert found[0]["revealed_at"] == found[0]["created"]
    assert found[0]["weight"] == found[0]["stratum_items"] / found[0]["stratum_drawn"] == 2
    assert [name for name, _ in codebook.of_judgments(study)] == judgments.columns(study)
    assert list(found[0]) == judgments.columns(study)


def test_other_studies_export_the_columns_they_always_had(ada):
    from annotation.export import judgments
    from tests import builders

    assert judgments.columns(builders.study())[-1] == "created"


def test_the_api_shows_a_reader_no_more_than_the_page(ada, client):
    from datetime import timedelta

    from annotation.people import tokens

    study = validating.opened(ada)
    me = study.enrolments.get(user=ada)
    _, key = tokens.issue(ada, "Script", ["judge"], timezone.now() + timedelta(days=1))
    said = {"headers": {"Authorization": f"Bearer {key}"}, "content_type": "application/json"}
    for arm in Arm.values:
        place = meet(study, me, arm)
        machine = {"grade": machine_grade(place)}
        given = client.post(f"/api/v1/studies/{study.slug}/next/", **said).json()
        assert given["id"] == place.pk
        assert given["machine"] == (machine if arm == Arm.PREFILLED else None)
        answer = {"submission": str(uuid.uuid4()), "answer": {"grade": 1}}
        reply = client.post(f"/api/v1/assignments/{place.pk}/judgment/", answer, **said).json()
        assert reply["machine"] == (None if arm == Arm.BLIND else machine)
        assert "seen" not in reply
        keep = client.post(f"/api/v1/assignments/{place.pk}/keep/", **said)
        again = client.post(f"/api/v1/assignments/{place.pk}/keep/", **said)
        place.refresh_from_db()
        if arm == Arm.REVEAL:
            assert (keep.status_code, keep.json(), place.kept_at is None) == (200, again.json(), False)
        else:
            assert (keep.status_code, place.kept_at) == (409, None)
            assert "nothing to keep" in keep.json()["detail"]


def test_keeping_ones_own_answer_drops_what_was_begun_instead(ada, as_user):
    study = validating.opened(ada)
    place = meet(study, study.enrolments.get(user=ada), Arm.REVEAL)
    post(as_user(ada), place, grade="1")
    Assignment.objects.filter(pk=place.pk).update(draft={"grade": "3"}, draft_saved=timezone.now())
    as_user(ada).post(reverse("annotation:keep", args=[place.pk]))
    place.refresh_from_db()
    assert (place.draft, place.draft_saved) == ({}, None)


def test_whole_topics_are_drawn_with_all_their_items(dora, as_user):
    made = validating.draft(topics=10, each=4, by=dora)
    wish = {"data": validating.qrels(10, 4), "share": 0.4, "whole_topics": True}
    with pytest.raises(BadInput, match="no item can be pre-filled"):
        validating.sampled(made, **wish)
    sample = validating.sampled(made, prefilled=0, **wish)
    drawn = Item.objects.filter(study=made, retired=None)
    assert set(Counter(drawn.values_list("group", flat=True)).values()) == {4}
    assert (drawn.count(), {each.weight for each in sample.items.all()}) == (16, {2.5})
    shown = as_user(dora).get(reverse("annotation:sample", args=[made.slug])).text
    assert "16 of the 40 items" in shown
    assert "Topics (N<sub>h</sub>)" in shown


def test_items_without_topics_make_no_whole_ones():
    with pytest.raises(BadInput, match="1 item of the study names no topic"):
        draw_topics([Unit(1, ("", ""), ""), Unit(2, ("", ""), "t")], 0.5, 1)
    with pytest.raises(BadInput, match="of 1 topic: 2 are needed"):
        draw_topics([Unit(1, ("", ""), "t")], 0.5, 1)


def test_names_of_strata_are_not_cut_in_silence():
    some = [(f"a very long name of a topic, number {n}", "3") for n in range(20)]
    first, second = drawing.joined(some), drawing.joined([*some[:-1], ("another", "3")])
    assert max(len(first), len(second)) <= drawing.LONGEST_NAME
    assert first.startswith("a very long name of a topic, number 0, 3 or a very")
    assert " more (" in first
    assert first != second


def test_scripts_preview_draw_and_take_back_a_sample(dora, client):
    from tests.variorum.test_api import script

    made = validating.draft(by=dora)
    key, address = script(dora, "machines"), f"/api/v1/studies/{made.slug}/sample/"
    body = {"judgments": validating.qrels().decode(), "share": 0.4}

    def post(path="", **more):
        return key.post(f"{address}{path}", {**body, **more}, content_type="application/json")

    assert key.get(address).status_code == 204
    told = post("preview/").json()
    assert (told["items"], told["drawn"], len(told["strata"]), told["rule"]) == (40, 16, 5, "grade")
    assert not Sample.objects.exists()
    assert "one of the two" in post(reader="M1").json()["reader"][0]
    assert "above 0" in post(share=2).json()["detail"]
    assert "valid number" in post("preview/", share=True).json()["share"][0]
    assert "whose machine reader" in post("preview/", of=made.slug).json()["of"][0]
    assert "Unknown field" in post(shere=1).json()["shere"][0]
    whole = post("preview/", whole_topics=True, prefilled=0, share=0.5).json()
    assert whole["strata"] == [{"name": "whole topics", "size": 4, "drawn": 2}]
    assert post().status_code == 201
    assert key.get(address).json()["drawn"] == 16
    assert "a sample already" in post().json()["detail"]
    assert post("take-back/").json() == {"items": 40}
    assert script(dora, "read").get(address).status_code == 403
