"""`find_excerpts`: what a critic quotes, stored once with the book's own place."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from common.errors import BadInput
from retrieval.loading import find_excerpts, import_book, import_source, quotations
from retrieval.models import Excerpt
from tests.calls import calls
from tests.retrieval import real_texts
from tests.retrieval.quay import ESSAY, LAMPS

pytestmark = pytest.mark.django_db

FRENCH = """Les réverbères du quai s'éteignent l'un après l'autre, et personne ne se rappelle l'avoir demandé.
La phrase est simple; elle ouvre le roman comme on ferme une porte, et le lecteur comprend aussitôt que la
ville ne dort pas. Le gardien, lui, dort pour tout le monde, et c'est de lui que viendra le malheur."""


def essay(text, slug="other", **more):
    return import_source(text.encode(), name="other.txt", slug=slug, citation="Other 1912", **more).source


def test_a_quotation_is_stored_with_its_place_in_both_texts(quay, critic):
    found = find_excerpts(quay, critic)
    assert (found.new, found.known) == (2, 0)
    first, second = Excerpt.objects.order_by("start")
    assert quay.passage(*first.gold) == LAMPS
    assert LAMPS in critic.text[first.start : first.end] or critic.text[first.start : first.end] in LAMPS
    assert first.left[-1].startswith("He simply writes")
    assert first.right[0] == "After this we are prepared for everything."
    assert first.score == pytest.approx(100, abs=1)
    assert first.why
    assert quay.passage(*second.gold).startswith("He said that the sea")
    assert [each.pk for each in found.excerpts] == [first.pk, second.pk]


def test_what_was_dropped_is_counted_by_reason(quay, critic):
    dropped = find_excerpts(quay, critic).dropped
    assert dropped.total() >= 1
    assert all(number > 0 for number in dropped.values())


def test_again_adds_nothing_and_returns_the_known_ones(quay, critic):
    first = find_excerpts(quay, critic)
    second = find_excerpts(quay, critic)
    assert (second.new, second.known) == (0, 2)
    assert [each.pk for each in second.excerpts] == [each.pk for each in first.excerpts]
    assert Excerpt.objects.count() == 2


def test_a_lost_excerpt_comes_back_beside_the_known_one(quay, critic):
    find_excerpts(quay, critic)
    Excerpt.objects.earliest("start").delete()
    found = find_excerpts(quay, critic)
    assert (found.new, found.known) == (1, 1)
    assert [each.start for each in found.excerpts] == sorted(each.start for each in found.excerpts)


def test_a_border_drawn_differently_is_the_known_quotation(quay, critic):
    """As after a new version of the engine: the same quotation, a word longer in the source."""
    find_excerpts(quay, critic)
    first = Excerpt.objects.earliest("start")
    Excerpt.objects.filter(pk=first.pk).update(start=first.start - 4, digest="0" * 64)
    found = find_excerpts(quay, critic)
    assert (found.new, found.known) == (0, 2)
    assert found.excerpts[0].pk == first.pk


def test_two_critics_with_the_same_words_have_their_own_excerpts(quay, critic):
    find_excerpts(quay, critic)
    assert find_excerpts(quay, essay(ESSAY)).new == 2
    assert Excerpt.objects.count() == 4


def test_thousands_are_looked_up_among_thousands_and_not_compared_with_each():
    """It is done while the database is locked for everybody."""

    def look_up(n):
        there = [Excerpt(digest=str(at), start=9 * at, end=9 * at + 9) for at in range(n)]
        found = [Excerpt(digest="new", start=9 * at + 2, end=9 * at + 4) for at in range(n)]
        stored = quotations._StoredExcerpts(there)
        assert [stored.same(each) for each in found] == there

    once, twice = calls(look_up, 100), calls(look_up, 200)
    assert twice <= 2.4 * once


def test_a_source_that_quotes_nothing_is_refused(quay):
    with pytest.raises(BadInput, match="quotes nothing that was found in The Quay"):
        find_excerpts(quay, essay("An essay on lamps in general. It quotes no one."))
    assert not Excerpt.objects.exists()


def test_a_source_in_another_language_is_refused(quay):
    with pytest.raises(BadInput, match=r'"other" is in fr and the book "quay" in en; .*one language\.'):
        find_excerpts(quay, essay(FRENCH, language="fr"))
    assert not Excerpt.objects.exists()


def test_regions_of_one_language_are_compared(quay):
    assert find_excerpts(quay, essay(ESSAY, language="en-GB")).new == 2


def test_a_source_without_a_text_is_refused(quay, critic):
    critic.text = ""
    with pytest.raises(BadInput, match="has no text"):
        find_excerpts(quay, critic)


def test_progress_ends_at_its_total(quay, critic):
    seen = []
    find_excerpts(quay, critic, lambda *step: seen.append(step))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)


def run(book="quay", source="critic"):
    out = StringIO()
    call_command("find_excerpts", f"--book={book}", f"--source={source}", stdout=out)
    return out.getvalue().splitlines()


def test_the_command_prints_how_many_and_why_not(quay, critic):
    lines = run()
    assert lines[0] == "Found 2 quotations of The Quay in Critic 1911."
    assert [line.split() for line in lines[1:3]] == [["new", "2"], ["already", "known", "0"]]
    assert lines[3].startswith("Dropped ")
    assert run()[1:3] == ["  new            0", "  already known  2"]


@pytest.mark.parametrize(("book", "source"), [("pier", "critic"), ("quay", "nobody")])
def test_the_command_names_what_it_does_not_know_and_what_it_does(quay, critic, book, source):
    with pytest.raises(
        CommandError, match=r"no (book 'pier'; the known books are: quay|source 'nobody'; .* are: critic)\."
    ):
        run(book, source)


def test_the_command_refuses_a_source_that_quotes_nothing(quay):
    essay("Nothing here.", slug="critic")
    with pytest.raises(CommandError, match="quotes nothing"):
        run()


def test_ctrl_c_while_storing_leaves_nothing(quay, critic, monkeypatch):
    real = Excerpt.objects.bulk_create

    def stopped(rows, **more):
        real(rows, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(quotations.Excerpt.objects, "bulk_create", stopped)
    with pytest.raises(CommandError, match="nothing half-written"):
        run()
    assert not Excerpt.objects.exists()


@real_texts.needed
@pytest.mark.parametrize(("novel", "year"), [("pride_and_prejudice", 1813), ("persuasion", 1817)])
def test_helm_1909_quotes_at_least_twelve_passages(novel, year, monkeypatch):
    monkeypatch.setattr(quotations.finding, "find", real_texts.find_once)
    text = Path(real_texts.DATA, "novels", f"{novel}.txt").read_bytes()
    book = import_book(text, name=novel, slug=novel, title=novel, author="Jane Austen", year=year).book
    helm = Path(real_texts.DATA, "criticism/helm_1909_country_house_comedy.txt").read_bytes()
    source = import_source(helm, name="helm.txt", slug="helm", citation="Helm 1909").source
    assert find_excerpts(book, source).new >= 12
    assert find_excerpts(book, source).new == 0
