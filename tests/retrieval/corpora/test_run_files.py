"""Runs and qrels loaded from files and written to files."""

import os

import pytest
from django.core.management import CommandError

from retrieval.corpora.models import Corpus, Grade, Qrels, Ranked, Run, State
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db

ROWS = ("t1 Q0 d2 1 3.5 bm25", "t1 Q0 d1 2 1.5 bm25", "t1 Q0 d3 3 1.5 bm25", "t2 Q0 d5 1 -2 bm25")
OF = ("--corpus", "quay", "--topics", "boats")


def load(written, *rows, **more):
    given = [f"--{name}={value}" for name, value in more.items()]
    return said("import_run", written("a.run", *rows), *OF, *given)


def test_a_run_is_loaded_in_the_order_of_trec_eval(quay, written):
    out = load(written, *ROWS)
    assert out.startswith('Loaded: "bm25", 4 rows, at most 3 documents a topic.\n')
    assert "1 document tied with the one before" in out
    rows = Ranked.objects.values_list("topic__topic__external_id", "rank", "document__external_id", "score")
    assert list(rows.order_by("topic", "rank")) == [
        ("t1", 1, "d2", 3.5),
        ("t1", 2, "d3", 1.5),
        ("t1", 3, "d1", 1.5),
        ("t2", 1, "d5", -2.0),
    ]
    assert load(written, *ROWS).startswith('Known: "bm25"')
    assert Run.objects.get().depth == 3


def test_what_is_written_is_read_again_in_the_same_order(quay, written, tmp_path):
    load(written, *ROWS)
    said("export_run", "bm25", "--corpus", "quay", "--output", str(tmp_path / "out.run"))
    lines = (tmp_path / "out.run").read_text().splitlines()
    assert [line.split()[:4] for line in lines] == [
        ["t1", "Q0", "d2", "1"],
        ["t1", "Q0", "d3", "2"],
        ["t1", "Q0", "d1", "3"],
        ["t2", "Q0", "d5", "1"],
    ]
    assert said("export_run", "bm25", "--corpus", "quay").splitlines() == lines
    assert said("import_run", str(tmp_path / "out.run"), *OF, "--name", "again").count("tied") == 0
    with pytest.raises(CommandError, match="cannot be written"):
        said("export_run", "bm25", "--corpus", "quay", "--output", str(tmp_path / "none" / "out.run"))


def test_topics_without_documents_and_ranks_that_contradict_are_told(quay, written):
    out = load(written, "t1 Q0 d1 2 3 x", "t1 Q0 d2 1 2 x")
    assert "In 1 topic the ranks contradict the scores; the scores hold." in out
    assert "1 topic of the set has no document in it" in out


@pytest.mark.parametrize(
    ("rows", "more", "sentence"),
    [
        (("t1 Q0 d1 1 1 x", "t1 Q0 d9 2 0 x"), {}, "a.run, line 2: the document 'd9' is not in the corpus"),
        (("t1 Q0 d1 1 1 x", "t9 Q0 d1 1 1 x"), {}, "a.run, line 2: the topic 't9' is not among the topics"),
        (("t1 Q0 d1 1 1 x", "t1 Q0 d1 2 0 x"), {}, "line 2: d1 is ranked twice"),
        (("t1 Q0 d1 1 1 x",), {"name": "two words"}, "The name is not valid"),
    ],
)
def test_what_is_wrong_leaves_nothing_behind(quay, written, rows, more, sentence):
    with pytest.raises(CommandError) as refused:
        load(written, *rows, **more)
    assert sentence in str(refused.value)
    assert not Run.objects.exists()


def test_another_run_needs_another_name(quay, written):
    load(written, *ROWS)
    with pytest.raises(CommandError, match="has another 'bm25'; choose another name"):
        load(written, *ROWS[:2])
    load(written, *ROWS[:2], name="other")
    with pytest.raises(CommandError, match='has no run "none"; it has: bm25, other'):
        said("export_run", "none", "--corpus", "quay")


def test_a_corpus_that_is_being_loaded_has_no_runs_yet(quay, written):
    Corpus.objects.update(state=State.LOADING)
    with pytest.raises(CommandError, match="is not loaded to its end"):
        load(written, *ROWS)


def test_qrels_are_loaded_whole(quay, written):
    file = written("a.qrels", "t1 0 d1 2", "t1 0 d2 -1", "t2 0 d1 0")
    out = said("import_qrels", file, *OF, "--name", "experts", "--source", "Two readers")
    assert out == 'Loaded: "experts", 3 judgments of 2 topics.\n'
    assert said("import_qrels", file, *OF, "--name", "experts").startswith("Known")
    rows = Grade.objects.order_by("id").values_list("topic__external_id", "document__external_id", "grade")
    assert list(rows) == [("t1", "d1", 2), ("t1", "d2", -1), ("t2", "d1", 0)]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (("t1 0 d1 1", "t1 0 d9 1"), "line 2: the document 'd9' is not in the corpus"),
        (("t1 0 d1 1", "t9 0 d1 1"), "line 2: the topic 't9' is not among the topics"),
        ((), "holds no judgment"),
    ],
)
def test_wrong_qrels_leave_nothing_behind(quay, written, rows, sentence):
    with pytest.raises(CommandError) as refused:
        said("import_qrels", written("a.qrels", *rows), *OF, "--name", "x")
    assert sentence in str(refused.value)
    assert not Qrels.objects.exists()


def test_a_tag_that_is_no_name_is_told_by_its_line_and_a_name_helps(quay, written):
    file = written("a.run", "# tool", "t1 Q0 d1 1 2 bm25.k1=0.9")
    with pytest.raises(CommandError, match=r"a\.run, line 2: the tag 'bm25\.k1=0\.9' is no name here"):
        said("import_run", file, *OF)
    assert said("import_run", file, *OF, "--name", "bm25").startswith('Loaded: "bm25"')


def test_a_device_is_never_replaced_by_a_file(quay, written, tmp_path):
    said("import_run", written("a.run", "t1 Q0 d1 1 2 x"), *OF)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CommandError, match="it is no ordinary file"):
        said("export_run", "x", "--corpus", "quay", "--output", tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()


def test_the_qrels_of_a_beir_folder(quay, written):
    folder = written("beir/qrels/test.tsv", "query-id\tcorpus-id\tscore", "t1\td1\t1").parent.parent
    assert "1 judgment of 1 topic" in said("import_qrels", str(folder), *OF, "--name", "beir")
    written("beir/qrels/dev.tsv", "query-id\tcorpus-id\tscore", "t1\td1\t1")
    with pytest.raises(CommandError, match=r"one file qrels/….tsv was expected.*dev\.tsv, test\.tsv"):
        said("import_qrels", str(folder), *OF, "--name", "more")
