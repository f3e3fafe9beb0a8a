"""Sources on pages: import, the text with its quotations, finding them, RELiC's file."""

import json
import re
from inspect import isfunction

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from retrieval.engine.quotations import alignment, cleaning, finding
from retrieval.engine.text import languages, layout, reading
from retrieval.engine.text import sentences as text
from retrieval.jobs import child_process
from retrieval.models import Book, Excerpt, LoadingJob, Source, Status
from tests import builders

pytestmark = pytest.mark.django_db

ESSAY = "He went down to the sea, and so did everybody.\n\n“Just so,” says the schoolmaster.\n"
FACTS = {"slug": "ansley", "citation": "Ansley 1958", "language": "en"}


@pytest.fixture
def staff(as_user, stan):
    return as_user(stan)


class TestImport:
    def test_preview_then_import(self, staff):
        preview = staff.post("/sources/import/", {**FACTS, "pasted": ESSAY, "preview": "1"}).content.decode()
        assert "<p>He went down to the sea, and so did everybody.</p>" in preview
        assert not Source.objects.exists()
        response = staff.post("/sources/import/", {**FACTS, "pasted": ESSAY})
        assert response["Location"] == Source.objects.get().get_absolute_url()

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"citation": ""}, "citation"),
            ({"pasted": "  "}, "file"),
            ({"slug": "ä"}, "slug"),
            ({"language": "?"}, "language"),
        ],
    )
    def test_bad_input_is_said_beside_its_field(self, staff, changes, field):
        response = staff.post("/sources/import/", {**FACTS, "pasted": ESSAY, **changes})
        assert response.status_code == 422
        assert list(response.context["form"].errors) == [field]
        assert not Source.objects.exists()


class TestReading:
    def test_quotations_are_marked_and_lead_to_their_excerpts(self, staff):
        source = builders.source(text="One says “the sea” and more.\n\nThen & again “the town” it ends.")
        book = builders.book()
        places = [(10, 17), (38, 58)]
        keys = []
        for number, (start, end) in enumerate(places):
            excerpt = builders.excerpt(book, source, first=3 + number)
            excerpt.start, excerpt.end = start, end
            excerpt.save()
            keys.append(excerpt.pk)
        text = staff.get(source.get_absolute_url()).content.decode()
        marks = re.findall(r'<a href="/excerpts/(\d+)/" id="q(\d+)"[^>]*><mark>(.*?)</mark></a>', text)
        wanted = [source.text[start:end].replace("&", "&amp;") for start, end in places]
        assert marks == [(str(key), str(key), words) for key, words in zip(keys, wanted, strict=True)]
        plain = re.sub("<[^>]+>", "", re.search(r"<article.*?>(.*)</article>", text, re.DOTALL)[1])
        assert plain.split() == source.text.replace("&", "&amp;").split()

    def test_an_excerpt_opens_its_leaf(self, staff):
        text = "\n\n".join(f"Paragraph {number} of a long book about books." for number in range(2000))
        source = builders.source(text=text)
        excerpt = builders.excerpt(builders.book(), source)
        excerpt.start = text.index("Paragraph 1500")
        excerpt.end = excerpt.start + 14
        excerpt.save()
        response = staff.get(f"{source.get_absolute_url()}?excerpt={excerpt.pk}")
        assert "<mark>Paragraph 1500</mark>" in response.content.decode()
        assert response.context["page"].number > 1

    def test_without_a_text(self, staff):
        source = builders.source(text="")
        assert "There is no text to read" in staff.get(source.get_absolute_url()).content.decode()


class TestFinding:
    """What the job that it leads to shows is in test_pages_loading.py."""

    def test_who_presses_find_waits_for_nothing_of_the_engine(self, staff, quay, critic, monkeypatch):
        """No function that reads a text is called in the request, nor a process begun for one."""

        def called(*given, **named):
            raise AssertionError("the request computes")

        for module in (finding, text, reading, languages, layout, cleaning, alignment):
            for name, function in vars(module).items():
                if isfunction(function):
                    monkeypatch.setattr(module, name, called)
        monkeypatch.setattr(child_process.ChildProcess, "__init__", called)
        url = reverse("retrieval:find_excerpts", args=[critic.slug])
        assert staff.get(url).status_code == 200
        response = staff.post(url, {"book": "quay"})
        job = LoadingJob.objects.get()
        assert (response.status_code, response["Location"]) == (302, job.get_absolute_url())
        assert (job.book, job.source, job.status) == (quay, critic, Status.QUEUED)
        assert staff.post(url, {"book": "quay"})["Location"] == job.get_absolute_url()
        assert LoadingJob.objects.count() == 1

    def test_what_cannot_be_compared_is_said_beside_the_book(self, staff, quay):
        source = builders.source("bare", "Bare 1900", "")
        response = staff.post(reverse("retrieval:find_excerpts", args=[source.slug]), {"book": "quay"})
        assert response.status_code == 422
        assert "has no text to look for quotations in" in response.context["form"].errors["book"][0]
        assert not LoadingJob.objects.exists()

    @pytest.mark.parametrize("book", ["", "unknown"])
    def test_no_such_book(self, staff, book):
        source = builders.source()
        response = staff.post(reverse("retrieval:find_excerpts", args=[source.slug]), {"book": book})
        assert response.status_code == 422
        assert list(response.context["form"].errors) == ["book"]


class TestRelic:
    def post(self, staff, data):
        file = SimpleUploadedFile(
            "relic.json", data if isinstance(data, bytes) else json.dumps(data).encode()
        )
        return staff.post("/relic/import/", {"file": file, "author": "E. W."})

    def file(self):
        sentences = [f"Sentence {number} of the book." for number in range(8)]
        quote = [["He says."], 3, 1, ["So he says."]]
        return {
            "ethan_frome": {
                "quotes": {"q1": quote},
                "sentences": sentences,
                "candidates": {f"{size}_sentence": [*range(9 - size)] for size in range(1, 6)},
            }
        }

    def test_import_and_again(self, staff):
        assert self.post(staff, self.file()).context["imported"][0].new == 1
        again = self.post(staff, self.file()).context["imported"][0]
        assert (again.new, again.known) == (0, 1)
        assert staff.get(reverse("retrieval:excerpt", args=[Excerpt.objects.get().pk])).status_code == 200

    @pytest.mark.parametrize(
        ("change", "named"),
        [
            (lambda f: f["ethan_frome"].pop("quotes"), "quotes"),
            (lambda f: f["ethan_frome"]["quotes"]["q1"].__setitem__(1, 99), "q1"),
            (lambda f: f["ethan_frome"].__setitem__("sentences", "no list"), "sentences"),
        ],
    )
    def test_malformed_is_one_sentence_that_names_the_place(self, staff, change, named):
        data = self.file()
        change(data)
        response = self.post(staff, data)
        assert response.status_code == 422
        [sentence] = response.context["form"].errors["file"]
        assert named in sentence
        assert "relic.json" in sentence
        assert not Book.objects.exists()

    def test_no_json(self, staff):
        assert "relic.json" in self.post(staff, b"{").context["form"].errors["file"][0]
