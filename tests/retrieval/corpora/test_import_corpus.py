"""A corpus is loaded whole or not at all, and goes on where it was interrupted."""

import gzip
import json
import os
from pathlib import Path

import pytest
from django.core.management import CommandError

from common.errors import BadInput
from retrieval.corpora.loading import files, staging
from retrieval.corpora.models import Corpus, Document, State
from tests.retrieval.corpora.conftest import document, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(staging, "BATCH", 3)


def facts(slug="quay"):
    return {"slug": slug, "title": "The quay", "language": "en", "source": "", "licence": ""}


def test_the_command_loads_every_document_in_order(written):
    file = written(
        "quay.jsonl",
        document(1, genre="fiction", year=1850, source="q"),
        document(2, note="x"),
        "",
        document(3),
    )
    out = said("import_corpus", file, "--slug", "quay", "--title", "The quay", "--licence", "CC0")
    assert out == 'Loaded: "quay" (The quay), 3 documents, 27 words.\n'
    corpus = Corpus.objects.ready().get()
    assert (corpus.licence, corpus.recipe) == ("CC0", {"format": "jsonl", "name": "quay.jsonl"})
    one, two, three = corpus.documents.all()
    assert [each.number for each in (one, two, three)] == [0, 1, 2]
    assert (one.external_id, one.genre, one.year, one.source_key) == ("d1", "fiction", 1850, "q")
    assert (two.extra, three.text) == ({"note": "x"}, "The quay at hour 3 was wet and loud.")


def test_loading_again_adds_nothing_and_other_documents_need_another_slug(written):
    file = written("quay.jsonl", document(1))
    said("import_corpus", file, "--slug", "quay")
    assert said("import_corpus", file, "--slug", "quay").startswith('Known: "quay"')
    with pytest.raises(CommandError, match="loaded already with other documents"):
        said("import_corpus", written("other.jsonl", document(2)), "--slug", "quay")
    assert Document.objects.count() == 1


def test_equal_texts_are_counted_and_kept(written):
    file = written("quay.jsonl", document(1), document(1) | {"id": "again"}, document(2))
    assert "1 document with title and text of an earlier one" in said("import_corpus", file, "--slug", "quay")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ((document(1), document(2), "{"), "quay.jsonl, line 3: no JSON"),
        ((document(1), document(1)), "line 2: the id 'd1' is given twice; first on line 1"),
        (
            (*map(document, range(5)), document(0)),
            "line 6: the id 'd0' is given twice; it is the file's document 1 already",
        ),
        ((*map(document, range(7)), {"id": "x"}), 'line 8: "text" is missing'),
        (
            (document(1), {"id": "x", "text": ""}),
            "line 2: the document has neither title nor text; give it one",
        ),
        ((), "quay.jsonl holds no document"),
    ],
)
def test_what_is_wrong_leaves_nothing_behind(written, small_batches, rows, sentence):
    with pytest.raises(CommandError) as refused:
        said("import_corpus", written("quay.jsonl", *rows), "--slug", "quay")
    assert sentence in str(refused.value)
    assert (Corpus.objects.count(), Document.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("q.tsv", b"a\tb\tc\n", "q.tsv, line 1: 3 columns between tabs"),
        ("q.tsv", b"id\ttitle\n1\tx\n", "q.tsv, line 1: the head needs the column text"),
        ("q.tsv.gz", b"id\ttext\n", "q.tsv.gz is not a whole gzip file"),
        (
            "q.jsonl",
            b"version https://git-lfs.github.com/spec/v1\n",
            "q.jsonl is no data but a Git-LFS pointer",
        ),
    ],
)
def test_a_file_that_is_wrong_from_its_first_line_leaves_its_name_free(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CommandError) as refused:
        said("import_corpus", tmp_path / name, "--slug", "quay")
    assert sentence in str(refused.value)
    assert not Corpus.objects.exists()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--slug", "two words"), "slug"),
        (("--slug", "q", "--language", "English language"), "is not a tag"),
        (("--slug", "q", "--title", "a\nb"), "one line of printable text"),
        (("--slug", "q", "--texts", "fiction:x"), "Give either a file or --texts"),
    ],
)
def test_wrong_facts_are_named(written, more, sentence):
    with pytest.raises(CommandError) as refused:
        said("import_corpus", written("quay.jsonl", document(1)), *more)
    assert sentence in str(refused.value)
    assert not Corpus.objects.exists()


