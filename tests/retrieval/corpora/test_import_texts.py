"""A corpus cut from books and sources that are here."""

import pytest
from django.core.management import CommandError

from retrieval.corpora.loading import staging, texts
from retrieval.corpora.models import Corpus, Document
from retrieval.curating import dependents
from retrieval.loading import import_book, import_source
from retrieval.models import Book
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db

NOVEL = """CHAPTER I

The quay was wet. The boats were late.

Nobody spoke for an hour.

CHAPTER II

Then the lamps were lit. One boat came in. It was empty.
"""
ESSAY = """The quay of the novel is a stage. It is never dry.

Its boats are late because its people are.
"""


@pytest.fixture
def library():
    facts = {"slug": "quay", "title": "The Quay", "author": "A. Writer", "year": 1850}
    import_book(NOVEL.encode(), name="quay.txt", least_words=0, **facts)
    import_source(ESSAY.encode(), name="essay.txt", slug="essay", citation="Critic 1900")


def cut(**options):
    given = [f"--{name}={value}" for name, value in options.items()]
    return said("import_corpus", "--slug", "both", "--texts", "fiction:quay", "criticism:essay", *given)


def test_paragraphs_are_documents_and_headings_are_none(library):
    assert cut().startswith('Loaded: "both" (both), 5 documents')
    rows = [(each.external_id, each.genre, each.text) for each in Document.objects.all()]
    assert rows == [
        ("quay-1", "fiction", "The quay was wet. The boats were late."),
        ("quay-2", "fiction", "Nobody spoke for an hour."),
        ("quay-3", "fiction", "Then the lamps were lit. One boat came in. It was empty."),
        ("essay-1", "criticism", "The quay of the novel is a stage. It is never dry."),
        ("essay-2", "criticism", "Its boats are late because its people are."),
    ]


def test_some_sentences_are_a_document_that_no_heading_parts(library):
    cut(sentences=2)
    found = Document.objects.filter(genre="fiction")
    assert [each.text for each in found] == [
        "The quay was wet. The boats were late.",
        "Nobody spoke for an hour.",
        "Then the lamps were lit. One boat came in.",
        "It was empty.",
    ]
    assert {(each.title, each.year, each.source_key) for each in found} == {("", 1850, "quay")}
    assert all(each.book.text[each.start : each.end] == each.text for each in found)


def test_an_interrupted_cut_goes_on(library, monkeypatch):
    monkeypatch.setattr(staging, "BATCH", 1)
    store = staging._store

    def stop(corpus, batch):
        if corpus.n_documents == 2:
            raise KeyboardInterrupt
        store(corpus, batch)

    monkeypatch.setattr(staging, "_store", stop)
    with pytest.raises(CommandError, match="Stopped"):
        cut()
    monkeypatch.setattr(staging, "_store", store)
    assert Document.objects.count() == 2
    assert cut().startswith("Loaded")
    assert [each.number for each in Document.objects.all()] == [0, 1, 2, 3, 4]
    assert cut().startswith("Known")


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        (["fiction:none"], 'No book or source "none" with a text is here'),
        (["fiction:quay,quay"], 'The text "quay" is chosen twice'),
        (["quay"], "a genre, a colon and slugs were expected"),
        (["fiction:quay", "--sentences=51"], "1 to 50 sentences, not 51"),
    ],
)
def test_a_wrong_choice_is_named(library, groups, sentence):
    with pytest.raises(CommandError) as refused:
        said("import_corpus", "--slug", "both", "--texts", *groups)
    assert sentence in str(refused.value)
    assert not Corpus.objects.exists()


def test_together_the_documents_hold_every_sentence_once():
    text, bounds = "A. B.\n\nC. [1] D.", [(0, 2), (3, 5), (7, 9), (14, 16)]
    assert list(texts.cut(text, bounds, texts.PARAGRAPHS)) == [(0, 5), (7, 9), (14, 16)]
    assert list(texts.cut(text, bounds, 3)) == [(0, 9), (14, 16)]
    assert list(texts.cut(text, bounds, 1)) == bounds


def test_a_book_is_not_deleted_while_a_corpus_stands_on_it(library):
    cut()
    book = Book.objects.get()
    assert [each.words for each in dependents.dependents(book)] == ["corpus “both”"]


def test_marks_of_pages_and_notes_in_a_source_are_no_words_of_a_document(library):
    essay = "The quay {22} is wet.[3] {23}\n\n[p. 24] It is cold[*] and loud {25}; that is all."
    import_source(essay.encode(), name="marks.txt", slug="marks", citation="Critic 1901")
    said("import_corpus", "--slug", "m", "--texts", "criticism:marks")
    found = [each.text for each in Document.objects.filter(corpus__slug="m")]
    assert found == ["The quay is wet.", "It is cold and loud; that is all."]
