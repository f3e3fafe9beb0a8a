"""The adjudicator's pages, and what readers are told at the end."""

from __future__ import annotations

import json
import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.assignment.claiming import shown_order
from annotation.export import decisions
from annotation.models import Decision, Event, Study
from annotation.people.tokens import issue
from tests import builders
from tests.drawn import without_drawn
from tests.evaluation.marked import marked

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(closed):
    return reverse("annotation:adjudicate_item", args=[closed.slug, 1])


@pytest.fixture
def order(closed):
    """The options as Cleo sees them."""
    adjudicator = closed.enrolments.get(role="adjudicator")
    return shown_order(closed, closed.items.get(), adjudicator.pseudonym)


def at(order, option):
    return {"position": str(order.index(option))}


def hidden(page):
    """The form's own fields as the page has them."""
    text = page.content.decode()
    return dict(re.findall(r'<input type="hidden" name="(submission|revision|seen)" value="([^"]*)"', text))


def send(browser, address, **fields):
    return browser.post(address, {**hidden(browser.get(address)), "reason": "It reads best.", **fields})


def test_in_a_closed_study_an_answer_of_ones_own_can_be_picked(cleo, as_user, address):
    picks = re.findall(r"<input [^>]*data-answer[^>]*>", as_user(cleo).get(address).text)
    assert len(picks) == 3
    assert not any(" disabled" in each for each in picks)


def test_the_page_shows_readings_without_names_or_gold(cleo, as_user, address, ada):
    text = as_user(cleo).get(address).content.decode()
    assert text.count("1 of 2") == 2
    assert "Item 1, the first passage." in text
    shown = without_drawn(text.split("<main")[1])
    assert "gold" not in shown.lower()
    assert ada.first_name not in shown
    assert not re.search(r"name=\"choice\"[^>]* checked", text), "nothing is picked beforehand"


def test_a_reading_is_adopted(cleo, as_user, address, order):
    browser, fill = as_user(cleo), f"position={order.index(1)}"
    adopt = re.search(rf'value="(adopt-\d+)" data-fill="{fill}"', browser.get(address).content.decode())
    response = send(browser, address, choice=adopt.group(1))
    assert response["Location"] == reverse("annotation:adjudicate", args=["closed"])
    made = Decision.objects.get()
    assert (made.answer, f"adopt-{made.adopted}", made.reason) == ({"option": 1}, adopt[1], "It reads best.")


def test_another_answer_is_given_by_the_tasks_own_control(cleo, as_user, address, order):
    send(as_user(cleo), address, choice="own", **at(order, 2))
    assert [(each.answer, each.adopted) for each in Decision.objects.all()] == [({"option": 2}, None)]


