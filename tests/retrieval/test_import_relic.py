"""`import_relic`: books and quotes of RELiC's format, all or none."""

from __future__ import annotations

import json
import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from common.errors import BadInput
from retrieval.curating.excerpts import Borders, move
from retrieval.loading import import_relic
from retrieval.loading.relic import CITATION
from retrieval.models import Book, Excerpt, Source

pytestmark = pytest.mark.django_db

DATA = os.environ.get("VARIORUM_TEST_DATA") or None
SENTENCES = ["The tide turned. ", "", "Nobody saw it; ", "the lamps were out. ", "Morning came."]


def every_start(n_sentences):
    return {f"{size}_sentence": list(range(max(0, n_sentences - size + 1))) for size in range(1, 6)}


def quay(**changes):
    book = {
        "sentences": list(SENTENCES),
        "quotes": {
            "q1": [["The critic waits.", " "], 2, 2, ["That is all."]],
            "q2": [["He goes on:"], 4, 1, []],
        },
        "candidates": every_start(len(SENTENCES)),
    }
    return {**book, **changes}


def load(books, name="relic.json", **more):
    return import_relic(json.dumps(books).encode(), name=name, **more)


def refused(books, **more):
    before = (Book.objects.count(), Source.objects.count(), Excerpt.objects.count())
    with pytest.raises(BadInput) as caught:
        load(books, **more)
    assert before == (Book.objects.count(), Source.objects.count(), Excerpt.objects.count())
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    return sentence


def test_a_book_keeps_relics_own_sentences():
    (one,) = load({"the_quay_of_lamps": quay()}, author="A. Author")
    book = Book.objects.get(slug="the-quay-of-lamps")
    assert [book.text[start:end] for start, end in book.bounds()] == SENTENCES
    assert (book.title, book.author, book.n_sentences) == ("The Quay of Lamps", "A. Author", 5)
    assert (one.created, one.new, one.known) == (True, 2, 0)


def test_quotes_become_excerpts_of_one_source_without_a_text():
    load({"quay": quay()})
    source = Source.objects.get(slug="quay-relic")
    assert (source.citation, source.text) == (CITATION, "")
    first, second = source.excerpts.order_by("external_id")
    assert (first.external_id, first.gold, first.left, first.right) == (
        "q1",
        (2, 2),
        ["The critic waits."],
        ["That is all."],
    )
    assert first.book.passage(*first.gold) == "Nobody saw it; the lamps were out. "
    assert (second.external_id, second.gold, second.printed, second.start) == ("q2", (4, 1), "", None)


def test_an_unnamed_author_is_unknown():
    load({"quay": quay()})
    assert Book.objects.get().author == "Unknown"


def test_again_adds_nothing():
    load({"quay": quay()})
    (one,) = load({"quay": quay()})
    assert (one.created, one.new, one.known) == (False, 0, 2)
    assert (Book.objects.count(), Source.objects.count(), Excerpt.objects.count()) == (1, 1, 2)


def test_again_after_staff_moved_a_border_adds_nothing():
    load({"quay": quay()})
    old = Excerpt.objects.get(external_id="q1")
    made = move(old, Borders(3, 2, 1, 1), reason="one further", by=None, now=timezone.now())
    assert made.external_id == "q1"
    (one,) = load({"quay": quay()})
    assert (one.new, one.known) == (0, 2)
    assert Excerpt.objects.in_use().get(external_id="q1") == made


def test_a_later_file_adds_its_new_quotes_to_the_known_book():
    load({"quay": quay()})
    (one,) = load({"quay": quay(quotes={"q3": [[], 0, 1, []]})})
    assert (one.created, one.new, one.known) == (False, 1, 0)
    assert set(Excerpt.objects.values_list("external_id", flat=True)) == {"q1", "q2", "q3"}


def test_a_known_id_with_other_content_is_refused():
    load({"quay": quay()})
    other = quay(quotes={"q2": [["He goes on:"], 3, 1, []]})
    assert "'q2'" in refused({"quay": other})


def test_a_slug_taken_by_another_text_is_refused_and_no_other_book_of_the_file_stays():
    load({"quay": quay()})
    other = quay(sentences=["Another book. "] * 5)
    assert "already imported with other text" in refused({"pier": quay(), "quay": other})


def test_the_same_text_in_other_sentences_is_refused():
    load({"quay": quay(quotes={})})
    joined = ["The tide turned. Nobody saw it; ", *SENTENCES[3:]]
    other = {"sentences": joined, "quotes": {}, "candidates": every_start(3)}
    assert "other sentences" in refused({"quay": other})


def test_two_titles_of_one_slug_are_refused():
    assert "same slug" in refused({"The Quay": quay(), "the_quay": quay()})


def test_a_title_without_a_slug_is_refused():
    assert "makes no slug" in refused({"波止場": quay()})


def test_a_title_that_is_a_pages_address_is_refused():
    assert 'The slug "import" is the address of a page' in refused({"Import": quay()})


