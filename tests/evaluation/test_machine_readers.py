"""Machine readers beside people: no human number moves, and every writer has the block."""

from __future__ import annotations

import csv
import io
import json
import uuid

import pytest
from django.urls import reverse

from annotation.machine.imported.storing import About, import_answers
from annotation.models import Decision, MachineReading, Role
from evaluation.beside.tables import confusion, overview
from evaluation.report.compute import report
from evaluation.report.formats import FORMATS
from tests import builders
from tests.evaluation import relevant
from tests.evaluation.graded import graded
from tests.evaluation.judged import NOW, judged
from tests.evaluation.machines import machine, read_by_machine, reading
from tests.evaluation.test_kinds_pages import KINDS, VOTES

pytestmark = pytest.mark.django_db
SAID = {
    "nominal": {"option": 0},
    "spans": {"start": 7, "end": 12},
    "several_spans": {"spans": [[0, 3], [7, 12]]},
    "rubric": {"type": "claim", "quality": "1"},
    "ordinal": {"grade": 2},
}


def inserted(before: str, after: str) -> str:
    """What stands in ``after`` and not in ``before``, which must be the same around one place."""
    head = common(before, after)
    left, right = before[head:], after[head:]
    tail = common(left[::-1], right[::-1])
    assert tail == len(left), f"changed: {left[: len(left) - tail]!r}"
    return right[: len(right) - tail]


