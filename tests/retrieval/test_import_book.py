"""`import_book`: what is stored, what is said, and that nothing is left where it is refused."""

from __future__ import annotations

import itertools
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from common.errors import BadInput
from retrieval.loading import BadField, import_book, storing
from retrieval.models import Book

pytestmark = pytest.mark.django_db

NOVEL = """CHAPTER I

The lamps went out on the quay, one after the other. Nobody had asked
them to: the keeper was asleep.

Mr. Tarn woke first; he said nothing.

CHAPTER II

In the morning the boats were gone. “Who took them?” cried Mrs. Tarn. Her husband looked
at the water and not at her.
"""
FACTS = {"slug": "quay", "title": "The Quay", "author": "A. Author", "year": 1891}


def load(data=NOVEL, name="quay.txt", **facts):
    return import_book(data if isinstance(data, bytes) else data.encode(), name=name, **{**FACTS, **facts})


def refused(*args, **kwargs):
    """The sentence of the refusal; nothing may be left behind."""
    before = list(Book.objects.values_list("slug", "sha256"))
    with pytest.raises(BadInput) as caught:
        load(*args, **kwargs)
    assert list(Book.objects.values_list("slug", "sha256")) == before
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def sentences(book):
    return [book.text[start:end] for start, end in book.bounds()]


def test_a_book_keeps_its_text_sentences_and_headings():
    book, created, _ = load(language="en", licence="public domain")
    assert created
    stored = Book.objects.get(slug="quay")
    assert sentences(stored) == [
        "The lamps went out on the quay, one after the other.",
        "Nobody had asked them to:",
        "the keeper was asleep.",
        "Mr. Tarn woke first;",
        "he said nothing.",
        "In the morning the boats were gone.",
        "“Who took them?” cried Mrs. Tarn.",
        "Her husband looked at the water and not at her.",
    ]
    assert [stored.text[start:end] for start, end in stored.headings] == ["CHAPTER I", "CHAPTER II"]
    assert stored.n_sentences == 8
    assert stored.sha256 == storing.sha256(stored.text)
    assert (stored.title, stored.author, stored.year, stored.licence) == (
        "The Quay",
        "A. Author",
        1891,
        "public domain",
    )
    assert book.pk == stored.pk


def test_a_gutenberg_frame_is_removed_and_said():
    framed = (
        "The Project Gutenberg EBook of The Quay\n\n*** START OF THE PROJECT GUTENBERG EBOOK THE QUAY ***\n\n"
        + NOVEL
        + "\n*** END OF THE PROJECT GUTENBERG EBOOK THE QUAY ***\n\nLicence.\n"
    )
    book, _, remarks = load(framed)
    assert "GUTENBERG" not in book.text.upper()
    assert book.notes == list(remarks)
    assert any("header" in remark for remark in remarks)
    assert any("footer" in remark for remark in remarks)


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf" + NOVEL.encode(), NOVEL.replace("\n", "\r\n").encode()])
def test_bom_and_crlf_make_the_same_text(data):
    assert load(data).book.sha256 == load(slug="other").book.sha256


def test_a_book_of_one_sentence():
    assert sentences(load("The sea was up.").book) == ["The sea was up."]


def test_again_adds_nothing():
    first = load()
    second = load()
    assert (second.book.pk, second.created) == (first.book.pk, False)
    assert second.remarks == ('The book "quay" is already imported with this text; nothing was added.',)
    assert Book.objects.count() == 1


def test_again_with_other_facts_says_which_and_changes_none():
    load()
    remarks = load(title="The Key", year=1892).remarks
    assert remarks[1:] == (
        'Not changed: the title stays "The Quay" (given: "The Key").',
        'Not changed: the year stays "1891" (given: "1892").',
    )
    assert Book.objects.get().title == "The Quay"


def test_a_slug_taken_by_another_text_is_refused():
    load()
    assert refused("Another book. Not the same.", name="b.txt") == (
        'b.txt: the book "quay" is already imported with other text (The Quay); '
        "import this text under another slug."
    )


