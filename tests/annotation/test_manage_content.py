"""Items, guidelines and notes, as a researcher sees them."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from annotation.models import Event, Guideline, Item, Study
from annotation.studies import guidelines
from annotation.tasktypes.grade import Grade as GradeTask
from common.errors import BadInput
from tests import builders
from tests.annotation.manage_cast import hold, judge

SECOND = "the second passage."


def page(browser, name, *args, **query):
    return browser.get(reverse(f"annotation:{name}", args=["fleet", *args]), query).content.decode()


def test_items_with_what_was_said_of_them(fleet, dora, as_user):
    judge(fleet, 1, "A", note="Odd")
    judge(fleet, 1, "B", outcome="undecided", reason="None of them fits")
    judge(fleet, 2, "A", outcome="broken", reason="Cut short")
    judge(fleet, 2, "A", revision=2)
    hold(fleet, 2, "B")
    rows = as_user(dora).get(reverse("annotation:items", args=["fleet"])).context["page"].object_list
    numbers = [(r.number, r.n_done, r.n_held, r.n_undecided, r.n_broken, r.n_notes) for r in rows]
    assert numbers == [(1, 2, 0, 1, 0, 1), (2, 1, 1, 0, 0, 0), (3, 0, 0, 0, 0, 0)]


def test_items_are_paged(dora, as_user):
    builders.study(items=60, overlap=1, by=dora)
    first, second = (page(as_user(dora), "items", page=n) for n in (1, 2))
    assert "Page 1 of 2" in first
    assert ("Item&nbsp;50<" in first, "Item&nbsp;51<" in first) == (True, False)
    assert "Item&nbsp;60<" in second


def test_an_item_shows_gold_and_provenance(fleet, dora, as_user):
    origins = [
        {"first": 10 * n, "size": 2, "rank": n + 1, "scores": {"bm25": 7.25 - n}, "is_gold": n == 1}
        for n in range(3)
    ]
    builders.rewrite(fleet.items.filter(number=1), provenance={"options": origins})
    shown = page(as_user(dora), "item", 1)
    assert shown.count(">Gold<") == 1
    assert shown.index("Option 1 ") < shown.index(">Gold<") < shown.index("Option 2<")
    assert "Rank 2 · bm25 6.250 · from sentence 11, 2 sentences long" in shown
    assert "Essay 1 begins with the sea. It comes to the point." in shown
    assert 'rel="prev"' not in shown
    assert reverse("annotation:item", args=["fleet", 2]) in shown


def test_an_item_shows_what_each_reader_said(fleet, dora, as_user):
    judge(fleet, 1, "A", option=1, active_seconds=41.6)
    judge(fleet, 1, "B", option=2)
    shown = page(as_user(dora), "item", 1)
    assert shown.count(">the gold answer<") == shown.count(">not the gold answer<") == 1
    assert "42</td>" in shown
    assert f'dir="auto">Item 1, {SECOND}</span>' in shown


def test_an_item_of_an_unknown_number_is_not_found(fleet, dora, as_user):
    for number in (0, 4, 10**25):
        address = reverse("annotation:item", args=["fleet", number])
        assert as_user(dora).get(address).status_code == 404


def test_S03_texts_are_shown_as_texts(fleet, dora, as_user):
    evil = "<script>alert(1)</script>"
    one = Item.objects.get(study=fleet, number=1)
    one.payload["left"] = [evil]
    one.payload["options"][0] = evil
    one.save()
    judge(fleet, 1, "A", outcome="broken", reason=evil, note=evil)
    guidelines.revise(fleet, evil, seen=1, by=dora)
    for name, args in (("item", [1]), ("notes", []), ("guidelines", [])):
        shown = page(as_user(dora), name, *args)
        assert evil not in shown
        assert "&lt;script&gt;alert(1)" in shown


def test_notes_hold_everything_a_reader_wrote(fleet, dora, as_user):
    judge(fleet, 1, "A")
    judge(fleet, 2, "A", outcome="undecided", reason="None of them fits")
    judge(fleet, 3, "A", outcome="broken", reason="Cut short")
    judge(fleet, 3, "B", note="A fine one")
    rows = as_user(dora).get(reverse("annotation:notes", args=["fleet"])).context["page"].object_list
    assert [(r.assignment.item.number, r.annotator.pseudonym) for r in rows] == [(3, "B"), (3, "A"), (2, "A")]
    shown = page(as_user(dora), "notes")
    assert all(words in shown for words in ("None of them fits", "Cut short", "A fine one"))


def test_a_note_that_was_taken_back_is_not_shown(fleet, dora, as_user):
    judge(fleet, 1, "A", note="A slip")
    judge(fleet, 1, "A", revision=2)
    assert "A slip" not in page(as_user(dora), "notes")


def test_answers_that_came_too_late_are_shown(fleet, ada, dora, as_user):
    late = {"number": 2, "pseudonym": "A", "outcome": "answer", "answer": {"option": 1}, "reason": "",
            "note": "Sorry, I was away", "why": "The study is closed"}  # fmt: skip
    Event.objects.create(study=fleet, actor=ada, verb="late", data=late)
    shown = page(as_user(dora), "notes")
    assert "Answers that came too late" in shown
    assert all(words in shown for words in ("Sorry, I was away", "The study is closed", SECOND))


@pytest.mark.parametrize(("task", "words"), [("choice", "Can’t decide"), ("span", "Can’t set the borders")])
def test_an_act_is_called_what_the_button_was_called(task, words):
    study = Study(task=task)
    assert render_to_string("annotation/outcome.html", {"study": study, "outcome": "undecided"}) == words


def save(browser, text, seen):
    return browser.post(reverse("annotation:guidelines", args=["fleet"]), {"text": text, "seen": seen})


def test_a_new_version_is_appended(fleet, dora, as_user):
    judge(fleet, 1, "A")
    assert save(as_user(dora), "Read twice.\r\n\r\nThen choose.", 1).status_code == 302
    versions = list(guidelines.history(fleet))
    assert [(each.version, each.n_judgments) for each in versions] == [(2, 0), (1, 1)]
    assert versions[0].text == "Read twice.\n\nThen choose."
    assert versions[0].created_by == dora
    shown = page(as_user(dora), "guidelines")
    assert "<p>Read twice.</p>" in shown
    assert "Version 1, 1 judgment," in shown


@pytest.mark.parametrize(
    ("text", "seen", "sentence"),
    [
        ("", 1, "required"),
        ("  \r\n ", 1, "required"),
        ("Choose the passage that reads best.", 1, "Nothing is changed"),
        ("Something else.", 0, "Version 1 was saved meanwhile"),
        ("x" * 100_001, 1, "at most 100000"),
    ],
)
def test_guidelines_that_cannot_be_saved(text, seen, sentence, fleet, dora, as_user):
    response = save(as_user(dora), text, seen)
    assert response.status_code == 422
    assert sentence in str(response.context["form"].errors["text"])
    assert Guideline.objects.filter(study=fleet).count() == 1


def test_after_a_collision_the_same_text_can_be_saved_again(fleet, dora, as_user):
    form = save(as_user(dora), "Mine.", 0).context["form"]
    assert (form["text"].value(), form["seen"].value()) == ("Mine.", 1)


def test_a_closed_study_keeps_its_guidelines(fleet, dora):
    Study.objects.filter(pk=fleet.pk).update(state="closed")
    with pytest.raises(BadInput, match="is closed: its guidelines stay as they were followed"):
        guidelines.revise(fleet, "New", seen=1, by=dora)


def test_an_item_of_any_other_task_type_is_shown_by_name():
    payload = GradeTask.example().payload
    item = Item(payload=payload, gold={"grade": 1})
    lists = {"anchor": "dilectio", "language": "la", "names": [{"number": 0, "name": "Tom"}, ["a", None]]}
    context = {"shown": lists, "item": item, "study": Study(task="grade")}
    shown = render_to_string("annotation/manage/tasks/any.html", context)
    assert '<dt>anchor</dt><dd lang="la" dir="auto">dilectio</dd>' in shown
    assert ">number: 0, name: Tom; a; none<" in shown
    assert payload["grades"][1] in shown.split("Gold answer")[1]
    none = render_to_string("annotation/manage/tasks/any.html", context | {"item": Item(payload=payload)})
    assert "<dt>Gold answer</dt><dd>none</dd>" in none


def test_an_item_leads_to_its_place_in_the_book_for_those_who_may_read_it(dora, as_user):
    novel = builders.book()
    excerpt = builders.excerpt(novel, builders.source())
    study = builders.study(by=dora)
    origins = [{"first": n, "size": 1, "rank": n + 1, "scores": {}, "is_gold": n == 1} for n in range(3)]
    builders.rewrite(study.items.filter(number=1), excerpt=excerpt, provenance={"options": origins})
    link = f'href="{novel.get_absolute_url()}?at=2&amp;size=1#s2">from sentence 3<'
    assert link in page(as_user(dora), "item", 1)
    guest = builders.person("Gus")
    builders.enrolment(study, guest, role="researcher", pseudonym="R2")
    shown = page(as_user(guest), "item", 1)
    assert "from sentence 3, 1 sentence long" in shown
    assert novel.get_absolute_url() not in shown