@pytest.mark.parametrize("packed", [False, True])
def test_an_interrupted_loading_goes_on_behind_its_last_batch(written, small_batches, packed):
    file = written("quay.jsonl", *map(document, range(11)))
    if packed:
        file.with_suffix(".jsonl.gz").write_bytes(gzip.compress(file.read_bytes()))
        file = file.with_suffix(".jsonl.gz")

    def stop(done, total, stage):
        if "6 documents" in stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.load(Path(file), facts(), stop)
    staged = Corpus.objects.get()
    assert (staged.state, staged.n_documents, staged.read_lines) == (State.LOADING, 6, 6)
    assert not Corpus.objects.ready().exists()
    loaded = files.load(Path(file), facts())
    assert loaded.corpus.pk == staged.pk
    assert [each.external_id for each in loaded.corpus.documents.all()] == [f"d{n}" for n in range(11)]
    assert (loaded.corpus.n_documents, loaded.corpus.n_words) == (11, 99)
    assert loaded.corpus.state == State.READY


def test_what_is_staged_of_another_file_is_told_and_can_be_removed(written, small_batches):
    corpus = Corpus.objects.create(**facts(), recipe={"name": "a.jsonl"}, sha256="0")
    staging._store(corpus, [(each, staging.Place()) for each in read(2)])
    file = written("quay.jsonl", document(1))
    with pytest.raises(CommandError, match=r"being loaded from a\.jsonl, and 2 of its documents are staged"):
        said("import_corpus", file, "--slug", "quay")
    assert said("import_corpus", "--slug", "quay", "--discard") == "Removed: 2 staged documents.\n"
    with pytest.raises(CommandError, match='No corpus "quay" is being loaded'):
        said("import_corpus", "--slug", "quay", "--discard")
    assert said("import_corpus", file, "--slug", "quay").startswith("Loaded")


def read(n):
    from retrieval.engine.interchange.documents import ReadDocument

    return [ReadDocument(f"s{i}", "", "text", "", None, "", "", {}, i, i, i) for i in range(1, n + 1)]


def test_of_two_who_load_the_same_one_is_told_and_what_the_other_staged_stays():
    corpus = Corpus.objects.create(**facts(), recipe={"name": "a.jsonl"}, sha256="0")
    staging.stage(Corpus.objects.get(), [(each, staging.Place()) for each in read(2)], lambda stored: None)
    with pytest.raises(BadInput, match="by somebody else too"):
        staging.stage(corpus, [(each, staging.Place()) for each in read(2)], lambda stored: None)
    assert Document.objects.count() == 2


def test_a_folder_of_beir_is_read(written, tmp_path):
    written("beir/corpus.jsonl", {"_id": 1, "title": "", "text": "gin", "metadata": {}})
    assert "1 document" in said("import_corpus", tmp_path / "beir", "--slug", "beir")
    with pytest.raises(CommandError, match=r"holds no corpus\.jsonl"):
        said("import_corpus", tmp_path, "--slug", "other")


def test_a_document_never_changes(written):
    said("import_corpus", written("quay.jsonl", document(1)), "--slug", "quay")
    stored = Document.objects.get()
    stored.title = "Other"
    with pytest.raises(ValueError, match="never changes"):
        stored.save()


def test_neighbours_are_documents_of_the_same_text(written):
    rows = [document(n, source=source) for n, source in enumerate("aab")]
    said("import_corpus", written("quay.jsonl", *rows, document(9)), "--slug", "quay")
    first, second, _, fourth = Document.objects.all()
    assert first.neighbour(1) == second
    assert (second.neighbour(-1), second.neighbour(1)) == (first, None)
    assert fourth.neighbour(-1) is None


