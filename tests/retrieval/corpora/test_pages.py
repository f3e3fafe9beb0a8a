"""Pages about corpora and topics: what they show, how a document is found, how a topic is changed."""

import re

import pytest
from django.conf import settings
from django.urls import reverse

from retrieval.corpora.models import Corpus, Document, Run, State, TopicVersion
from tests import builders
from tests.retrieval.corpora.conftest import document, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def there():
    return builders.collection()


@pytest.fixture
def dora(client):
    client.force_login(builders.researcher("Dora"))
    return client


def page(client, name, *args, **query):
    return client.get(reverse(f"corpora:{name}", args=args), query)


def test_the_list_shows_what_can_be_searched_and_what_is_being_loaded(there, dora):
    Corpus.objects.create(slug="half", title="Half a corpus")
    shown = page(dora, "corpora").text
    assert "Quays" in shown
    assert "Boats" in shown
    assert "being loaded" in shown
    assert reverse("corpora:corpus", args=["half"]) not in shown


@pytest.mark.parametrize("last", ["load", "questions", "rerank", "by-heart"])
def test_pages_of_a_corpus_stand_under_its_tab(there, client, last):
    client.force_login(builders.person("Stan", is_staff=True))
    said = client.get(f"/corpora/quays/{last}/").text
    assert 'aria-current="true">Corpora<' in said
    if last == "by-heart":
        assert "import_qrels" not in said


def test_a_corpus_that_is_being_loaded_has_no_page(there, dora):
    Corpus.objects.update(state=State.LOADING)
    assert page(dora, "corpus", "quays").status_code == 404
    assert page(dora, "document", "quays", 1).status_code == 404


def test_documents_are_filtered_by_genre_and_found_by_id(there, dora):
    fiction = page(dora, "corpus", "quays", genre="fiction").context["page"]
    assert [each.external_id for each in fiction] == ["quay-2", "quay-4"]
    found = page(dora, "corpus", "quays", id=" quay-3 ")
    assert found.url == reverse("corpora:document", args=["quays", 3])
    assert "has the id “quay-9”" in page(dora, "corpus", "quays", id="quay-9").text


def test_documents_stand_below_a_form_that_is_laid_out_with_their_titles_told_from_their_texts(there, dora):
    Document.objects.filter(corpus__slug="quays", number=0).update(title="The first quay")
    shown = page(dora, "corpus", "quays").text
    # A class that no style sheet knows puts the fields one below the other, each as wide as the page.
    rules = (settings.BASE_DIR / "retrieval/static/retrieval/library.css").read_text(encoding="utf-8")
    (form,) = re.findall(r'<form class="(\w+)" method="get" action="#documents"', shown)
    assert f".{form} {{ display: flex" in rules
    assert "<cite>The first quay</cite>" in shown


def test_a_document_leads_to_its_neighbours(there, dora):
    first, last = page(dora, "document", "quays", 1).context, page(dora, "document", "quays", 4).context
    assert (first["earlier"], first["later"]) == ("", reverse("corpora:document", args=["quays", 2]))
    assert last["later"] == ""
    assert page(dora, "document", "quays", 5).status_code == 404


def test_a_changed_topic_keeps_every_wording_with_who_and_why(there, dora):
    address = reverse("corpora:topic", args=["boats", 1])
    said = {"title": "boats that are late", "narrative": "Any boat.\r\nNo ship.", "why": "Ships crept in."}
    assert dora.post(address, said).url == address
    newest = TopicVersion.objects.order_by("-version").first()
    assert (newest.version, newest.by.first_name, newest.narrative) == (3, "Dora", "Any boat.\nNo ship.")
    assert newest.facets == {"specificity": "broad"}
    shown = dora.get(address).text
    assert shown.index("boats that are late") < shown.index("Too short.")
    assert "Ships crept in." in shown


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            {
                "title": "late boats",
                "narrative": "Any boat.",
                "description": "When do the boats go out?",
                "why": "None.",
            },
            "already says this",
        ),
        ({"title": "", "why": "Emptied."}, "This field is required"),
        ({"title": "new", "why": " "}, "This field is required"),
    ],
)
def test_a_change_that_says_nothing_is_refused_beside_its_field(there, dora, said, sentence):
    answer = dora.post(reverse("corpora:topic", args=["boats", 1]), said)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert TopicVersion.objects.count() == 2


def test_names_of_a_file_that_mean_something_to_python_are_shown_as_others(dora, written):
    said("import_corpus", written("a.jsonl", document(1, items=3, keys=["x"])), "--slug", "quay")
    topic = {"id": "t", "title": "fog", "facets": {"values": "early", "subset": "late"}}
    said("import_topics", written("t.jsonl", topic), "--slug", "fog")
    assert "<dt>items</dt><dd>3</dd>" in page(dora, "document", "quay", 1).text
    for shown in (page(dora, "topics", "fog"), page(dora, "topic", "fog", 1)):
        assert "early" in shown.text
        assert "late" in shown.text


