"""The sermon: its items are made of the marked text, its studies load once, and it is ours in every line."""

import pytest
from django.utils import timezone

from annotation.models import Judgment, Outcome, State, Study
from annotation.tasktypes.span import Span
from tests import builders
from variorum.demo import sermon
from variorum.demo.spans import OVERLAP, load_spans

MARKED = sermon.MARKED.read_text("utf-8")
VERSES = sermon.verses(sermon.VERSES.read_text("utf-8"))


def test_the_files_beside_the_marked_text_are_made_of_it():
    rebuild = "python -m variorum.demo.sermon writes them anew"
    assert sermon.ITEMS.read_text("utf-8") == sermon.lines(MARKED, VERSES), rebuild
    assert sermon.PLAIN.read_text("utf-8") == sermon.plain(MARKED), rebuild


def test_there_are_verses_words_and_allusions_enough():
    assert len(VERSES) >= 60
    assert len(sermon.plain(MARKED).split()) >= 1200
    gold = [item["gold"] for item in sermon.items(MARKED, VERSES)]
    assert sum("start" in each for each in gold) >= 15
    assert sum("declined" in each for each in gold) == 2


def test_a_mark_gives_span_and_anchor_and_leaves_no_sign():
    text, (mark, no) = sermon.read("Go {4:3 by *oil* and} light, {!1:1 *now*}.")
    assert text == "Go by oil and light, now."
    assert [text[slice(*each)] for each in (mark.span, mark.anchor)] == ["by oil and", "oil"]
    assert (mark.denied, no.denied, no.verse) == (False, True, "1:1")


@pytest.fixture(scope="module")
def load(ground):
    """Loads the studies of one researcher and three readers, who are there for the whole module."""
    dora = builders.researcher("Dora")
    readers = [builders.person(name) for name in ("Ada", "Ben", "Cleo")]

    def load():
        return load_spans(researcher=dora, readers=readers, now=timezone.now(), say=lambda _: None)

    return load


@pytest.fixture(scope="module")
def loaded(load):
    return load()


@pytest.mark.django_db
def test_its_readers_are_asked_for_consent_and_see_what_an_item_earns(loaded, as_user):
    opened, _ = loaded
    browser = as_user(opened.enrolments.get(user__username="ada").user)
    where = browser.post(f"/studies/{opened.slug}/begin/")["Location"]
    assert "This is a demonstration" in browser.get(where).text
    begun = browser.post(where, {"version": "1", "answer": "agree"}, follow=True)
    assert begun.redirect_chain[-1][0].startswith("/work/")
    assert "0.00 EUR" in browser.get(f"/studies/{opened.slug}/mine/").text


@pytest.mark.django_db
def test_one_study_is_open_and_one_is_read_to_the_end_by_programs(loaded):
    opened, simulated = loaded
    n = len(sermon.items(MARKED, VERSES))
    assert (opened.state, simulated.state) == (State.OPEN, State.CLOSED)
    assert opened.items.count() == simulated.items.count() == n
    assert opened.assignments.count() == n * OVERLAP
    assert simulated.enrolments.filter(role="annotator").count() == OVERLAP
    assert not simulated.enrolments.filter(role="annotator", simulated=False).exists()
    said = list(Judgment.objects.filter(assignment__study=simulated).select_related("assignment__item"))
    assert len(said) == n * OVERLAP
    assert {each.outcome for each in said} == {Outcome.ANSWER}
    declined = sum(each.answer == {"declined": "no_allusion"} for each in said)
    exact = sum(each.answer == each.assignment.item.gold for each in said)
    assert 3 <= declined <= n
    assert 0.35 < exact / len(said) < 0.75
    assert all(Span().check_answer(each.assignment.item.payload, each.answer) for each in said)


@pytest.mark.django_db
def test_a_second_start_changes_nothing(load, loaded):
    before = Judgment.objects.count()
    assert load() == loaded
    assert (Study.objects.count(), Judgment.objects.count()) == (2, before)