def test_none_can_be_given(cleo, as_user, address):
    send(as_user(cleo), address, choice="none")
    assert Decision.objects.get().answer is None


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Adopt a reading, give another answer"),
        ({"choice": "adopt-987654"}, "Adopt a reading"),
        ({"choice": "own"}, "Choose the passage"),
        ({"choice": "none", "reason": " "}, "Say why"),
        ({"choice": "none", "submission": "x"}, "did not arrive whole"),
        ({"choice": "none", "reason": "x\x00"}, "Null characters"),
        ({"choice": "none", "reason": "x" * 4001}, "at most 4000"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_lost(cleo, as_user, address, fields, said):
    response = send(as_user(cleo), address, **fields)
    text = response.content.decode()
    assert response.status_code == 422
    assert said in text
    assert fields.get("reason", "It reads best.").strip() in text
    assert not Decision.objects.exists()


def test_a_stale_form_gets_409_with_what_is_stored_and_keeps_what_was_typed(cleo, as_user, address, order):
    browser = as_user(cleo)
    old = hidden(browser.get(address))
    send(browser, address, choice="none", reason="Two passages fit.")
    response = browser.post(address, {**old, "choice": "own", **at(order, 1), "reason": "My second thought."})
    text = response.content.decode()
    # The same form with other words; then another form made as early.
    assert response.status_code == 409
    assert "Two passages fit." in text
    assert "My second thought." in text
    fresh = hidden(response)
    assert fresh["revision"] == "1"
    assert fresh["submission"] != old["submission"]
    late = {**old, "submission": "c2a5b1f0-0000-4000-8000-000000000001"}
    assert browser.post(address, {**late, "choice": "none", "reason": "x"}).status_code == 409
    assert Decision.objects.count() == 1
    assert browser.post(address, {**fresh, "choice": "own", **at(order, 1), "reason": "b"}).status_code == 302


def test_a_refused_choice_stays_with_its_own_reason(cleo, as_user, address):
    """Two windows of one adjudicator: neither's reason is joined to the choice of the other."""
    browser = as_user(cleo)
    page = browser.get(address)
    one, two = re.findall(r'name="choice" value="(adopt-\d+)"', page.text)
    old = hidden(page)
    send(browser, address, choice=two, reason="The second reads best.")
    response = browser.post(address, {**old, "choice": one, "reason": "The first reads best."})
    assert response.status_code == 409
    assert re.findall(r'value="([^"]*)"[^>]*? checked>', response.text.split("adjudication-choices")[1]) == [
        one
    ]
    assert ">\nThe first reads best.</textarea>" in response.text
    assert "The second reads best." in response.text
    assert browser.post(address, {**hidden(response), "choice": one, "reason": "Yes."}).status_code == 302
    assert Decision.objects.get(revision=2).reason == "Yes."


def test_the_list_says_what_waits_and_leads_there(cleo, dora, as_user, closed, address):
    text = as_user(cleo).get(reverse("annotation:adjudicate", args=["closed"])).content.decode()
    assert "1 item waits for a decision" in text
    assert re.findall(r'<th scope="col"[^>]*>([^<]+)', text)[:2] == ["Item", "Decision"], "in view at 320 px"
    assert f'href="{address}"' in text
    send(as_user(cleo), address, choice="none")
    text = as_user(dora).get(reverse("annotation:adjudicate", args=["closed"])).content.decode()
    assert "Nothing waits for a decision" in text
    assert "Decided" in text
    assert address not in text, "whoever sees gold does not settle"


def test_a_span_is_settled_by_its_own_control(cleo, dora, ada, ben, as_user):
    study = marked([(7, 12), (7, 13), "n"], [(7, 12)] * 3, by=dora)
    builders.enrolment(study, cleo, role="adjudicator", pseudonym="J1")
    address = reverse("annotation:adjudicate_item", args=[study.slug, 1])
    browser = as_user(cleo)
    text = browser.get(address).content.decode()
    assert 'data-fill="first=8&amp;last=12"' in text
    assert 'data-fill="declined=no_allusion"' in text
    response = send(browser, address, choice="own", first="8", last="14")
    assert Decision.objects.get().answer == {"start": 7, "end": 14}
    assert response.status_code == 302
    other = reverse("annotation:adjudicate_item", args=[study.slug, 2])
    assert "No allusion here" in browser.get(other).content.decode()
    send(browser, other, choice="plain-0")
    assert Decision.objects.get(item__number=2).answer == {"declined": "no_allusion"}


def test_readers_see_decisions_on_their_items_beside_their_answers(
    cleo, ada, ben, as_user, address, closed, order
):
    send(as_user(cleo), address, choice="own", **at(order, 1), reason="The lamp is named before.")
    text = as_user(ada).get(reverse("annotation:decisions", args=["closed"])).content.decode()
    assert "Item 1, the first passage." in text, "her answer"
    assert "Item 1, the second passage." in text, "what was decided"
    assert "The lamp is named before." in text
    assert (
        "As you said" in as_user(ben).get(reverse("annotation:decisions", args=["closed"])).content.decode()
    )
    assert (
        reverse("annotation:decisions", args=["closed"])
        in as_user(ada).get(reverse("annotation:done", args=["closed"])).content.decode()
    )
    Study.objects.update(state="open")
    assert as_user(ada).get(reverse("annotation:decisions", args=["closed"])).status_code == 404


def test_A03_no_page_of_a_reader_tells_what_a_colleague_said(dora, ada, ben, cleo, as_user):
    """Notes, answers and names of others stay away, before the decision and after it."""
    study = builders.study("peers", items=1, overlap=2, by=dora)
    a, b = (builders.enrolment(study, user) for user in (ada, ben))
    builders.enrolment(study, cleo, role="adjudicator", pseudonym="J-judge")
    builders.judgment(study, 1, a, 0)
    builders.judgment(study, 1, b, 2, note="zq-canary")
    address = reverse("annotation:adjudicate_item", args=["peers", 1])
    assert "zq-canary" in as_user(cleo).get(address).content.decode()
    order = shown_order(study, study.items.get(), "J-judge")
    send(as_user(cleo), address, choice="own", **at(order, 1))
    Study.objects.update(state="closed")
    for name in ("annotation:decisions", "annotation:done"):
        text = without_drawn(as_user(ada).get(reverse(name, args=["peers"])).text)
        assert [each for each in ("zq-canary", "third passage", "ben", "J-judge") if each in text] == []


def test_readers_get_nothing_of_settling(ada, eve, as_user, address):
    for user in (ada, eve):
        assert as_user(user).get(address).status_code == 404
        assert as_user(user).get(reverse("annotation:adjudicate", args=["closed"])).status_code == 404


def test_decisions_are_exported_apart_from_judgments(cleo, dora, as_user, address, closed, capsys, order):
    send(as_user(cleo), address, choice="none", reason="=both fit")
    send(as_user(cleo), address, choice="own", **at(order, 1))
    call_command("export", "closed", "--decisions", "--format", "jsonl")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["revision"], row["current"], row["settled"], row["option"]) for row in rows] == [
        (1, False, False, None), (2, True, True, 1),
    ]  # fmt: skip
    assert (rows[1]["adopted"], rows[1]["readings"], rows[1]["same"], rows[1]["correct"]) == (
        True,
        2,
        1,
        True,
    )
    where = reverse("annotation:export", args=["closed"])
    file = as_user(dora).post(where, {"what": "decisions", "format": "csv"})
    assert "'=both fit" in b"".join(file).decode()
    assert "closed-decisions-" in file["Content-Disposition"]
    assert Event.objects.filter(verb="export", data__decisions=2).count() == 2
    assert "decision" not in b"".join(as_user(dora).post(where, {"format": "jsonl"})).decode()