def test_a_page_of_many_topics_reads_no_more_than_it_shows(dora, written, monkeypatch):
    said("import_topics", written("t.tsv", *(f"t{n}\tfog {n}" for n in range(120))), "--slug", "fog")
    made = []
    from_db = TopicVersion.from_db.__func__
    monkeypatch.setattr(
        TopicVersion, "from_db", classmethod(lambda cls, *row: made.append(1) or from_db(cls, *row))
    )
    shown = page(dora, "topics", "fog", page=2).context["page"]
    assert shown.paginator.count == 120
    assert len(made) <= shown.paginator.per_page


def test_a_run_is_shown_with_where_it_searched_and_what_was_noticed(there, dora, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    of = ("--corpus", "quays", "--topics", "boats")
    said("search_corpus", *of, "--name", "fed", "--genre", "fiction", "--feedback", "all")
    run = Run.objects.get(name="fed")
    Run.objects.filter(pk=run.pk).update(notes=["Something was noticed."])
    shown = page(dora, "run", "quays", "fed").text
    assert "Searched: fiction. Feedback: all. Something was noticed." in shown
    listed = page(dora, "corpus", "quays").text
    assert "Searched: fiction. Feedback: all." in listed
    assert "Something was noticed." not in listed


def test_the_title_of_a_document_is_in_its_language_and_a_long_topic_is_cut_in_the_list(dora, written):
    said("import_corpus", written("a.jsonl", document(1, language="he")), "--slug", "quay")
    said("import_topics", written("t.tsv", f"t\t{'fog ' * 1_000}"), "--slug", "fog")
    assert '<h1 lang="he" dir="auto">Title 1</h1>' in page(dora, "document", "quay", 1).text
    assert page(dora, "topics", "fog").text.count("fog ") < 100


def test_documents_are_counted_and_filtered_by_genre_language_and_year(dora, written):
    rows = (
        document(1, genre="items", year=1813, language="en"),
        document(2, genre="verse", year=1816, language="en"),
        document(3, genre="verse", year=1907, language="fr"),
        document(4, genre="verse"),
    )
    said("import_corpus", written("a.jsonl", *rows), "--slug", "quay")
    answer = page(dora, "corpus", "quay", genre="verse", **{"from": "1814", "to": "1910"})
    assert [each.external_id for each in answer.context["page"]] == ["d2", "d3"]
    assert answer.context["spread"].genres == [("items", 1), ("verse", 3)]
    assert answer.context["spread"].languages == [("", 1), ("en", 2), ("fr", 1)]
    assert answer.context["spread"].years == [("1813", 1), ("1816", 1), ("1907", 1)]
    assert "2 of 4 documents" in answer.text
    # Regions that one tells apart by their names.
    for each in ("genre", "language", "year"):
        assert f'aria-label="Documents by {each}"' in answer.text
    assert 'value="1814"' in answer.text
    (french,) = page(dora, "corpus", "quay", language="fr").context["page"]
    assert french.external_id == "d3"


def test_many_years_are_counted_by_decade(dora, written):
    rows = (document(n, year=1790 + n) for n in range(1, 31))
    said("import_corpus", written("a.jsonl", *rows), "--slug", "quay")
    years = page(dora, "corpus", "quay").context["spread"].years
    assert years == [("1790–1799", 9), ("1800–1809", 10), ("1810–1819", 10), ("1820–1829", 1)]


def test_the_ways_to_the_neighbours_say_their_keys(there, dora):
    shown = page(dora, "document", "quays", 2).text
    assert 'rel="prev" href="/corpora/quays/documents/1/" aria-keyshortcuts="["' in shown
    assert 'rel="next" href="/corpora/quays/documents/3/" aria-keyshortcuts="]"' in shown


class TestRunsAndPools:
    @pytest.fixture(autouse=True)
    def judged(self):
        builders.judged_collection()

    def test_a_run_shows_its_first_documents_with_their_grades_and_its_holes(self, dora):
        answer = page(dora, "run", "quays", "bm25")
        assert (answer.text.count("unjudged</span>"), answer.text.count(">grade ")) == (2, 6)
        (row,) = answer.context["holes"].rows
        assert [cell.value for cell in row.cells] == ["experts", 6, 2, 0.75]
        assert page(dora, "run", "quays", "none").status_code == 404

    def test_a_run_is_given_as_the_command_writes_it(self, dora):
        answer = page(dora, "run", "quays", "bm25", format="trec")
        assert b"".join(answer.streaming_content).decode() == said("export_run", "bm25", "--corpus", "quays")
        assert 'filename="quays-bm25.run"' in answer["Content-Disposition"]

    def test_a_pool_says_what_each_run_gave_and_what_is_not_judged(self, dora):
        answer = page(dora, "pool", "quays", "boats", 1)
        (row,) = answer.context["holes"].rows
        assert [cell.value for cell in row.cells] == ["experts", 3, 1, 0.75]
        assert [cell.value for cell in answer.context["gave"].rows[0].cells] == ["bm25", 4, 4]
        assert page(dora, "pool", "quays", "boats", 2).status_code == 404
        assert "1 topic without a document in this pool: 2." in answer.text


def test_a_corpus_says_what_was_left_out(written, dora):
    file = written("quay.jsonl", document(1), {"id": "e", "text": ""})
    said("import_corpus", file, "--slug", "quay", "--leave-out-empty")
    shown = page(dora, "corpus", "quay").text
    assert "1 of the file had neither title nor text and was left out (line 2)" in shown
