"""What a person says about a file, and is told of it: encoding, notes, length, and what was set aside."""

from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from common.errors import BadField, BadInput
from common.progress import here
from retrieval.curating import corrections
from retrieval.curating.aside import set_aside
from retrieval.curating.rules import text_rules
from retrieval.forms import imports
from retrieval.loading import import_book, import_source, plain
from retrieval.loading.books import LEAST_WORDS
from retrieval.models import Book, LoadingJob, LoadingTask, Source

pytestmark = pytest.mark.django_db

FACTS = {"slug": "quay", "title": "The Quay", "author": "A. Author", "year": 1891}
FIELDS = {**FACTS, "language": "en"}
TEXT = (
    "CHAPTER I\n\nIt rained upon the café.[1] Nobody spoke.\n\n"
    "[1] So says the almanac. It is wrong.\n\nIt went on."
)
LATIN = TEXT.encode("latin-1")
PAGE = (
    "<html><body><h1>The lamps go out upon the quay</h1><p>It rained upon the town.</p>"
    '<aside class="footnote"><p>So says the almanac.</p></aside></body></html>'
)


def load(data=TEXT, **options):
    data = data if isinstance(data, bytes) else data.encode()
    return import_book(data, name="quay.txt", **{**FACTS, **options})


def run(command, path, *more):
    out = StringIO()
    call_command(command, str(path), *more, stdout=out)
    return out.getvalue().splitlines()


def post(client, data, url="/books/import/", **more):
    file = SimpleUploadedFile("quay.txt", data if isinstance(data, bytes) else data.encode())
    return client.post(url, {**FIELDS, "short": "on", "file": file, **more})


@pytest.fixture
def staff(as_user, stan):
    return as_user(stan)


@pytest.fixture
def quay_file(tmp_path):
    def write(data):
        path = tmp_path / "quay.txt"
        path.write_bytes(data)
        return path

    return write


COMMAND = ("--slug=quay", "--title=The Quay", "--author=A. Author", "--year=1891")


class TestEncoding:
    def test_the_command_shows_a_guess_and_stores_nothing_by_it(self, quay_file):
        path = quay_file(LATIN)
        with pytest.raises(CommandError, match="reads as windows-1252 so: line 3, “rained upon the café"):
            run("import_book", path, *COMMAND, "--short")
        assert not Book.objects.exists()
        run("import_book", path, *COMMAND, "--short", "--encoding=windows-1252")
        book = Book.objects.get()
        assert "café" in book.text
        assert (book.read_as["format"], book.read_as["encoding"]) == ("plain text", "windows-1252")

    def test_so_for_a_source(self, quay_file):
        facts = ("--slug=critic", "--citation=Critic 1911")
        path = quay_file(LATIN)
        with pytest.raises(CommandError, match="windows-1252"):
            run("import_source", path, *facts)
        run("import_source", path, *facts, "--encoding=iso-8859-1")
        assert Source.objects.get().read_as["encoding"] == "iso-8859-1"

    def test_the_page_previews_the_guess_and_imports_what_is_chosen(self, staff):
        shown = post(staff, LATIN, preview="1").content.decode()
        assert "read as <strong>windows-1252</strong>, which is a guess" in shown
        assert '<li value="3">It rained upon the café.[1] Nobody spoke.</li>' in shown
        refused = post(staff, LATIN)
        assert refused.status_code == 422
        assert list(refused.context["form"].errors) == ["encoding"]
        assert not Book.objects.exists()
        post(staff, LATIN, encoding="windows-1252")
        assert "café" in Book.objects.get().text

    def test_another_encoding_shows_other_letters(self, staff):
        shown = post(staff, LATIN, preview="1", encoding="cp437").content.decode()
        assert "Read as <strong>cp437</strong>. Are these lines right?" in shown
        assert "cafΘ" in shown

    def test_what_is_pasted_is_unicode_whatever_is_chosen(self, staff):
        staff.post("/books/import/", {**FIELDS, "short": "on", "pasted": TEXT, "encoding": "cp437"})
        assert "café" in Book.objects.get().text

    def test_a_job_takes_the_encoding_along(self, staff, settings, tmp_path, monkeypatch):
        settings.DATA_DIR = tmp_path
        monkeypatch.setattr(imports, "AT_ONCE", 10)
        post(staff, LATIN, encoding="windows-1252", notes="on")
        job = LoadingJob.objects.get()
        assert (job.work, job.facts["encoding"], job.facts["notes"]) == (
            LoadingTask.BOOK,
            "windows-1252",
            True,
        )
        assert job.facts["least_words"] == 0


