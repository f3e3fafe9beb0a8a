"""Preferences: the look before the first paint, keys of one's own, conflicts refused; on every machine."""

from __future__ import annotations

import re

import pytest
from django.core.checks import run_checks
from django.test import Client
from django.utils import timezone

from annotation.assignment.claiming import next_assignment
from annotation.models import Preferences
from annotation.reading import keys
from annotation.reading.preferences import RHYTHM
from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid, Key
from tests import builders

pytestmark = pytest.mark.django_db
ADDRESS = "/preferences/"
JSON = {"HTTP_ACCEPT": "application/json"}


def stored(user):
    return Preferences.objects.get(user=user)


def root(browser):
    return re.search(r"<html[^>]*>", browser.get("/").text)[0]


@pytest.fixture
def place(ada):
    study = builders.study(items=2, overlap=1)
    return next_assignment(builders.enrolment(study, ada), now=timezone.now())


def test_the_look_follows_its_reader_to_every_machine_before_the_first_paint(as_user, ada, ben):
    browser = as_user(ada)
    assert root(browser) == f'<html lang="en" data-user="{ada.pk}">'
    assert browser.post(ADDRESS, {"size": "xl", "theme": "sepia"}, **JSON).status_code == 204
    other = Client()
    other.force_login(ada)
    assert 'data-size="xl" data-theme="sepia"' in root(other)
    other.force_login(ben)
    assert "data-size" not in root(other)


def test_what_is_not_sent_stays(as_user, ada):
    browser = as_user(ada)
    browser.post(ADDRESS, {"size": "xl", "key-note": "k"}, **JSON)
    browser.post(ADDRESS, {"face": "sans"}, **JSON)
    browser.post(ADDRESS, {"keys": "off"}, **JSON)
    assert stored(ada).reading == {"size": "xl", "face": "sans"}
    assert stored(ada).keys == {"note": "k", "off": True}
    assert 'data-keys="off"' in root(browser)
    browser.post(ADDRESS, {"keys": "on"}, **JSON)
    assert stored(ada).keys == {"note": "k"}


def test_no_page_asks_the_database_for_them_once_more(as_user, ada, django_assert_num_queries):
    browser = as_user(ada)
    browser.post(ADDRESS, {"size": "xl"}, **JSON)
    with django_assert_num_queries(2):  # the session, and who is signed in
        browser.get(ADDRESS)


@pytest.mark.parametrize("said", [{"size": "huge"}, {"theme": '"><script>'}, {"keys": "maybe"}])
def test_an_unknown_look_is_refused(as_user, ada, said):
    assert as_user(ada).post(ADDRESS, said, **JSON).status_code == 422
    assert not Preferences.objects.exists()


def test_a_key_of_ones_own_is_shown_everywhere(as_user, ada, place):
    browser = as_user(ada)
    sent = {"key-note": "K", "key-option_1": "v", "key-blank": "'", "key-back": ""}
    assert browser.post(ADDRESS, sent).status_code == 302
    assert stored(ada).keys == {"note": "k", "option_1": "v", "blank": "'"}
    page = browser.get(place.get_absolute_url()).text
    assert 'data-key="k"' in page
    assert 'data-key="n"' not in page
    assert re.search(r'name="position" value="\d" data-key="v"', page)
    assert '<kbd aria-hidden="true">V</kbd>' in page
    assert "<dt><kbd>K</kbd></dt>" in page
    assert 'data-key="&#x27;"' in page
    assert 'value="K"' in browser.get(ADDRESS).text


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            {"key-note": "f"},
            "The key F would do two things: “something is wrong” and “a note to the researcher”",
        ),
        ({"key-note": "b"}, "The key B would do two things"),
        ({"key-note": "x", "key-grade_10": "d", "key-sure_2": "k"}, "“to the button “No allusion here””"),
        ({"key-later": "7"}, "passage 7, where an item has so many"),
        ({"key-option_1": "2"}, "The key 2 would do two things"),
    ],
)
def test_two_acts_on_one_key_are_refused_in_a_sentence(as_user, ada, said, sentence):
    reply = as_user(ada).post(ADDRESS, said)
    assert reply.status_code == 422
    assert sentence in " ".join(
        str(each) for errors in reply.context["form"].errors.values() for each in errors
    )
    assert not Preferences.objects.exists()


def test_an_older_choice_that_meets_a_new_key_is_no_reason_to_refuse_a_look(as_user, ada):
    Preferences.objects.create(user=ada, keys={"note": "f"})
    assert as_user(ada).post(ADDRESS, {"size": "xl"}, **JSON).status_code == 204
    assert (stored(ada).reading, stored(ada).keys) == ({"size": "xl"}, {"note": "f"})