def test_a_passage_without_words_is_left_out_and_said():
    (one,) = load({"quay": quay(quotes={"blank": [["Before."], 1, 1, []], "q2": [[], 4, 1, []]})})
    assert one.new == 1
    assert "Quotes left out because their passage in the book has no words: 1." in one.remarks


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param({"quotes": {"q1": [[], 5, 1, []]}}, "q1", id="index out of range"),
        pytest.param({"quotes": {"q1": [[], 4, 2, []]}}, "q1", id="passage runs past the end"),
        pytest.param({"quotes": {"q1": [[], -1, 1, []]}}, "q1", id="negative index"),
        pytest.param({"quotes": {"q1": [[], 0, []]}}, "q1", id="entry missing in a quote"),
        pytest.param({"quotes": {"q1": [["\ud800"], 0, 1, []]}}, "q1", id="lone surrogate"),
        pytest.param({"quotes": {"q1": [["a\x00b"], 0, 1, []]}}, "q1", id="NUL"),
        pytest.param({"quotes": {"q" * 201: [[], 0, 1, []]}}, "at most 200", id="id too long"),
        pytest.param({"sentences": []}, "sentences", id="no sentences"),
        pytest.param({"sentences": ["", " ", "…", "", ""]}, "has a word", id="no words"),
        pytest.param({"candidates": {"1_sentence": [9]}}, "candidates", id="candidate out of range"),
        pytest.param({"candidates": {**every_start(5), "1_sentence": [0]}}, "q2", id="gold is no candidate"),
    ],
)
def test_a_malformed_book_is_refused_with_the_file_the_book_and_the_place(changes, says):
    sentence = refused({"pier": quay(), "quay": quay(**changes)})
    assert sentence.startswith("relic.json: book 'quay'")
    assert says in sentence


@pytest.mark.parametrize("key", ["sentences", "quotes", "candidates"])
def test_a_missing_key_is_refused(key):
    book = quay()
    del book[key]
    assert f'"{key}"' in refused({"quay": book})


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty file"),
        pytest.param(b"{", id="not JSON"),
        pytest.param(b"[]", id="not an object"),
        pytest.param(b"{}", id="no book"),
        pytest.param(b"\xff\xfe{}", id="wrong encoding"),
        pytest.param(b"\x00\x01\x02", id="binary"),
    ],
)
def test_a_file_that_is_not_relics_is_refused(data):
    with pytest.raises(BadInput, match=r"^relic\.json: "):
        import_relic(data, name="relic.json")
    assert not Book.objects.exists()


def test_an_author_that_cannot_be_kept_is_refused():
    assert refused({"quay": quay()}, author="A" * 201).startswith("The author ")


def test_ctrl_c_between_two_books_leaves_none(tmp_path, monkeypatch):
    path = tmp_path / "relic.json"
    path.write_text(json.dumps({"pier": quay(), "quay": quay()}))
    real = Excerpt.objects.bulk_create

    def stopped(rows, **more):
        if rows[0].book.slug == "quay":
            raise KeyboardInterrupt
        return real(rows, **more)

    monkeypatch.setattr("retrieval.loading.relic.Excerpt.objects.bulk_create", stopped)
    with pytest.raises(CommandError, match="nothing half-written"):
        call_command("import_relic", str(path))
    assert (Book.objects.count(), Source.objects.count(), Excerpt.objects.count()) == (0, 0, 0)


def test_the_command_prints_a_line_a_book(tmp_path):
    path = tmp_path / "relic.json"
    path.write_text(json.dumps({"quay": quay()}))
    out = StringIO()
    call_command("import_relic", str(path), "--author=A. Author", stdout=out)
    assert out.getvalue().startswith('Imported: "quay" (Quay), 5 sentences; 2 quotes new, 0 already known.')


@pytest.mark.skipif(not DATA, reason="VARIORUM_TEST_DATA is not set")
def test_relics_own_books_load_with_the_located_example(tmp_path):
    books = {}
    for path in sorted(Path(DATA, "relic_books").glob("*.json")):
        read = json.loads(path.read_text())
        n_sentences = len(read["sentences"])
        books[read["book_title"]] = {
            "sentences": read["sentences"],
            "quotes": {},
            "candidates": every_start(n_sentences),
        }
    located = 0
    for line in Path(DATA, "relic_examples.jsonl").read_text().splitlines():
        example = json.loads(line)
        place = example["located"]
        if place and "sentence_index" in place:
            quote = [[example["left"]], place["sentence_index"], place["n_sentences"], [example["right"]]]
            books[Path(place["file"]).stem]["quotes"][example["id"]] = quote
            located += 1
    path = tmp_path / "relic.json"
    path.write_text(json.dumps(books))
    call_command("import_relic", str(path), stdout=StringIO())
    sizes = dict(Book.objects.values_list("slug", "n_sentences"))
    assert sizes == {
        "the-great-gatsby": 3578,
        "frankenstein": 4362,
        "the-awakening": 3798,
        "ethan-frome": 2196,
    }
    assert Excerpt.objects.count() == located > 0
    excerpt = Excerpt.objects.get(external_id="section3.3-gatsby")
    assert "blue honey of the Mediterranean" in excerpt.book.passage(*excerpt.gold)
    assert [excerpt.book.text[a:b] for a, b in excerpt.book.bounds()] == books["the_great_gatsby"][
        "sentences"
    ]