class TestLength:
    def test_hello_is_no_book_and_the_switch_is_named(self, quay_file):
        path = quay_file(b"hello")
        with pytest.raises(CommandError, match=r"has 1 word, and a book has at least 1,000\..*--short"):
            run("import_book", path, *COMMAND)
        assert not Book.objects.exists()
        run("import_book", path, *COMMAND, "--short")
        assert Book.objects.get().text == "hello"

    def test_the_page_says_it_beside_its_switch(self, staff):
        refused = post(staff, "hello", short="")
        assert list(refused.context["form"].errors) == ["short"]
        assert post(staff, "hello").status_code == 302

    def test_a_book_of_just_so_many_words_is_one(self):
        load("It rained. " * (LEAST_WORDS // 2), least_words=LEAST_WORDS)
        with pytest.raises(BadField) as refused:
            load("It rained. " * (LEAST_WORDS // 2 - 1), slug="other", least_words=LEAST_WORDS)
        assert refused.value.field == "short"


class TestNotes:
    def test_they_are_set_aside_or_sentences(self):
        aside, kept = load().book, load(slug="noted", notes=True).book
        assert (aside.n_sentences, kept.n_sentences) == (3, 5)
        assert [kind for *_, kind in aside.left_out] == ["footnote"]
        assert kept.left_out == []

    def test_a_correction_goes_on_with_them(self):
        book = load(notes=True).book
        assert corrections.why_not(book) == ""
        made = corrections.correct(book, {book.text.index("It went"): "by hand"})
        assert (made.before, made.book.n_sentences) == (5, 4)
        assert [row["kind"] for row in made.book.read_as["set_aside"]] == ["by hand", "heading"]

    def test_the_same_text_with_the_other_choice_is_not_changed_silently(self):
        load()
        again = load(notes=True)
        assert not again.created
        assert again.remarks[-1] == "Not changed: the author's footnotes are set aside."


class TestSetAside:
    def test_it_is_named_longest_first(self):
        rows = set_aside(load().book)
        assert [(row.kind, row.number, row.longest) for row in rows] == [
            ("footnote", 1, 37),
            ("heading", 1, 9),
        ]
        assert rows[0].pieces == [(37, "[1] So says the almanac. It is wrong.")]

    def test_the_command_prints_it(self, quay_file):
        said = run("import_book", quay_file(TEXT.encode()), *COMMAND, "--short")
        assert said[1:] == [
            "Set aside 1 piece as footnote, the longest of 37 characters: "
            "[1] So says the almanac. It is wrong.",
            "Set aside 1 piece as heading, the longest of 9 characters: CHAPTER I",
        ]

    def test_the_preview_and_the_books_page_show_it(self, staff):
        for shown in (post(staff, TEXT, preview="1"), staff.get(load().book.get_absolute_url())):
            text = shown.content.decode()
            assert text.index("<li>footnote: 1, the longest of 37") < text.index(
                "<li>heading: 1, the longest of 9"
            )

    def test_what_is_the_authors_is_shown_in_its_place(self, staff):
        text = staff.get(load("5 May.\n\n" + TEXT).book.get_absolute_url()).content.decode()
        assert '<p class="set-aside" data-kind="dateline">' in text
        assert '<p class="set-aside" data-kind="footnote">' in text
        assert "Set aside: " not in text

    def test_the_page_of_parts_can_be_had_longest_first(self, staff):
        book = load().book
        address = reverse("retrieval:book_parts", args=[book.slug])
        plain_order = staff.get(address).content.decode()
        longest = staff.get(f"{address}?order=longest").content.decode()
        assert plain_order.index("CHAPTER I<") < plain_order.index("So says the almanac")
        assert longest.index("So says the almanac") < longest.index("CHAPTER I<")


class TestRules:
    def test_a_book_says_by_which_rules_it_was_read(self, staff):
        book = load().book
        assert book.read_as["rules"] == text_rules()
        assert text_rules() in staff.get(book.get_absolute_url()).content.decode()

    def test_a_book_of_older_rules_says_so(self, staff):
        book = load().book
        book.read_as["rules"] = "0.9+text.abc"
        book.save()
        text = staff.get(book.get_absolute_url()).content.decode()
        assert "0.9+text.abc</code>; today’s are" in text

    def test_the_api_gives_them(self, staff):
        load()
        reply = staff.get("/api/v1/books/quay/").json()["read_as"]
        assert reply["rules"] == text_rules()
        assert reply["set_aside"][0]["kind"] == "footnote"


class TestFormats:
    def test_what_the_markup_says_is_stored_and_kept_in_corrections(self):
        book = load(PAGE).book
        assert (
            book.text == "The lamps go out upon the quay\n\nIt rained upon the town.\n\nSo says the almanac."
        )
        assert book.marked == [[0, "heading"], [58, "footnote"]]
        assert (book.n_sentences, book.read_as["format"]) == (1, "HTML")
        assert corrections.why_not(book) == ""
        assert corrections.correct(book, {58: "prose"}).book.n_sentences == 2

    def test_a_source_in_html_is_stored_without_its_markup(self):
        source = import_source(PAGE.encode(), name="c.html", slug="c", citation="C 1911").source
        assert "<p>" not in source.text
        assert source.read_as["format"] == "HTML"

    def test_a_page_has_a_file_with_markup_read_in_another_process(self, staff, monkeypatch):
        begun = []

        class Child:
            def __init__(self, seconds, watch):
                begun.append(seconds)

            def __enter__(self):
                return here

            def __exit__(self, *_):
                return None

        monkeypatch.setattr(plain, "ChildProcess", Child)
        assert post(staff, PAGE, preview="1").status_code == 200
        assert post(staff, TEXT, preview="1").status_code == 200
        assert begun == [plain.LONGEST_REQUEST]

    @pytest.mark.services
    def test_that_process_reads_it(self, staff, children):
        assert post(staff, PAGE).status_code == 302
        assert Book.objects.get().n_sentences == 1
        assert len(children) == 1

    @pytest.mark.parametrize("error", [plain.TimeLimitReached(), plain.ChildDied("It was killed.")])
    def test_a_process_that_does_not_come_back_is_a_refusal(self, error):
        def act():
            with plain.computing(PAGE.encode(), "p.html"):
                raise error

        with pytest.raises(BadInput, match=r"p\.html .*nothing was stored"):
            act()

    def test_a_format_that_is_not_read_is_refused_beside_the_file(self, staff):
        refused = post(staff, b"%PDF-1.7 ...")
        assert "is a PDF" in refused.context["form"].errors["file"][0]