def test_X04_a_decision_that_comes_while_the_file_is_written_is_left_out(
    cleo, as_user, address, closed, order
):
    send(as_user(cleo), address, choice="none")
    rows = decisions.rows(closed)
    first = next(rows)
    send(as_user(cleo), address, choice="own", **at(order, 1))
    assert [(each["revision"], each["current"]) for each in [first, *rows]] == [(1, True)]


def test_scripts_read_the_latest_decisions(cleo, dora, as_user, address, closed, client, order):
    send(as_user(cleo), address, choice="none")
    send(as_user(cleo), address, choice="own", **at(order, 1))
    client.logout()
    from datetime import timedelta

    from django.utils import timezone

    _, plain = issue(dora, "hers", ["read"], timezone.now() + timedelta(days=1))
    where = reverse("api:studies-decisions", args=["closed"])
    found = client.get(where, headers={"Authorization": f"Bearer {plain}"}).json()["results"]
    assert [(each["item"], each["revision"], each["answer"], each["adjudicator"]) for each in found] == [
        (1, 2, {"option": 1}, "J1")
    ]


def test_the_items_own_page_has_every_decision_for_researchers(cleo, dora, as_user, address):
    send(as_user(cleo), address, choice="none", reason="Two passages fit.")
    text = as_user(dora).get(reverse("annotation:item", args=["closed", 1])).content.decode()
    assert "What was decided" in text
    assert "Two passages fit." in text


def test_pages_ask_the_database_a_few_times_only(cleo, as_user, address, django_assert_max_num_queries):
    browser = as_user(cleo)
    for page in (address, reverse("annotation:adjudicate", args=["closed"])):
        with django_assert_max_num_queries(12):
            assert browser.get(page).status_code == 200


def test_long_spans_that_end_differently_look_different(cleo, as_user):
    text = " ".join(f"word{n}" for n in range(40))
    study = marked([(0, 20), (0, 21)], names=["Hal", "Ivo"], text=text, anchor=(10, 11))
    builders.enrolment(study, cleo, role="adjudicator", pseudonym="J1")
    page = as_user(cleo).get(reverse("annotation:adjudicate_item", args=[study.slug, 1])).text
    for last in (19, 20):
        assert f"word6 word7 … word{last - 5} " in page
        assert f" word{last}</span>" in page