def test_a_packed_file_that_is_not_whole_leaves_nothing_staged(tmp_path):
    rows = "".join(json.dumps(document(n)) + "\n" for n in range(50)).encode()
    file = tmp_path / "quay.jsonl.gz"
    file.write_bytes(gzip.compress(rows)[:-20])
    with pytest.raises(CommandError, match="not a whole gzip file"):
        said("import_corpus", file, "--slug", "quay")
    assert not Corpus.objects.exists()


@pytest.mark.parametrize("command", ["import_corpus", "import_topics"])
def test_a_file_that_is_not_there_is_named(tmp_path, command):
    with pytest.raises(CommandError, match=r"nowhere\.jsonl cannot be read: No such file or directory\.$"):
        said(command, tmp_path / "nowhere.jsonl", "--slug", "quay")


@pytest.mark.parametrize("command", ["import_corpus", "import_topics"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, command):
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(CommandError, match=r"pipe\.jsonl cannot be read: it is a pipe or a device"):
        said(command, tmp_path / "pipe.jsonl", "--slug", "quay")


def test_a_name_that_is_no_utf_8_is_stored_and_told_in_printable_characters(tmp_path):
    file = tmp_path / os.fsdecode(b"qu\xffay.jsonl")
    file.write_text(json.dumps(document(1)))
    said("import_corpus", file, "--slug", "quay")
    assert Corpus.objects.get().recipe["name"] == r"qu\udcffay.jsonl"


def test_who_begins_the_same_corpus_in_the_same_moment_is_told(written, monkeypatch):
    file = written("quay.jsonl", document(1))
    look = staging.check_language

    def meanwhile(language):
        look(language)
        if not Corpus.objects.exists():
            Corpus.objects.create(slug="quay", title="x", state=State.LOADING)
            monkeypatch.setattr(Corpus.objects, "filter", lambda **wanted: Corpus.objects.none())

    monkeypatch.setattr(staging, "check_language", meanwhile)
    with pytest.raises(CommandError, match="being loaded by somebody else too"):
        said("import_corpus", file, "--slug", "quay")


def test_sentences_are_for_texts_and_not_for_a_file(written):
    with pytest.raises(CommandError, match="--sentences cuts stored texts"):
        said("import_corpus", written("quay.jsonl", document(1)), "--slug", "quay", "--sentences=3")


@pytest.mark.parametrize("stopped_at", [None, "2 documents", "4 documents"])
def test_empty_documents_are_left_out_if_asked_and_their_lines_told(written, small_batches, stopped_at):
    empty = [{"id": f"e{n}", "text": None} for n in range(25)]
    file = written("quay.jsonl", document(1), empty[0], document(2), *empty[1:], document(3), document(4))

    def stop(done, total, stage):
        if stopped_at and stopped_at in stage:
            raise KeyboardInterrupt

    if stopped_at:
        with pytest.raises(KeyboardInterrupt):
            files.load(Path(file), facts(), stop, leave_out_empty=True)
    out = said("import_corpus", file, "--slug", "quay", "--leave-out-empty")
    assert "4 documents" in out
    assert "25 documents without title and text left out (line 2, 4, 5, " in out
    assert " 22 and later)" in out
    assert list(Document.objects.values_list("number", "external_id")) == [(n, f"d{n + 1}") for n in range(4)]


def test_an_interrupted_table_keeps_the_columns_of_its_head(written, small_batches):
    file = written("quay.tsv", "docid\ttitle\tbody", *(f"d{n}\tTitle {n}\tText {n}" for n in range(8)))

    def stop(done, total, stage):
        if "3 documents" in stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.load(Path(file), facts(), stop)
    assert "8 documents" in said("import_corpus", file, "--slug", "quay")
    assert Document.objects.get(number=7).title == "Title 7"


def test_a_long_title_fits(written):
    title = "Of gin " * 200
    said("import_corpus", written("quay.jsonl", document(1, title=title)), "--slug", "quay")
    assert Document.objects.get().title == title
