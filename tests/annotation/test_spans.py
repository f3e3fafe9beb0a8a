"""Several spans in one answer: what is taken, what is refused, and the way through every page."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotation.assignment.claiming import next_assignment
from annotation.export import judgments
from annotation.models import Decision, Enrolment, Judgment, Study
from annotation.people.tokens import issue
from annotation.tasktypes.base import Invalid
from annotation.tasktypes.span import NO_ALLUSION
from annotation.tasktypes.spans import Spans, written
from evaluation.report.compute import report
from tests import builders
from tests.annotation.test_views_work import fields, send
from tests.evaluation.marked import marked

TASK = Spans()
EXAMPLE = TASK.example()
N = len(EXAMPLE.payload["tokens"])
ANCHORED, FREE = EXAMPLE.payload, {**EXAMPLE.payload, "anchor": None}
borders = st.tuples(st.integers(-2, N + 2), st.integers(-2, N + 2))


@given(st.lists(borders, max_size=5))
def test_spans_are_taken_just_where_they_are_apart_and_in_the_passage_and_stored_in_order(spans):
    sent, stored = [list(span) for span in spans], sorted(list(span) for span in spans)
    inside = all(0 <= start < end <= N for start, end in spans)
    tokens = [token for start, end in spans for token in range(start, end)]
    if spans and inside and len(tokens) == len(set(tokens)):
        assert TASK.parse(FREE, {"spans": sent}) == {"spans": stored}
        form = ", ".join(f"{start + 1}-{end}" for start, end in spans)
        assert TASK.parse(FREE, {"spans": form}) == {"spans": stored}
    else:
        with pytest.raises(Invalid):
            TASK.parse(FREE, {"spans": sent})


@pytest.mark.parametrize(
    ("payload", "data", "sentence"),
    [
        (FREE, {"spans": [[9, 8]]}, r"entry 0: \[9, 8\) is reversed"),
        (FREE, {"spans": [[0, 1], [8, 8]]}, r"entry 1: \[8, 8\) is empty"),
        (FREE, {"spans": [[8, 99]]}, "ends at 99, beyond the passage, which has 14 tokens"),
        (FREE, {"spans": [[0, 5], [4, 6]]}, r"\[4, 6\) begins before the one .* ends, at 5"),
        (FREE, {"spans": [[0, 5], [0, 5]]}, "do not overlap"),
        (FREE, {"spans": [[True, 2]]}, "two whole numbers"),
        (FREE, {"spans": [{"start": 0, "end": 2}]}, "two whole numbers"),
        (FREE, {"spans": []}, "at least one in it"),
        (FREE, {"spans": {}}, "at least one in it"),
        (FREE, {"spans": [[0, 1]] * 101}, "at most 100 fit"),
        (ANCHORED, {"spans": [[0, 3], [9, 12]]}, r"must contain the anchor, “[^”]+” \(word 9\)\."),
        (FREE, {"spans": "5-6, 1-5"}, "“1-5” and “5-6” share words"),
        (FREE, {"spans": " "}, "Mark the words"),
        (FREE, {"spans": "3-"}, "such as 3-7, 12-15. “-” is not."),
        (FREE, {"spans": "three"}, "such as 3-7"),
        (FREE, {"spans": "0-3"}, "the numbers 1 to 14"),
        (FREE, {"spans": "3-15"}, "the numbers 1 to 14"),
        (FREE, {"spans": "7-3"}, "“7-3” ends before it begins"),
        (FREE, {"start": 0, "end": 3}, "Mark the words"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(payload, data, sentence):
    with pytest.raises(Invalid, match=sentence) as caught:
        TASK.parse(payload, data)
    assert caught.value.field == "spans"


def test_both_an_answer_and_none_are_refused_but_an_untouched_field_beside_the_button_is_not():
    assert TASK.parse(FREE, {"declined": "no_allusion", "spans": "1-3"}) == NO_ALLUSION
    with pytest.raises(Invalid, match="not both"):
        TASK.parse(FREE, {"declined": "no_allusion", "spans": [[0, 3]]})


@pytest.mark.parametrize("text", ["3-7, 12-15, 2", "3–7; 12 — 15\n2", " 3-7 12-15 2, ", "3 - 7,12-15,,2"])
def test_words_are_written_as_people_write_them(text):
    assert written(text, 20) == [[2, 7], [11, 15], [1, 2]]


def test_spans_may_touch_and_are_then_two():
    assert TASK.check_answer(FREE, {"spans": [[3, 5], [0, 3]]}) == {"spans": [[0, 3], [3, 5]]}


def test_the_columns_of_an_answer():
    rows = TASK.rows(FREE, {"spans": [[0, 3], [7, 12]]})
    assert rows == {
        "n_spans": 2,
        "spans": "[[0, 3], [7, 12]]",
        "n_tokens": 8,
        "characters": "[[0, 14], [31, 51]]",
        "span_text": "Keep your lamp … the tide asks no man",
        "declined": None,
    }
    assert TASK.every_number({"spans": [[0, 3], [7, 12]]}) == (0, 3, 7, 12)
    assert TASK.every_number(NO_ALLUSION) == TASK.every_number(None) == ()
    assert TASK.numbers_of_answer({"spans": [[0, 3], [7, 12]]}) == (2,)


def test_how_far_two_answers_lie_apart():
    whole, parts = {"spans": [[0, 6]]}, {"spans": [[0, 3], [3, 6]]}
    assert TASK.apart({"spans": [[0, 2], [4, 6]]}, {"spans": [[4, 8]]}, 0) == pytest.approx(1 - 2 / 6)
    assert 0 < TASK.apart(whole, parts, 0) < TASK.apart(whole, {"spans": [[0, 5]]}, 0)
    assert TASK.apart(whole, NO_ALLUSION, 0) == 1


@given(st.randoms(use_true_random=False), st.booleans(), st.sampled_from([None, EXAMPLE.gold, NO_ALLUSION]))
def test_whatever_is_simulated_is_an_answer(random, anchored, gold):
    payload = ANCHORED if anchored else FREE
    answer = TASK.simulate(payload, gold, random.random(), random)
    assert TASK.check_answer(payload, answer) == answer


def test_simulated_readers_move_a_border_miss_a_span_or_decline():
    said = [TASK.simulate(FREE, EXAMPLE.gold, 0.5, Random(seed)) for seed in range(300)]
    assert {len(answer.get("spans", ())) for answer in said} == {0, 1, 2}
    assert len({json.dumps(answer) for answer in said}) > 10


LINE = {
    "text": "Osculum plane pacis, sed dilectio illa supereminet omni scientiae.",
    "language": "la",
    "references": [{"citation": "Eph 3:19", "text": "supereminentem scientiae", "language": "la"}],
}


@pytest.mark.parametrize(
    ("gold", "stored"),
    [
        (["dilectio illa", "scientiae"], {"spans": [[5, 7], [9, 10]]}),
        ("supereminet omni", {"spans": [[7, 9]]}),
        ([[5, 7], "scientiae"], {"spans": [[5, 7], [9, 10]]}),
        ({"spans": [[9, 10], [5, 7]]}, {"spans": [[5, 7], [9, 10]]}),
        ({"start": 5, "end": 7}, {"spans": [[5, 7]]}),
        ({"declined": "no_allusion"}, NO_ALLUSION),
        (None, None),
    ],
)
@pytest.mark.django_db
def test_a_file_gives_gold_in_words_or_numbers(tmp_path, gold, stored):
    (tmp_path / "items.jsonl").write_text(json.dumps({**LINE, "gold": gold}), "utf-8")
    call_command("import_spans", "places", str(tmp_path / "items.jsonl"), "--several", verbosity=0)
    study = Study.objects.get()
    item = study.items.get()
    assert (study.task, item.gold) == ("spans", stored)
    assert (item.gold_1, item.gold_2) == (
        len(stored["spans"]) if stored and "spans" in stored else None,
        None,
    )


@pytest.mark.parametrize(
    ("gold", "sentence"),
    [
        (["nowhere"], "line 1, field “gold”: 'nowhere' stands nowhere in the text"),
        ([[5, 7], [6, 8]], "begins before the one in front of it ends, at 7"),
        (7, "line 1, field “gold”: must be"),
    ],
)
@pytest.mark.django_db
def test_wrong_gold_names_its_line_and_leaves_nothing(tmp_path, gold, sentence):
    (tmp_path / "items.jsonl").write_text(json.dumps({**LINE, "gold": gold}), "utf-8")
    with pytest.raises(Exception, match=re.escape(sentence)) as caught:
        call_command("import_spans", "places", str(tmp_path / "items.jsonl"), "--several")
    assert "items.jsonl" in str(caught.value)
    assert not Study.objects.exists()


@pytest.fixture
def place(db, ada, ben):
    study = marked(["."] * 2, slug="places", names=["Ada", "Ben"], task="spans", gold=[((0, 3), (7, 12))])
    return next_assignment(Enrolment.objects.get(study=study, user=ada), now=timezone.now())


def test_without_a_script_words_are_written_by_their_numbers_and_marked_when_one_comes_back(
    as_user, ada, place
):
    browser, address = as_user(ada), place.get_absolute_url()
    page = browser.get(address).text
    assert re.search(r'<input type="text" id="typed-\d+" name="spans" value=""', page)
    assert "In one of them must be" in page
    refused = send(browser, place, answer="1", spans="1-3, 2-9")
    assert "“1-3” and “2-9” share words: mark them as one." in unescape(refused.text)
    assert 'value="1-3, 2-9"' in refused.text, "what was typed is there to be mended"
    sent = browser.post(address, {**fields(refused), "answer": "1", "spans": "8-13, 1-3"})
    assert sent.status_code == 302
    judgment = Judgment.objects.get()
    assert (judgment.answer, judgment.number_1, judgment.number_2) == ({"spans": [[0, 3], [7, 13]]}, 2, None)
    back = browser.get(address).text
    assert 'value="1-3, 8-13"' in back
    assert [re.sub(r"<.*?>", "", each) for each in re.findall(r"<mark>(.*?)</mark>", back)] == [
        "Keep your lamp",
        "the tide asks no man twice",
    ]
    send(browser, place, answer="1", spans="8-13")
    assert Judgment.objects.get(revision=2).answer == {"spans": [[7, 13]]}


def test_a_draft_of_several_spans_comes_back(as_user, ada, place):
    browser = as_user(ada)
    form = fields(browser.get(place.get_absolute_url()))
    browser.post(reverse("annotation:draft", args=[place.pk]), {**form, "spans": "1-3, 9"})
    page = browser.get(place.get_absolute_url()).text
    assert page.count("<mark>") == 2
    assert 'value="1-3, 9-9"' in page


def test_a_script_sends_and_gets_lists(client, ada, place):
    _, key = issue(ada, "script", ["judge"], timezone.now() + timedelta(days=1))
    told = {"HTTP_AUTHORIZATION": f"Bearer {key}"}
    address = f"/api/v1/assignments/{place.pk}/judgment/"
    wrong = {"submission": str(uuid4()), "answer": {"spans": [[0, 3]]}}
    reply = client.post(address, json.dumps(wrong), content_type="application/json", **told)
    assert reply.status_code == 400, reply.content
    assert "must contain the anchor" in reply.text
    right = {"submission": str(uuid4()), "answer": {"spans": [[7, 12], [0, 3]]}}
    reply = client.post(address, json.dumps(right), content_type="application/json", **told)
    assert reply.status_code == 201, reply.content
    assert reply.json()["answer"] == {"spans": [[0, 3], [7, 12]]}


@pytest.mark.django_db
def test_an_adjudicator_adopts_a_reading_or_gives_another(as_user):
    cleo = builders.person("Cleo")
    study = marked([((0, 3), (7, 12)), ((7, 12),), "n"], task="spans")
    builders.enrolment(study, cleo, role="adjudicator", pseudonym="J1")
    Study.objects.update(state="closed")
    browser, address = as_user(cleo), reverse("annotation:adjudicate_item", args=[study.slug, 1])
    page = browser.get(address).text
    assert "Keep your lamp … the tide asks no man" in page
    adopt = re.search(r'value="(adopt-\d+)" data-fill="spans=1-3%2C\+8-12"', page)
    hidden = dict(re.findall(r'<input type="hidden" name="(submission|revision|seen)" value="([^"]*)"', page))
    browser.post(address, {**hidden, "reason": "Both.", "choice": adopt[1]})
    assert Decision.objects.get().answer == {"spans": [[0, 3], [7, 12]]}
    page = browser.get(address).text
    hidden = dict(re.findall(r'<input type="hidden" name="(submission|revision|seen)" value="([^"]*)"', page))
    browser.post(address, {**hidden, "reason": "Longer.", "choice": "own", "spans": "1-3, 8-13"})
    assert Decision.objects.get(revision=2).answer == {"spans": [[0, 3], [7, 13]]}
    found = report(study).settled
    assert [round(line.estimate.value, 3) for line in found.lines] == [0, round((8 / 9 + 5 / 9) / 2, 3)]


@pytest.mark.django_db
def test_export_and_apparatus_hold_every_span(as_user, dora, tmp_path):
    study = marked([((0, 3), (7, 12)), ((7, 12),), "n"], task="spans", gold=[((0, 3), (7, 12))], by=dora)
    rows = [json.loads(line) for line in judgments.lines(judgments.rows(study), "jsonl")]
    assert [row["spans"] for row in rows] == ["[[0, 3], [7, 12]]", "[[7, 12]]", None]
    assert [row["correct"] for row in rows] == [True, False, False]
    assert rows[1]["gold_n_spans"] == 2
    call_command("export_tei", study.slug, output=tmp_path / "tei.xml", verbosity=0)
    text = (tmp_path / "tei.xml").read_text("utf-8")
    assert 'target="#range(item-1.t0,item-1.t2) #range(item-1.t7,item-1.t11)"' in text
    assert 'from="#item-1.t0" to="#item-1.t11"' in text
    page = as_user(dora).get(reverse("evaluation:apparatus", args=[study.slug])).text
    assert "mean overlap 62.5 %" in page
    item = as_user(dora).get(reverse("annotation:item", args=[study.slug, 1])).text
    assert "tokens [0, 3), [7, 12)" in item


@pytest.mark.django_db
def test_the_report_counts_spans_and_answers():
    study = marked([((0, 3), (7, 12)), ((7, 12),), "n"], [((8, 9),), ((8, 9), (10, 12)), "u"], task="spans")
    found = report(study)
    assert [line.measure.slug for line in found.lines][:4] == [
        "unitising_alpha",
        "observed_overlap",
        "identical_pairs",
        "token_alpha",
    ]
    observed = found.line("observed_overlap").estimate
    assert observed.value == pytest.approx((5 / 8 + 1 / 3) / 2)
    assert found.found.report.units_per_answer == {1: 2, 2: 2}
    assert (found.found.report.n_units, found.found.n_none) == (6, 1)
    assert [each.n_spans for each in found.found.annotators.values()] == [3, 3, 0]


def test_the_columns_of_an_answer_are_documented():
    page = (Path(__file__).parents[2] / "docs/span-task.md").read_text("utf-8")
    table = page.partition("## Several spans")[2]
    assert set(re.findall(r"`(\w+)`", table)) >= set(TASK.meanings)