def test_the_same_text_under_another_slug_is_kept_and_said():
    load()
    again = load(slug="pier")
    assert again.created
    assert 'The same text is also here as "quay"; both are kept.' in again.remarks


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "empty", id="empty file"),
        pytest.param(b" \r\n\t\n", "empty", id="white space only"),
        pytest.param(b"\x7fELF\x00\x01\x02" * 50, "binary", id="binary file"),
        pytest.param("Das Mädchen schlief.".encode("latin-1"), "UTF-8", id="wrong encoding"),
        pytest.param(
            "The sea was up.".encode("utf-16-le"), "reads as utf-16-le", id="UTF-16 that nobody said"
        ),
        pytest.param(b"The sea\x07 was up.", "control character", id="control character in the text"),
        pytest.param(b"The sea \xed\xa0\x80 was up.", "UTF-8", id="lone surrogate in the text"),
        pytest.param(b"* * *\n\n* * *\n", "quay.txt", id="ornaments only"),
        pytest.param(b"CHAPTER I\n\nCHAPTER II\n", "quay.txt", id="headings only"),
    ],
)
def test_a_file_that_is_no_book_is_refused(data, says):
    sentence = refused(data)
    assert "quay.txt" in sentence
    assert says in sentence


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        pytest.param({"slug": "s" * 81}, "slug", id="slug too long"),
        pytest.param({"slug": "the quay"}, "slug", id="slug with a space"),
        pytest.param({"slug": ""}, "slug", id="no slug"),
        pytest.param({"slug": "quay\n"}, "slug", id="slug with a newline"),
        pytest.param({"slug": "import"}, "slug", id="slug of a page"),
        pytest.param({"title": "T" * 301}, "title", id="title too long"),
        pytest.param({"title": " "}, "title", id="blank title"),
        pytest.param({"title": "The\x00Quay"}, "title", id="NUL in the title"),
        pytest.param({"author": "A\x1b[31m"}, "author", id="control character in the author"),
        pytest.param({"author": "A\udce9"}, "author", id="lone surrogate in the author"),
        pytest.param({"year": 3001}, "year", id="year too late"),
        pytest.param({"year": -1}, "year", id="year below zero"),
        pytest.param({"year": 10**30}, "year", id="year beyond any column"),
        pytest.param({"language": "English language"}, "language", id="no language tag"),
        pytest.param({"language": ""}, "language", id="empty language"),
        pytest.param({"licence": "L" * 201}, "licence", id="licence too long"),
    ],
)
def test_a_fact_that_cannot_be_kept_is_refused_by_field(facts, field):
    assert f"The {field} " in refused(**facts)
    with pytest.raises(BadField) as caught:
        load(**facts)
    assert caught.value.field == field


def test_somebody_quicker_with_the_same_book_means_already_imported(monkeypatch):
    """The row appears between looking and inserting, as with two imports at once."""
    real, calls = storing.find_stored, itertools.count()

    def blind_at_first(row, name, *advice):
        return None if next(calls) < 2 else real(row, name, *advice)

    first = load()
    monkeypatch.setattr(storing, "find_stored", blind_at_first)
    second = load()
    assert (second.book.pk, second.created) == (first.book.pk, False)


def test_a_broken_row_is_not_hidden_by_trying_again(monkeypatch):
    def broken(row):
        raise IntegrityError("no such thing")

    monkeypatch.setattr(storing, "insert", broken)
    with pytest.raises(IntegrityError):
        load()


def run(path, *more):
    out = StringIO()
    arguments = ["--slug=quay", "--title=The Quay", "--author=A. Author", "--year=1891", "--short", *more]
    call_command("import_book", str(path), *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_the_command_prints_counts_and_notes(tmp_path):
    path = tmp_path / "quay.txt"
    path.write_text("Title page\n*** START OF THE PROJECT GUTENBERG EBOOK THE QUAY ***\n\n" + NOVEL)
    assert run(path)[:2] == [
        'Imported "quay" (The Quay): 8 sentences, 2 headings, 0 other parts set aside.',
        "Removed a Project Gutenberg header of 2 lines.",
    ]
    assert run(path) == ['The book "quay" is already imported with this text; nothing was added.']


def test_the_command_says_bad_input_in_one_sentence(tmp_path):
    path = tmp_path / "empty.txt"
    path.touch()
    with pytest.raises(CommandError, match=r"empty\.txt is empty"):
        run(path)


@pytest.mark.parametrize("path", ["nothing-here.txt", "."])
def test_the_command_names_a_file_that_cannot_be_read(path):
    with pytest.raises(CommandError, match=r"cannot be read: \w"):
        run(path)


def test_ctrl_c_leaves_nothing_and_no_traceback(tmp_path, monkeypatch):
    def stopped(row):
        row.save(force_insert=True)
        raise KeyboardInterrupt

    path = tmp_path / "quay.txt"
    path.write_text(NOVEL)
    monkeypatch.setattr(storing, "insert", stopped)
    with pytest.raises(CommandError, match="nothing half-written") as caught:
        run(path)
    assert caught.value.returncode == 130
    assert not Book.objects.exists()
