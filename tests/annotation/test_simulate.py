"""Simulated readers: the doors of people, the same seed the same answers, never mixed with people."""

from statistics import median

import pytest
from django.utils import timezone

from annotation.models import Assignment, Enrolment, Judgment
from annotation.simulate import Simulated, simulate
from annotation.studies.lifecycle import close_study
from common.errors import BadInput
from tests import builders


def draft(slug="fleet", items=6, overlap=2):
    return builders.study(slug, items=items, overlap=overlap, state="draft")


def answers(study):
    rows = Judgment.objects.filter(assignment__study=study).order_by(
        "assignment__item__number", "assignment__slot"
    )
    return list(
        rows.values_list(
            "assignment__item__number", "annotator__pseudonym", "answer", "active_seconds", "previews"
        )
    )


def test_a_draft_is_opened_and_finished(db):
    study = draft()
    assert simulate(study, annotators=3, accuracy=0.8, seed=4) == Simulated(new=12, opened=True)
    assert not Assignment.objects.exclude(status="done").exists()
    for reader in Enrolment.objects.filter(role="annotator").select_related("user"):
        assert reader.simulated
        assert not reader.user.has_usable_password()
        assert reader.user.username == f"sim-fleet-{reader.id - Enrolment.objects.first().id + 1}"
    assert set(Judgment.objects.values_list("channel", "guideline__version")) == {("simulation", 1)}
    shares = [reader.judgments.count() for reader in Enrolment.objects.all()]
    assert shares == [4, 4, 4]


def test_seconds_are_plausible(db):
    simulate(draft(items=15), annotators=2, accuracy=0.8, seed=4)
    seconds = list(Judgment.objects.values_list("active_seconds", flat=True))
    assert min(seconds) >= 6
    assert max(seconds) <= 600
    assert 20 < median(seconds) < 80


def test_the_same_seed_says_the_same_and_another_does_not(db):
    studies = [draft("one"), draft("two"), draft("three")]
    for study, seed in zip(studies, (4, 4, 5), strict=True):
        simulate(study, annotators=3, accuracy=0.5, seed=seed)
    one, two, three = map(answers, studies)
    assert one == two
    assert one != three


def test_again_does_nothing_and_interrupted_goes_on(db):
    whole, broken = draft("whole", items=7), draft("broken", items=7)
    simulate(whole, annotators=3, accuracy=0.5, seed=4)

    class Interrupted(Exception):
        pass

    def stop(done, total):
        if done == 4:
            raise Interrupted

    with pytest.raises(Interrupted):
        simulate(broken, annotators=3, accuracy=0.5, seed=4, progress=stop)
    assert simulate(broken, annotators=3, accuracy=0.5, seed=4) == Simulated(new=10, opened=False)
    assert answers(broken) == answers(whole)
    assert simulate(broken, annotators=3, accuracy=0.5, seed=4) == Simulated(new=0, opened=False)


@pytest.mark.parametrize(("accuracy", "right"), [(1.0, 20), (0.0, 0)])
def test_accuracy_is_the_chance_of_the_gold_answer(db, accuracy, right):
    study = draft(items=10)
    simulate(study, annotators=2, accuracy=accuracy, seed=4)
    rows = Judgment.objects.select_related("assignment__item")
    assert sum(j.answer == j.assignment.item.gold for j in rows) == right


def test_a_study_with_people_is_refused(db, ada):
    study = draft()
    builders.enrolment(study, ada)
    with pytest.raises(BadInput, match="has people among its annotators"):
        simulate(study, annotators=3, accuracy=0.8, seed=4)
    assert study.enrolments.count() == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"annotators": 0}, "use 1 to 50"),
        ({"accuracy": 87}, "not a probability: use 0 to 1"),
        ({"accuracy": float("nan")}, "not a probability"),
        ({"annotators": 1}, "asks for 2 readings an item and 1 annotator is"),
    ],
)
def test_bad_numbers_get_one_sentence_and_leave_nobody(db, options, sentence):
    study = draft()
    with pytest.raises(BadInput, match=sentence):
        simulate(study, **{"annotators": 3, "accuracy": 0.8, "seed": 4, **options})
    assert not study.enrolments.exists()
    study.refresh_from_db()
    assert study.state == "draft"


def test_items_without_gold_are_named(db):
    study = draft()
    builders.rewrite(study.items.filter(number=3), gold=None)
    with pytest.raises(BadInput, match="Item 3 of “fleet” has no gold"):
        simulate(study, annotators=3, accuracy=0.8, seed=4)


def test_a_closed_study_is_refused(db):
    study = builders.study()
    close_study(study, by=None, now=timezone.now())
    with pytest.raises(BadInput, match="is closed"):
        simulate(study, annotators=3, accuracy=0.8, seed=4)


def test_a_person_with_that_name_keeps_their_account(db):
    person = builders.person("sim-fleet-2", password="correct horse battery")
    with pytest.raises(BadInput, match="person called “sim-fleet-2”"):
        simulate(draft(), annotators=3, accuracy=0.8, seed=4)
    assert not person.enrolments.exists()