def test_keys_can_be_swapped_in_one_go(as_user, ada):
    assert as_user(ada).post(ADDRESS, {"key-note": "f", "key-broken": "n"}).status_code == 302
    assert stored(ada).keys == {"note": "f", "broken": "n"}


@pytest.mark.parametrize("key", ["ab", "\t", "\x07", "ß", "\u200b"])
def test_a_key_is_one_sign(key):
    with pytest.raises(Invalid, match="needs one letter, digit or sign"):
        keys.checked({"note": key})


def test_an_unknown_act_has_no_key():
    with pytest.raises(Invalid, match="“nothing”"):
        keys.checked({"nothing": "q"})


def test_the_usual_keys_of_every_task_are_apart():
    assert keys.checked({}) == {}
    for task in registry.all_types().values():
        mapped = keys.mapping(task, {})
        assert len(set(mapped.values())) == len(mapped)
        assert all(len(key) == 1 for key in mapped.values())


def test_keys_from_before_a_type_that_uses_them_are_kept_with_the_whole_form(as_user, ada, monkeypatch):
    """The form sends every key: what a new type brought onto a key of theirs was not chosen by the reader."""
    Preferences.objects.create(user=ada, keys={"note": "k"})
    grade = registry.get("grade")
    monkeypatch.setattr(type(grade), "keys", (*grade.keys, Key("grade_new", "k", "a newer act")))
    browser = as_user(ada)
    shown = {f"key-{each.act}": each.usual for _, group in keys.groups() for each in group} | {
        "key-note": "k"
    }
    assert browser.post(ADDRESS, {**shown, "size": "xl"}).status_code == 302
    assert (stored(ada).keys, stored(ada).reading["size"]) == ({"note": "k"}, "xl")
    assert keys.mapping(grade, stored(ada).keys)["grade_new"] == ""
    assert browser.post(ADDRESS, {**shown, "key-note": "n", "key-later": "k"}).status_code == 422


@pytest.mark.parametrize(
    ("task", "brought", "found"),
    [
        ("grade", [Key("new", "0", "zero")], [("annotation.E001", "'0'", "can’t decide")]),
        ("grade", [Key("new", "1", "one")], [("annotation.E001", "'1'", "the first grade")]),
        ("span", [Key("new", "x", "none")], [("annotation.E001", "'x'", "No allusion here")]),
        ("span", [Key("note", "z", "a note")], [("annotation.E002", "note", "every task")]),
        ("grade", [Key("sentence", "s", "mark the whole sentence")], []),
        ("spans", [Key("anchor", "k", "the anchor")], [("annotation.E002", "anchor", "the task “span”")]),
        ("span", [Key("option_1", "1", "it")], [("annotation.E002", "option_1", "the task “choice”")]),
        ("grade", [], []),
    ],
)
def test_two_acts_on_one_key_are_found_when_the_process_starts(monkeypatch, task, brought, found):
    kind = type(registry.get(task))
    monkeypatch.setattr(kind, "keys", (*kind.keys, *brought))
    errors = run_checks()
    assert [each.id for each in errors] == [number for number, *_ in found]
    for error, (_, *words) in zip(errors, found, strict=True):
        assert all(word in error.msg for word in (task, *words))


def test_more_numbers_than_there_are_columns_are_found_when_the_process_starts(monkeypatch):
    kind = type(registry.get("grade"))
    monkeypatch.setattr(kind, "answer_numbers", ("grade", "second", "third"))
    assert [(each.id, "3 answer_numbers: 2" in each.msg) for each in run_checks()] == [
        ("annotation.E003", True)
    ]


def test_a_key_that_its_reader_gave_away_does_not_do_a_newer_act_as_well():
    task = registry.get("span")
    mapped = keys.mapping(task, {"note": "a"})
    assert (mapped["note"], mapped["anchor"]) == ("a", "")
    assert keys.mapping(task, {"note": "a", "anchor": "n"})["anchor"] == "n"


def test_an_act_that_two_tasks_share_is_chosen_once():
    acts = [each.act for _, group in keys.groups() for each in group]
    assert acts.count("no_allusion") == acts.count("sentence") == 1
    assert len(acts) == len(set(acts))
    for task in ("span", "spans"):
        assert keys.mapping(registry.get(task), {"sentence": "z"})["sentence"] == "z"


def test_the_goal_of_a_sitting_is_set_on_the_page(as_user, ada):
    page = as_user(ada).get("/preferences/").text
    for name in ("rhythm", "goal"):
        assert page.count(f'name="{name}"') == len(RHYTHM[name][1])
        assert f"<legend>{RHYTHM[name][0]}</legend>" in page
