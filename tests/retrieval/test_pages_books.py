"""Books on pages: import with its preview, reading, marked passages."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from retrieval.forms import imports
from retrieval.models import Book
from tests import builders

pytestmark = pytest.mark.django_db

URL = "/books/import/"
NOVEL = (
    "CHAPTER I\n\nThe tide was out. Mr. Hale went down to it; nobody saw him.\n\n"
    "“Just so,” said the schoolmaster.\n\nCHAPTER II\n\nIt came back <em>late</em>.\n"
)
FACTS = {
    "slug": "tide",
    "title": "The Tide",
    "author": "A. Hallam",
    "year": "1889",
    "language": "en",
    "short": "on",
}


def upload(data, name="tide.txt"):
    return SimpleUploadedFile(name, data if isinstance(data, bytes) else data.encode())


@pytest.fixture
def staff(as_user, stan):
    return as_user(stan)


class TestImport:
    def test_a_file(self, staff):
        response = staff.post(URL, {**FACTS, "file": upload(NOVEL)}, follow=True)
        book = Book.objects.get()
        assert response.redirect_chain == [(book.get_absolute_url(), 302)]
        assert book.n_sentences == 5
        assert "Imported The Tide: 5 sentences." in response.content.decode()

    def test_a_pasted_text_with_the_line_ends_of_a_browser(self, staff):
        staff.post(URL, {**FACTS, "pasted": NOVEL.replace("\n", "\r\n")})
        assert Book.objects.get().n_sentences == 5

    def test_again_adds_nothing_and_says_so(self, staff):
        for _ in range(2):
            response = staff.post(URL, {**FACTS, "pasted": NOVEL}, follow=True)
        assert Book.objects.count() == 1
        assert "already imported with this text" in response.content.decode()

    def test_the_preview_shows_and_stores_nothing(self, staff):
        response = staff.post(URL, {**FACTS, "file": upload(NOVEL), "preview": "1"})
        text = response.content.decode()
        assert response.status_code == 200
        assert not Book.objects.exists()
        assert '<li value="2">Mr. Hale went down to it;</li>' in text
        assert "<li>CHAPTER II</li>" in text
        assert "&lt;em&gt;late&lt;/em&gt;" in text
        assert "choose the file tide.txt again" in text

    def test_the_preview_says_what_was_removed(self, staff):
        begin, end = (f"*** {word} OF THE PROJECT GUTENBERG EBOOK TIDE ***" for word in ("START", "END"))
        framed = f"{begin}\n\n{NOVEL}\n\n{end}\n"
        text = staff.post(URL, {**FACTS, "pasted": framed, "preview": "1"}).content.decode()
        assert "Removed a Project Gutenberg header of 1 line." in text

    def test_the_preview_keeps_the_pasted_text_for_the_import(self, staff):
        text = staff.post(URL, {**FACTS, "pasted": NOVEL, "preview": "1"}).content.decode()
        kept = re.search(r"<textarea[^>]*>(.*?)</textarea>", text, re.DOTALL)[1]
        assert "Mr. Hale went down to it; nobody saw him." in kept

    def test_with_scripts_the_preview_comes_alone(self, staff):
        data = {**FACTS, "pasted": NOVEL, "preview": "1"}
        text = staff.post(URL, data, headers={"HX-Request": "true"}).content.decode()
        assert text.strip().startswith('<section id="preview"')
        assert "<form" not in text
        assert "Mr. Hale" in text

    def test_with_scripts_an_error_comes_into_the_preview(self, staff):
        data = {**FACTS, "slug": "not a slug", "pasted": NOVEL, "preview": "1"}
        response = staff.post(URL, data, headers={"HX-Request": "true"})
        assert response.status_code == 422
        assert 'href="#id_slug"' in response.content.decode()

    @pytest.mark.parametrize(
        ("changes", "field", "sentence"),
        [
            ({}, "file", "Choose a file, or paste the text."),
            ({"file": b""}, "file", "tide.txt is empty"),
            ({"file": b"a\0b"}, "file", "tide.txt is a binary file (NUL at byte 1)"),
            (
                {"file": "Финал.".encode("windows-1251")},
                "encoding",
                "tide.txt is not UTF-8: byte 0xd4 in line 1",
            ),
            ({"pasted": NOVEL, "short": ""}, "short", "a book has at least 1,000"),
            ({"file": NOVEL.encode(), "pasted": NOVEL}, "file", "only one of them can be imported"),
            ({"pasted": NOVEL, "slug": "the tide"}, "slug", "valid “slug”"),
            ({"pasted": NOVEL, "year": "soon"}, "year", "whole number"),
            ({"pasted": NOVEL, "title": ""}, "title", "required"),
            ({"pasted": NOVEL, "language": "English!"}, "language", "not a tag"),
        ],
    )
    def test_bad_input_is_said_beside_its_field(self, staff, changes, field, sentence):
        data = {**FACTS, **changes}
        if isinstance(data.get("file"), bytes):
            data["file"] = upload(data["file"])
        for extra in ({}, {"preview": "1"}):
            if "file" in data and hasattr(data["file"], "seek"):
                data["file"].seek(0)
            response = staff.post(URL, {**data, **extra})
            errors = response.context["form"].errors
            assert response.status_code == 422
            assert list(errors) == [field]
            assert sentence in errors[field][0]
            assert f'href="#id_{field}"' in response.content.decode()
        assert not Book.objects.exists()

    def test_other_text_under_a_known_slug_is_refused_already_in_the_preview(self, staff):
        staff.post(URL, {**FACTS, "pasted": NOVEL})
        for extra in ({"preview": "1"}, {}):
            response = staff.post(URL, {**FACTS, "pasted": f"{NOVEL} More.", **extra})
            assert "already imported with other text" in response.context["form"].errors["slug"][0]
        assert Book.objects.get().n_sentences == 5

    def test_a_file_that_is_too_large_is_refused_by_its_size(self, staff, monkeypatch):
        monkeypatch.setattr(imports, "LARGEST_UPLOAD", 10)
        response = staff.post(URL, {**FACTS, "file": upload(NOVEL)})
        assert "at most" in response.context["form"].errors["file"][0]


class TestList:
    def test_counts_excerpts_and_jobs_apart(self, staff):
        book, source = builders.book(), builders.source()
        found = [builders.excerpt(book, source, first) for first in (3, 7, 9)]
        for _ in range(2):
            builders.finished_job(book, found)
        row = staff.get("/books/").context["page"][0]
        assert (row.excerpt_count, row.job_count) == (3, 2)

    def test_is_paginated(self, staff):
        for number in range(30):
            builders.book(f"b{number:02}", title=f"Book {number:02}")
        assert len(staff.get("/books/").context["page"]) == 25
        assert "Book 29" in staff.get("/books/?page=2").content.decode()

    def test_empty(self, staff):
        assert "No book yet" in staff.get("/books/").content.decode()


class TestReading:
    @pytest.fixture
    def book(self, db):
        words = [f"Sentence number {number} is about the sea." for number in range(1000)]
        return builders.book("long", words, title="Long")

    def test_leaves_hold_every_sentence_once(self, staff, book):
        first = staff.get(book.get_absolute_url())
        pages = first.context["page"].paginator.num_pages
        texts = [
            staff.get(f"{book.get_absolute_url()}?page={n}").content.decode() for n in range(1, pages + 1)
        ]
        anchors = [int(n) for text in texts for n in re.findall(r'<span id="s(\d+)">', text)]
        assert anchors == list(range(1000))

    def test_a_passage_opens_its_leaf_and_is_marked(self, staff, book):
        text = staff.get(f"{book.get_absolute_url()}?at=640&size=2").content.decode()
        mark = re.search(r"<mark[^>]*>(.*?)</mark>", text, re.DOTALL)
        assert re.sub("<[^>]+>", "", mark[1]) == (
            "Sentence number 640 is about the sea. Sentence number 641 is about the sea."
        )
        assert "data-takes-focus" in mark[0]
        assert "Marked: sentences 641 to 642." in text

    @pytest.mark.parametrize(
        "query", ["at=1000", "at=-1", "at=x", "at=999999999999", "page=x", "page=0", "size=2", ""]
    )
    def test_nonsense_opens_the_book_unmarked(self, staff, book, query):
        response = staff.get(f"{book.get_absolute_url()}?{query}")
        assert response.status_code == 200
        assert "<mark" not in response.content.decode()

    def test_staff_are_told_how_a_book_gets_excerpts(self, staff, book, as_user, dora, stan):
        told = 'find its quotations on the page of a <a href="/sources/">source</a>'
        assert told in staff.get("/books/long/").text
        assert told not in as_user(dora).get("/books/long/").text
        builders.excerpt(book, builders.source())
        assert told not in as_user(stan).get("/books/long/").text

    def test_a_passage_ends_with_the_book(self, staff, book):
        marked = staff.get(f"{book.get_absolute_url()}?at=998&size=50").context["marked"]
        assert tuple(marked) == (998, 2)

    def test_going_to_a_sentence_by_the_number_people_see(self, staff, book):
        response = staff.get(f"{book.get_absolute_url()}?sentence=641&size=2")
        assert response["Location"] == f"{book.get_absolute_url()}?at=640&size=2#s640"
        response = staff.get(f"{book.get_absolute_url()}?sentence=4000")
        assert response["Location"].endswith("?at=999&size=1#s999")

    def test_markup_in_a_text_is_text(self, staff):
        book = builders.book("sly", ["<script>alert(1)</script> & _so_ on."])
        text = staff.get(book.get_absolute_url()).content.decode()
        assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; <em>so</em> on." in text

    def test_facts(self, staff, book):
        text = staff.get(book.get_absolute_url()).content.decode()
        assert book.sha256[:12] in text
        statistics = staff.get(book.get_absolute_url()).context["statistics"]
        assert statistics == (7000, 7, 7, 0, 0)

    def test_a_book_of_blank_sentences_opens(self, staff):
        book = builders.book("blank", ["", " ", "One."])
        assert staff.get(book.get_absolute_url()).status_code == 200

    def test_unknown(self, staff):
        assert staff.get(reverse("retrieval:book", args=["none"])).status_code == 404
