"""A stopping rule: chosen before the study opens, looked at in the order of reading, recorded once."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.db.utils import DatabaseError

from annotation.machine.imported.storing import About, import_answers
from annotation.machine.readers import delete
from annotation.models import Delivery, HookEvent, Item, Judgment, Kind, State, Study, Webhook
from annotation.people import withdrawal
from annotation.studies.running.stopping import (
    DIFFERENCE,
    SPENDINGS,
    Rule,
    full_items,
    met_in,
    set_rule,
)
from common.errors import BadField, BadInput
from evaluation.metrics.machines.differences import DISTANCE
from evaluation.metrics.planning.spending import SPENDING, levels
from evaluation.paper.methods import english, german
from evaluation.paper.methods.facts import facts
from evaluation.report.compute import report
from evaluation.report.data import data
from evaluation.report.formats import FORMATS
from evaluation.stopping import taking
from evaluation.stopping.looks import look, looked, offered
from evaluation.stopping.sentences import sentences
from tests import builders
from tests.evaluation import graded, judged, marked, relevant, rubrics
from tests.evaluation.judged import NOW, ruled

pytestmark = pytest.mark.django_db
MIXED, MIXED_RULE = ["ggg", "gxy", "ggx"] * 20, Rule("individual_accuracy", 0.08, 20, 10, 9)
ACCURACY = Rule("individual_accuracy", 0.05, 40, 20, 8)
ABOVE = Rule("individual_accuracy", None, 40, 20, 8, spending="obrien_fleming", threshold=0.7)
FROM_RUN = ABOVE._replace(measure=DIFFERENCE, threshold=0.0, run="M1")


def printed(*options: str) -> str:
    out = io.StringIO()
    call_command("stopping", *options, stdout=out)
    return out.getvalue()


def test_looks_go_by_the_first_full_items_until_the_rule_is_met():
    study = ruled(judged.judged(MIXED), MIXED_RULE)
    found = looked(study)
    assert [one.items for one in found.looks] == [20, 30, 40, 50]
    assert [one.met for one in found.looks] == [False, False, False, True]
    right = [vote.count("g") / 3 for vote in MIXED]
    assert [one.value for one in found.looks] == [
        pytest.approx(sum(right[: one.items]) / one.items) for one in found.looks
    ]
    assert found.looks[-1].half_width <= 0.08 < found.looks[-2].half_width
    assert (found.next, found.over) == (None, False)


def test_a_look_counts_what_had_been_read_when_its_last_item_became_full():
    """Items become full out of order, and one answer is changed after the look."""
    study = ruled(judged.judged(["ggg", "gg.", "gx.", "ggg"]), Rule("individual_accuracy", 0.001, 3, 1, 2))
    open_places = study.assignments.filter(annotator=None).order_by("-item__number")
    hal = study.enrolments.get(user__username="hal")
    first = study.assignments.filter(item__number=1).first()
    for minutes, assignment in enumerate(open_places.select_related("item"), 1):
        row = judged.row(assignment, hal, "x")
        row.created = NOW + timedelta(minutes=minutes)
        row.save()
    assert [each.item for each in full_items(study)] == [
        study.items.get(number=number).pk for number in (1, 4, 3, 2)
    ]
    before = looked(study).looks
    changed = judged.row(first, first.annotator, "x", revision=2)
    changed.created = NOW + timedelta(minutes=1, seconds=30)
    changed.save()
    after = looked(study).looks
    # Items 1, 4 and 3 stood at 7 of 9; the change came before the second look, which sees all 12.
    assert before[0] == after[0]
    assert before[0].value == pytest.approx(7 / 9)
    assert (before[1].value, after[1].value) == (pytest.approx(9 / 12), pytest.approx(8 / 12))
    assert Judgment.objects.current().filter(item__study=study).count() == 12


def test_an_answer_that_was_taken_back_before_an_item_was_full_does_not_fill_it():
    study = judged.judged(["ggg", "gg."])
    item = study.items.get(number=2)
    mine, last = item.assignments.filter(status="done").first(), item.assignments.get(annotator=None)
    after = [NOW + timedelta(minutes=minutes) for minutes in range(1, 4)]
    undone = judged.row(mine, mine.annotator, "g", revision=2)
    undone.outcome, undone.answer, undone.created = "taken_back", None, after[0]
    theirs = judged.row(last, study.enrolments.get(user__username="hal"), "x")
    theirs.created = after[1]
    for row in (undone, theirs):
        row.save()
    item.assignments.filter(pk=mine.pk).update(taken_back=after[0])
    assert [each.item for each in full_items(study)] == [study.items.get(number=1).pk]
    again = judged.row(mine, mine.annotator, "x", revision=3)
    again.created = after[2]
    again.save()
    assert full_items(study)[1:] == [(item.pk, after[2])]


@pytest.mark.parametrize(
    "made",
    [
        lambda: judged.judged(["ggx", "gxy", "ggg", "xxg"] * 3),
        lambda: marked.marked(*[[(7, 9), (8, 10), (8, 9)], [(6, 9), (8, 9), (7, 9)]] * 6),
        lambda: marked.marked(
            *[[[(7, 9)], [(3, 4), (8, 9)], [(8, 9)]], [[(8, 9)], [(8, 9)], [(7, 8)]]] * 6, task="spans"
        ),
        lambda: graded.graded(["011", "221", "000", "122"] * 3),
        lambda: relevant.judged({(f"t{n}", "d1"): said for n, said in enumerate(["012", "441", "113"] * 4)}),
        lambda: rubrics.answered(["rrw", "wps", "drp", "ppw"] * 3),
    ],
)
def test_every_kind_has_measures_to_look_at_and_a_look_at_all_is_what_its_report_says(made):
    study = made()
    measures = offered(study)
    assert measures
    full, lines = full_items(study), report(study).lines
    for one in measures:
        seen = look(study, Rule(one.slug, 0.1, 2, 1, 1), full)
        printed_as = one.slug.removeprefix("generalised_")
        line = next(each.estimate for each in lines if each.measure.slug == printed_as)
        assert (seen.value, seen.low, seen.high) == (line.value, line.low, line.high)


def test_a_worker_records_a_look_once_tells_the_webhooks_and_closes(settings):
    study = ruled(judged.relic(), ACCURACY._replace(closes=True))
    settings.WEBHOOKS = {"lab": {"url": "https://lab.example/hook", "secret": "x" * 32}}
    Webhook.objects.create(study=study, receiver="lab", events=[HookEvent.RULE])
    taking.take_due()
    taking.take_due()
    events = list(study.events.filter(verb="look").order_by("pk"))
    assert [(each.data["items"], each.data["met"]) for each in events] == [(40, True)]
    study.refresh_from_db()
    assert (study.state, met_in(study)) == (State.CLOSED, events[0])
    told = Delivery.objects.get()
    assert (told.event, told.data["items"]) == (HookEvent.RULE, 40)
    assert taking.take(study, now=NOW) == ()


def test_practice_checks_and_what_was_replaced_bring_no_look_nearer():
    study = ruled(judged.relic(), ACCURACY)
    assert taking.due() == [study]
    for change in ({"kind": Kind.PRACTICE}, {"kind": Kind.CHECK}, {"retired": NOW}):
        some = list(study.items.values_list("pk", flat=True)[39:])
        Item.objects.filter(pk__in=some).update(**change)
        assert taking.due() == [], change
        Item.objects.filter(pk__in=some).update(kind=Kind.WORK, retired=None)


def test_a_look_that_is_due_is_taken_also_where_a_reading_was_taken_back_since():
    study = ruled(judged.judged(["ggg", "ggx"] * 10), Rule("individual_accuracy", 0.001, 20, 10, 2))
    place = study.assignments.select_related("item").first()
    undone = judged.row(place, place.annotator, "g", revision=2)
    undone.outcome, undone.answer, undone.created = "taken_back", None, NOW + timedelta(minutes=1)
    undone.save()
    study.assignments.filter(pk=place.pk).update(
        status="held", lease_until=NOW + timedelta(hours=1), taken_back=undone.created
    )
    study.events.create(
        verb="taken back", data={"assignment": place.pk, "item": place.item_id, "revision": 1}
    )
    assert [one.items for one in looked(study).looks] == [20], "all items were full once"
    taking.take_due()
    assert [each.data["items"] for each in study.events.filter(verb="look")] == [20]


def test_a_recorded_look_that_would_be_another_now_is_said(django_assert_max_num_queries):
    study = ruled(judged.relic(), ACCURACY)
    events = taking.take(study, now=NOW)
    assert len(events) == 1
    assert looked(study, again=True).changed == 0
    for one in study.events.filter(verb="look"):
        study.events.create(verb="look", data={**one.data, "value": 0.5})
    assert (looked(study).changed, looked(study, again=True).changed) == (0, 1)
    assert "other numbers" in " ".join(data(report(study, again=True))["stopping"]["sentences"])
    with django_assert_max_num_queries(1):
        assert taking.due() == []


def test_an_item_is_full_when_all_its_readings_stand_at_once():
    """Item 1: taken back before the last reading, given again later. Item 2: taken back when it was full.
    Item 3: its place goes on with another reader, of whom only a third revision is there."""
    study = judged.judged(["gg.", "gg.", "gg."])
    [ira], hal = judged.readers(study, ["Ira"]), study.enrolments.get(user__username="hal")
    places = {
        (each.item.number, each.slot): each for each in study.assignments.select_related("item", "study")
    }

    def say(minutes, place, who, vote, revision, **fields):
        row = judged.row(places[place], who, vote, revision=revision)
        for name, value in fields.items():
            setattr(row, name, value)
        row.created = NOW + timedelta(minutes=minutes)
        row.save()

    undone = {"outcome": "taken_back", "answer": None}
    say(1, (1, 1), places[1, 1].annotator, "g", 2, **undone)
    say(2, (1, 3), hal, "g", 1)
    say(3, (2, 3), hal, "g", 1)
    say(4, (2, 1), places[2, 1].annotator, "g", 2, **undone)
    assert [each.at for each in full_items(study)] == [NOW + timedelta(minutes=3)]
    say(5, (3, 3), ira, "g", 3)
    say(6, (1, 1), places[1, 1].annotator, "x", 3)
    numbers = dict(study.items.values_list("pk", "number"))
    assert [(numbers[each.item], each.at) for each in full_items(study)] == [
        (number, NOW + timedelta(minutes=minutes)) for number, minutes in ((2, 3), (3, 5), (1, 6))
    ]


def test_a_look_that_cannot_be_taken_again_stands_as_it_was_seen():
    study = ruled(judged.judged(["ggg", "ggx"] * 10), Rule("individual_accuracy", 0.5, 20, 10, 2))
    [seen] = taking.take(study, now=NOW)
    assert seen.met
    withdrawal.erase(study.enrolments.get(user__username="hal"), now=NOW, drop=True)
    found = looked(study, again=True)
    assert (found.full, found.looks, found.met, found.changed) == (0, (seen,), seen, 1)
    assert "met at look 1, with 20" in " ".join(sentences(found))
    assert looked(study).looks == (seen,)


def test_a_rule_is_whole_and_stays_as_it_was_when_the_study_opened(dora):
    study = builders.study("draft", state=State.DRAFT, by=dora)
    for field, wrong in (("width", 0.0), ("items", 1), ("every", 0), ("most", 51)):
        with pytest.raises(BadField) as refused:
            set_rule(study, ACCURACY._replace(**{field: wrong}), by=dora)
        assert refused.value.field == field
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(stop_measure="individual_accuracy")
    opened = ruled(study, ACCURACY)
    with pytest.raises(BadInput, match="has opened"):
        set_rule(opened, None, by=dora)
    with pytest.raises(DatabaseError, match="stopping rule of a study"), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(stop_width=0.2)
    assert opened.events.get(verb="settings").data["stop_items"] == 40


def test_the_page_sets_a_draft_up_and_then_shows_its_looks(as_user, dora):
    study = builders.study("draft", state=State.DRAFT, by=dora)
    page = as_user(dora)
    said = {"measure": "individual_accuracy", "width": "7", "items": "40", "every": "20", "most": "3"}
    address = "/stopping/draft/"
    assert page.get(address).status_code == 200
    refused = page.post(address, said | {"items": "1"})
    assert (refused.status_code, list(refused.context["form"].errors)) == (422, ["items"])
    assert page.post(address, said).status_code == 302
    study.refresh_from_db()
    assert (study.stop_width, study.stop_most) == (0.07, 3)
    assert "3 looks at most" in page.get("/manage/draft/setup/").content.decode()
    assert page.post(address, {"measure": ""}).status_code == 302
    study.refresh_from_db()
    assert (study.stop_measure, study.stop_width) == ("", None)
    open_one = ruled(judged.relic(by=dora), ACCURACY)
    shown = page.get("/stopping/relic/")
    assert "met at look 1" in shown.content.decode()
    assert page.post("/stopping/relic/", said).status_code == 422
    assert "The stopping rule is met" in page.get("/watch/relic/").content.decode()
    taking.take(open_one, now=NOW)
    assert "The stopping rule was met" in page.get("/manage/relic/").content.decode()
    assert "look 1" in page.get("/results/relic/").content.decode().lower()


def test_command_and_api_choose_and_tell(as_user, dora):
    study = builders.study("draft", state=State.DRAFT, by=dora)
    with pytest.raises(CommandError, match=r"--measure: It must be one of individual_accuracy, "):
        printed("draft", "--measure", "x")
    assert "no stopping rule" in printed("draft")
    printed("draft", "--measure", "individual_accuracy", "--width", "5", "--items", "40")
    page, address = as_user(dora), "/api/v1/studies/draft/stopping/"
    told = page.get(address).json()
    assert told["rule"] == {**ACCURACY._asdict()}
    wrong = page.put(address, {**told["rule"], "measure": "x"}, content_type="application/json")
    assert (wrong.status_code, list(wrong.json())) == (400, ["measure"])
    put = page.put(address, {**told["rule"], "most": 4}, content_type="application/json")
    assert put.json()["rule"]["most"] == 4
    Study.objects.filter(pk=study.pk).update(state=State.OPEN)
    assert page.delete(address).status_code == 409
    ruled(judged.relic(), ACCURACY)
    found = json.loads(printed("relic", "--format", "json"))
    assert found["met"] is True
    assert found == json.loads(printed("relic", "--format", "json"))


def test_reports_and_methods_paragraphs_say_rule_looks_and_where_it_stopped():
    study = ruled(judged.judged(MIXED), MIXED_RULE)
    found = facts(study)
    assert "met at look 4, with 50 fully read items" in english.paragraph(found)
    assert "Erfüllt war die Regel beim 4. Mal, mit 50 vollständig" in german.paragraph(found)
    rows = FORMATS["csv"].render(found.report)
    assert "look_4_individual_accuracy" in rows
    assert all("fully read" in FORMATS[name].render(found.report) for name in ("table", "markdown", "latex"))


def with_run(votes: list[str], run: str) -> Study:
    """A study with a run that answers each item as the letters of ``run`` say: g gold, x another option."""
    study = judged.judged(votes)
    rows = [
        {"item": item.digest, "answer": (item.gold["option"] + "gx".index(said)) % 3}
        for item, said in zip(study.items.order_by("number"), run, strict=True)
    ]
    data = "\n".join(map(json.dumps, rows)).encode()
    import_answers(study, data, "run.jsonl", About("bm25", "A test", "CC0"), by=None, now=NOW)
    return study


def test_a_comparison_with_a_value_ends_when_its_interval_excludes_it_at_the_level_of_the_look():
    study = ruled(judged.judged(MIXED), ABOVE._replace(items=20, every=10, most=5, threshold=0.4))
    found = looked(study)
    at = levels((20, 30, 40, 50, 60), "obrien_fleming")
    assert [one.level for one in found.looks] == [1 - p for p in at[: len(found.looks)]]
    *before, last = found.looks
    assert last.met
    assert last.above(found.rule)
    assert last.low > 0.4
    assert before
    assert all(one.low is None or one.low <= 0.4 <= one.high for one in before)
    by_look = levels((20, 30, 40, 50, 60), "pocock")
    other = look(study, ABOVE._replace(spending="pocock", items=20, every=10, most=5), full_items(study)[:30])
    assert other.level == 1 - by_look[1]
    # The interval is that of the report, at another level: wider than at 95 %.
    usual = look(study, Rule("individual_accuracy", 0.05, 20, 10, 5), full_items(study)[:30])
    assert other.value == usual.value
    assert other.half_width > usual.half_width
    said = " ".join(sentences(found))
    assert "wholly above or wholly below 40 %" in said
    assert "over the looks by O’Brien and Fleming’s function" in said
    assert f"decided at look {len(found.looks)}, with {last.items} fully read items" in said


def test_nothing_is_decided_where_the_value_is_what_it_is_compared_with():
    study = ruled(
        judged.judged(["ggx", "gxx"] * 30), ABOVE._replace(items=20, every=20, most=3, threshold=0.5)
    )
    found = looked(study)
    assert [one.met for one in found.looks] == [False] * 3
    assert "does not say that there is no difference" in " ".join(sentences(found))
    assert "entschieden wurde nichts" in german.paragraph(facts(study))


def test_readers_are_compared_with_a_run_item_by_item():
    votes, run = ["ggg", "ggx", "gxx", "ggg"] * 15, "gxxg" * 15
    study = ruled(with_run(votes, run), FROM_RUN._replace(items=20, every=20, most=3))
    found = looked(study)
    of_items = [vote.count("g") / 3 - (each == "g") for vote, each in zip(votes, run, strict=True)]
    assert [one.value for one in found.looks] == [
        pytest.approx(sum(of_items[: one.items]) / one.items) for one in found.looks
    ]
    assert found.met.above(found.rule)
    assert "of M1 lies wholly above or wholly below 0;" in " ".join(sentences(found))
    assert "(Lauf M1)" in german.paragraph(facts(study))
    assert DISTANCE in offered(study)
    with pytest.raises(BadInput, match="compares readers with M1"):
        delete(study.machine_readers.get(), typed="M1", by=None)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"spending": "bonferroni"}, "spending"),
        ({"width": 0.05}, "width"),
        ({"threshold": None}, "threshold"),
        ({"threshold": 85.0}, "threshold"),
        ({"run": "M1"}, "run"),
        ({"measure": DIFFERENCE}, "run"),
        ({"measure": DIFFERENCE, "run": "M7"}, "run"),
        ({"spending": "", "width": 0.05}, "threshold"),
        ({"spending": "", "threshold": None}, "width"),
        ({"spending": "", "threshold": None, "width": 0.05, "measure": DIFFERENCE}, "measure"),
    ],
)
def test_a_comparison_that_is_not_whole_is_refused_by_its_field(wrong, field):
    study = builders.study("draft", state=State.DRAFT)
    with pytest.raises(BadField) as refused:
        set_rule(study, ABOVE._replace(**wrong), by=None)
    assert refused.value.field == field
    assert not Study.objects.get(pk=study.pk).stop_measure


def test_a_comparison_stays_as_it_was_when_the_study_opened():
    study = ruled(judged.judged(MIXED), ABOVE)
    for change in ({"stop_threshold": 0.1}, {"stop_spending": "pocock"}, {"stop_run": "M1"}):
        with pytest.raises(DatabaseError, match="stopping rule of a study"), transaction.atomic():
            Study.objects.filter(pk=study.pk).update(**change)
    draft = builders.study("draft", state=State.DRAFT)
    set_rule(draft, ABOVE, by=None)
    for change in ({"stop_threshold": None}, {"stop_width": 0.1}, {"stop_spending": ""}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Study.objects.filter(pk=draft.pk).update(**change)


def test_page_command_and_api_choose_a_comparison(as_user, dora):
    study = builders.study("draft", state=State.DRAFT, by=dora)
    page = as_user(dora)
    said = {
        "measure": "individual_accuracy", "spending": "pocock", "width": "5", "threshold": "70",
        "items": "40", "every": "20", "most": "8",
    }  # fmt: skip
    refused = page.post("/stopping/draft/", said | {"threshold": ""})
    assert (refused.status_code, list(refused.context["form"].errors)) == (422, ["threshold"])
    assert page.post("/stopping/draft/", said).status_code == 302
    study.refresh_from_db()
    assert (study.stop_spending, study.stop_threshold, study.stop_width) == ("pocock", 0.7, None)
    assert "Pocock’s function" in page.get("/stopping/draft/").content.decode()
    printed(
        "draft", "--measure", "individual_accuracy", "--spending", "obrien_fleming", "--threshold", "70",
        "--items", "40",
    )  # fmt: skip
    address = "/api/v1/studies/draft/stopping/"
    told = page.get(address).json()
    assert told["rule"] == ABOVE._asdict()
    put = page.put(address, {**told["rule"], "threshold": None}, content_type="application/json")
    assert (put.status_code, list(put.json())) == (400, ["threshold"])
    with pytest.raises(CommandError, match="--run: "):
        printed(
            "draft",
            "--measure",
            "individual_accuracy",
            "--spending",
            "pocock",
            "--run",
            "M1",
            "--threshold",
            "0",
        )


def test_annotation_and_evaluation_name_the_same():
    assert DISTANCE.slug == DIFFERENCE
    assert tuple(SPENDING) == SPENDINGS


def test_looks_beyond_the_items_of_the_study_are_said_before_it_opens(as_user, dora):
    study, page = builders.study("draft", state=State.DRAFT, by=dora, items=5), as_user(dora)
    said = {
        "measure": "individual_accuracy", "spending": "pocock", "threshold": "70", "items": "2", "every": "2",
        "most": "3",
    }  # fmt: skip
    saved = page.post("/stopping/draft/", said, follow=True).content.decode()
    assert "Only 2 of 3 looks can be taken: the last is at 6 fully read items, and the study has" in saved
    shown = page.get("/stopping/draft/").content.decode().replace("\u00a0", " ")
    assert "Only 2 of 3 looks can be taken" in shown
    assert "up to 6.1 % decided something where the first look was at 20 items" in shown
    assert "Only 2 of 3" in printed("draft")
    told = page.get("/api/v1/studies/draft/stopping/").json()["sentences"]
    assert any(each.startswith("Only 2 of 3") for each in told)
    page.post("/stopping/draft/", said | {"items": "6"})
    assert "No look can be taken: the first is at 6" in page.get("/stopping/draft/").content.decode()
    within = page.post("/stopping/draft/", said | {"items": "3", "every": "1"}, follow=True).content.decode()
    assert "can be taken" not in within + page.get("/stopping/draft/").content.decode()
    study.items.filter(number=1).update(retired=NOW)
    assert "Only 2 of 3 looks" in printed("draft")