def common(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


@pytest.mark.parametrize("name", KINDS)
def test_no_number_on_people_changes(name):
    """The bytes of the whole report before and after a machine reader, but for its own block."""
    study = KINDS[name].make(VOTES, slug="tried")
    alone = report(study, resamples=200, now=NOW)
    read_by_machine(study, [SAID[name]] * 5 + ["u", "?"], again=[SAID[name]] * 3)
    beside = report(study, resamples=200, now=NOW)
    written = {form: (each.render(alone), each.render(beside)) for form, each in FORMATS.items()}
    old, new = map(json.loads, written.pop("json"))
    assert old.pop("machine_readers") is None
    assert new.pop("machine_readers")["machines"][0]["n_answered"] == 5
    assert json.dumps(old) == json.dumps(new)
    for form, (before, after) in written.items():
        assert "M1" in inserted(before, after), form
        assert "M1" not in before, form


@pytest.mark.parametrize("name", KINDS)
def test_the_page_has_the_block_and_nothing_else_new(name, as_user):
    dora = builders.researcher("Dora")
    study = KINDS[name].make(VOTES, slug="tried", by=dora)
    client, url = as_user(dora), reverse("evaluation:results", args=["tried"])

    def seen() -> str:
        page = client.get(url).text
        start, end = page.index("<h1>"), page.index("<dt>Computed</dt>")
        return page[start:end]

    before = seen()
    read_by_machine(study, [SAID[name]] * 7)
    block = inserted(before, seen())
    assert 'id="machine-readers"' in block
    # A list, a sentence or two at a point: seventeen lines in one paragraph nobody reads.
    assert "<li>A machine reader fills no place of a person and enters no number above." in block
    if ">P<" not in before:
        assert ">P<" not in block


def test_likeness_to_each_reader_to_gold_and_to_the_majority():
    """Five items, gold 0 to 2: A is always right, B on three; the machine says what B says but once."""
    study = judged(["gg", "gg", "gg", "gx", "gx"], slug="fleet", names=["Ada", "Ben"])
    options = list(study.items.order_by("number").values_list("gold__option", flat=True))
    wrong = [(gold + 1) % 3 for gold in options]
    people = [row["option"] for row in _answers(study, "Ben")]
    said = [{"option": one} for one in (*people[:4], options[4])]
    assert people[3] != options[3]
    assert wrong[0] != options[0]
    read_by_machine(study, said)
    (found,) = report(study, resamples=200, now=NOW).beside.machines
    assert found.gold.value == 0.8
    assert {name: one.value for name, one in found.readers} == {"A": 0.8, "B": 0.8}
    assert (found.majority.value, found.majority.n) == (1.0, 3)
    (ada, ben) = found.on_gold
    assert (ada.found.only_reader, ada.found.only_machine, ada.found.p) == (1, 0, 1.0)
    assert (ben.found.only_reader, ben.found.only_machine) == (0, 1)
    assert found.on_others == ()
    assert found.confusions == ()
    assert found.lines[0].measure.slug == "individual_accuracy"


def _answers(study, username):
    rows = study.assignments.filter(annotator__user__username=username.lower()).order_by("item__number")
    return [each.judgments.last().answer for each in rows]


def test_grades_by_hand():
    """Confusion by grade, can't decide, and repeatability by grade."""
    study = graded(["01", "11", "23", "33", "u2", "00"], slug="tides", names=["Ada", "Ben"])
    grades = [{"grade": grade} for grade in (0, 1, 3, 3)]
    again = [{"grade": grade} for grade in (0, 2, 3, 3)]
    read_by_machine(study, [*grades, "u", "!"], again=again, scripted=True)
    every = report(study, resamples=200, now=NOW).beside
    (found,) = every.machines
    assert dict(found.states) == {"Answered": 4, "Can’t decide": 1, "Refused": 1}
    assert found.undecided == 0.2
    assert every.people_undecided == 1 / 12
    assert found.confusions[0].counts.tolist() == [[1, 1, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 1, 3]]
    assert found.repeated.every.value == 0.75
    assert [each.value for each in found.repeated.by_grade] == [1, 0, None, 1]
    assert "33.3 %" not in str(confusion("M1", found.confusions[0]).rows[0])
    table = overview(every)
    assert table.rows[0].cells[0].badge == "Scripted"
    text = " ".join(FORMATS["table"].render(report(study, resamples=200, now=NOW)).split())
    assert "M1 is scripted: no model answered" in text
    slugs = [line.measure.slug for line in found.lines]
    assert "exact_with_gold" in slugs


def test_options_in_several_orders():
    """A machine that always takes the first place, whatever stands there."""
    study = judged(["gg"] * 6, slug="fleet", names=["Ada", "Ben"])
    reader, rows = machine(study, orders=3), []
    for item in study.items.select_related("study").order_by("number"):
        for order in range(3):
            shown = [order, (order + 1) % 3, (order + 2) % 3]
            rows.append(reading(reader, item, {"option": order}, order=order, shown=shown))
    MachineReading.objects.bulk_create(rows)
    (found,) = report(study, resamples=200, now=NOW).beside.machines
    assert found.places.test.counts == (18, 0, 0)
    assert found.places.test.p < 1e-6
    assert found.places.same.value == 0
    told = " ".join(FORMATS["table"].render(report(study, resamples=200, now=NOW)).split())
    assert "it chose 18 at place 1, 0 at place 2 and 0 at place 3 (p < 0.001 if it prefers no place)" in told
    assert "p = <" not in told


def test_query_words_beside_grades_over_topics():
    votes = {(topic, document): f"{n}{n}" for n, topic in enumerate("abc") for document in "xyz"}
    study = relevant.judged(votes, names=["Ada", "Ben"])
    read_by_machine(study, [{"grade": number % 4} for number in range(9)])
    found = report(study, resamples=200, now=NOW).beside
    assert found.over_topics
    words = found.machines[0].words
    assert words.n_items == 9
    # "Lamps of a": "lamps" is the word that counts, and every text has it.
    assert words.by_grade[0] == (1.0, 1.0)
    assert words.machine is None


def test_before_anybody_has_judged():
    study = graded(["..", ".."], slug="tides", names=["Ada", "Ben"])
    read_by_machine(study, [{"grade": 1}] * 2)
    text = FORMATS["table"].render(report(study, now=NOW))
    assert "Nobody has judged anything yet" in text
    assert "answered two" in text or "answered 2" in text


def test_the_live_page_shows_machines_beside_people(as_user):
    dora = builders.researcher("Dora")
    study = graded(["01", "11", "2."], slug="tides", names=["Ada", "Ben"], by=dora)
    client, url = as_user(dora), reverse("evaluation:watch", args=["tides"])
    before = client.get(url, headers={"HX-Request": "true"})
    read_by_machine(study, [{"grade": 0}, {"grade": 1}, "u"])
    after = client.get(url, headers={"HX-Request": "true", "If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert "Machine readers" not in before.text
    assert "3 of 3" in after.text
    assert "75.0 % [" in after.text


def test_two_machines_share_one_correction():
    study = judged(["ggx"] * 9, slug="fleet")
    gold = list(study.items.order_by("number").values_list("gold__option", flat=True))
    read_by_machine(study, [{"option": one} for one in gold])
    read_by_machine(study, [{"option": (one + 1) % 3} for one in gold], name="M2")
    first, second = report(study, resamples=200, now=NOW).beside.machines
    p = [each.found.p for each in (*first.on_gold, *second.on_gold)]
    adjusted = [each.found.p_holm for each in (*first.on_gold, *second.on_gold)]
    assert len(p) == 6
    assert sorted(adjusted)[0] == pytest.approx(min(1, 6 * min(p)))
    rows = csv.DictReader(io.StringIO(FORMATS["csv"].render(report(study, resamples=200, now=NOW))))
    named = [row for row in rows if row["number"] == "machine_minus_reader_on_gold"]
    assert [row["annotator"] for row in named] == ["M1 A", "M1 B", "M1 C", "M2 A", "M2 B", "M2 C"]


def test_readers_and_machines_stand_in_one_table_beside_what_was_settled():
    """Ten items on which two people agree half of the time; the machine says what A says."""
    study = judged(["gg", "gx"] * 5, slug="fleet", names=["Ada", "Ben"])
    read_by_machine(study, _answers(study, "Ada"))
    who = builders.enrolment(study, builders.person("Cleo"), role=Role.ADJUDICATOR, pseudonym="J1")
    item = study.items.get(number=2)
    wrong = {"option": (item.gold["option"] + 1) % 3}
    Decision.objects.create(item=item, adjudicator=who, answer=wrong, submission=uuid.uuid4(), created=NOW)
    found = report(study, resamples=200, now=NOW)
    (machine,) = found.beside.machines
    like = machine.as_reader
    assert (like.with_people, like.among_people, like.difference, like.n_items) == (0.75, 0.5, 0.25, 10)
    assert (like.low > 0, like.verdict) == (True, "as good")
    assert [(one.name, one.n_answers, one.others.value) for one in found.beside.readers] == [
        ("A", 10, 0.5),
        ("B", 10, 0.5),
    ]
    assert (machine.settled.value, machine.settled.n) == (0.0, 1)
    assert [one.found.only_machine for one in machine.on_settled] == [0, 0]
    said = " ".join(FORMATS["table"].render(found).split())
    assert "It is as good as a reader: the interval does not go below 0." in said
    assert "like what was settled" in said
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"].render(found))))
    kept = next(row for row in rows if row["number"] == "machine_with_minus_among_people")
    assert (kept["label"], float(kept["value"])) == ("as good", 0.25)


@pytest.mark.parametrize("form", ["table", "json", "markdown"])
def test_a_report_says_where_answers_come_from_that_were_read_in(form):
    study = judged(["ggg", "ggx", "gxx"])
    rows = "\n".join(json.dumps({"item": number, "answer": 0}) for number in (1, 2, 3))
    about = About("lamp", "A paper", "CC0")
    made = import_answers(study, rows.encode(), "run.jsonl", about, by=None, now=NOW)
    found = report(study, resamples=200, now=NOW)
    sha256 = made.answer_file.sha256
    known = f"the file run.jsonl, sha256 {sha256}; source: A paper; licence: CC0"
    assert found.beside.machines[0].read_in == known
    text = " ".join(FORMATS[form].render(found).split())
    assert known in text
    assert "Of M1 the answers to 3 of 3 items were read in; it answered 3" in text
    assert "was asked about" not in text
