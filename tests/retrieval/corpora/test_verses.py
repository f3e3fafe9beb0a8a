"""Verses as documents, and references between them as topics and judgments."""

import csv
import gzip
import json

import pytest
from django.core.management import CommandError

from retrieval.corpora.loading import staging, topics
from retrieval.corpora.models import Corpus, Document, Grade, Qrels, TopicSet, TopicVersion
from tests import builders
from tests.retrieval.corpora.conftest import said
from tests.retrieval.real_texts import DATA, needed

pytestmark = pytest.mark.django_db

HEADER = "book\tchapter\tverse\ttokens\tpos\tlemma"
VERSES = (
    ("Mark", 1, 2, "sicut scriptum est : ecce mitto angelum", "sicut scribo sum : ecce mitto angelus"),
    ("Mark", 1, 3, "vox clamantis in deserto", "vox clamo in desertum"),
    ("Isaiah", 40, 3, "vox clamantis in deserto parate viam", "vox clamo in desertum paro via"),
    ("Malachi", 3, 1, "ecce ego mitto angelum meum", "ecce ego mitto angelus meus"),
    ("Genesis", 10, 1, "hae sunt generationes Noe", "hic sum generatio propername"),
    ("Genesis", 2, 1, "igitur perfecti sunt caeli", "igitur perfectus"),
    ("Psalms", 22, 1, "Dominus regit me", "dominus rego ego"),
    ("Prayer of Manasseh", 1, 1, "Domine omnipotens", "dominus omnipotens"),
)
OLD, NEW = ("Genesis", "Psalms", "Isaiah", "Malachi"), ("Mark",)


def table(rows=VERSES):
    return [HEADER, *("\t".join([b, str(c), str(v), words, "-", lemmas]) for b, c, v, words, lemmas in rows)]


def record(source, target, **more):
    return {"source": source.split(), "target": target.split(), "flags": [], **more}


@pytest.fixture
def lists(written):
    return [str(written("old.books", *OLD)), str(written("new.books", *NEW))]


@pytest.fixture
def bible(written, lists):
    said("import_corpus", written("v.tsv", *table()), "--format=verses", "--slug=bible", "--books", *lists)
    return Corpus.objects.get()


def made(written, records, *more):
    file = written("refs.json", json.dumps(records))
    return said("import_reference_topics", file, "--corpus=bible", "--slug=refs", *more)


def test_verses_stand_in_the_order_of_their_books_with_their_lemmas(written, lists):
    packed = written("v.tsv.gz", "")
    packed.write_bytes(gzip.compress("\n".join(table()).encode()))
    out = said("import_corpus", packed, "--format=verses", "--slug=bible", "--books", *lists)
    assert out.startswith('Loaded: "bible" (bible), 8 documents')
    assert "1 book of no list, at the end and without a genre: Prayer of Manasseh." in out
    rows = list(Document.objects.order_by("number"))
    assert [row.external_id for row in rows] == [
        "Genesis_2_1", "Genesis_10_1", "Psalms_22_1", "Isaiah_40_3", "Malachi_3_1", "Mark_1_2", "Mark_1_3",
        "Prayer-of-Manasseh_1_1",
    ]  # fmt: skip
    assert [row.genre for row in rows] == ["old"] * 5 + ["new"] * 2 + [""]
    assert (rows[5].text, rows[5].title) == ("sicut scriptum est: ecce mitto angelum", "")
    assert rows[5].lemmata == "sicut scribo sum ecce mitto angelus"
    # A name whose lemma is not known stands as it is; where columns differ in length the lemmas stand.
    assert (rows[1].lemmata, rows[0].lemmata) == ("hic sum generatio noe", "igitur perfectus")
    assert rows[1].extra == {"book": "Genesis", "chapter": 10, "verse": 1}
    assert rows[0].neighbour(1) == rows[1]
    assert rows[1].neighbour(1) is None


def test_an_interrupted_table_goes_on_and_ends_in_the_same_order(written, lists, monkeypatch):
    monkeypatch.setattr(staging, "BATCH", 3)
    args = ("import_corpus", written("v.tsv", *table()), "--format=verses", "--slug=bible", "--books", *lists)
    store, calls = staging._store, []

    def stops(corpus, batch):
        calls.append(len(batch))
        if len(calls) == 2:
            raise KeyboardInterrupt
        store(corpus, batch)

    monkeypatch.setattr(staging, "_store", stops)
    with pytest.raises(CommandError, match="Stopped"):
        said(*args)
    assert Corpus.objects.get().n_documents == 3
    said(*args)
    rows = list(Document.objects.order_by("number"))
    assert [row.number for row in rows] == list(range(8))
    assert [rows[0].external_id, rows[6].external_id] == ["Genesis_2_1", "Mark_1_3"]


@pytest.mark.parametrize(
    ("lines", "more", "sentence"),
    [
        (["book\tchapter"], (), "v.tsv, line 1: there is no column “verse”"),
        ([*table(), table()[3]], (), "line 10: Isaiah 40:3 stands in the table twice; first on line 4"),
        ([HEADER, "Mark\t1\tx\ta\t\ta"], (), "line 2: the column “verse” must be a whole number, not 'x'"),
        ([HEADER, "Mark\t1\t1\t\t\t"], (), "line 2: the document has neither title nor text"),
        ([HEADER], (), "v.tsv holds no document"),
        (table(), ("--books", "old.books", "old.books"), "old.books, line 1: the book “Genesis” is named tw"),
        (table(), ("--format=tsv",), "6 columns between tabs"),
    ],
)
def test_a_table_that_is_none_leaves_nothing_behind(
    written, lists, tmp_path, monkeypatch, lines, more, sentence
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError) as refused:
        said("import_corpus", written("v.tsv", *lines), "--format=verses", "--slug=b", *more)
    assert sentence in str(refused.value)
    assert not Corpus.objects.exists()


def test_lists_of_books_need_a_table_of_verses(written, lists):
    with pytest.raises(CommandError, match="go with a table of verses"):
        said("import_corpus", written("d.jsonl", "{}"), "--slug=b", "--books", *lists)


def test_one_source_is_one_topic_and_all_its_targets_are_right(written, bible):
    out = made(
        written,
        [
            record("Mark_1_2 Mark_1_3", "Malachi_3_1", ref_type="allusion"),
            record("Mark_1_2 Mark_1_3", "Isaiah_40_3 Malachi_3_1", ref_type="reference"),
            record("Mark_1_3", "Isaiah_40_3", ref_type="allusion"),
            record("Mark_1_3", "Isaiah_40_9"),
            record("Mark_1_3", "Psalms_22_1"),
        ],
    )
    assert 'Made: "refs", 2 topics, and "refs", 3 judgments.' in out
    assert "refused, verse_not_in_vulgate_file: 1\n  refused, psalm_numbering: 1" in out
    assert "5 records: 3 of 2 sources, 2 refused" in out
    both, one = TopicVersion.objects.order_by("topic__number")
    assert both.topic.external_id == "Mark_1_2+Mark_1_3"
    assert both.title == "sicut scriptum est: ecce mitto angelum vox clamantis in deserto"
    assert both.wording("source", "lemmas").endswith("mitto angelus vox clamo in desertum")
    assert both.facets == {"book": "Mark", "ref_type": "allusion + reference", "records": "2"}
    assert TopicSet.objects.get().wordings == ["source"]
    grades = Grade.objects.filter(topic=both.topic).values_list("document__external_id", "grade")
    assert set(grades) == {("Malachi_3_1", 1), ("Isaiah_40_3", 1)}
    assert one.language == bible.language


def test_pages_show_lemmas_and_wordings_and_a_changed_topic_keeps_them(written, bible, stan, as_user):
    made(written, [record("Mark_1_3", "Isaiah_40_3")])
    staff = as_user(stan)
    assert "vox clamo in desertum paro via" in staff.get("/corpora/bible/documents/4/").text
    page = staff.get("/topics/refs/1/").text
    assert "Other wordings" in page
    assert "Lemmas: vox clamo in desertum" in page
    topic = TopicVersion.objects.get().topic
    again = topics.reword(topic, {"title": "vox"}, "Shorter.", None)
    assert again.wording("source") == "vox clamantis in deserto"


def test_references_again_add_nothing_and_a_reason_can_be_accepted(written, bible):
    records = [record("Mark_1_3", "Isaiah_40_3"), record("Mark_1_3", "Psalms_22_1")]
    made(written, records)
    assert made(written, records).startswith('Known: "refs", 1 topic, and "refs", 1 judgment.')
    with pytest.raises(CommandError, match="has another 'refs'; choose another name"):
        made(written, records, "--accept", "psalm_numbering")
    more = ("--slug=all", "--accept", "psalm_numbering")
    assert '"all", 2 judgments' in made(written, records, *more)
    assert (TopicSet.objects.count(), Qrels.objects.count()) == (2, 2)


def test_references_of_which_none_can_be_used_store_nothing(written, bible):
    with pytest.raises(CommandError, match=r"psalm_numbering \(1\).*targets in \"bible\""):
        made(written, [record("Mark_1_3", "Psalms_22_1")])
    assert not TopicSet.objects.exists()


@needed
@pytest.mark.services
def test_the_vulgate_and_its_references_to_a_table_of_measures(tmp_path, settings):
    settings.DATA_DIR = tmp_path
    folder = f"{DATA}/vulgate"
    lists = (f"{folder}/old-testament.books", f"{folder}/new-testament.books")
    table = f"{folder}/vulgate.tsv.gz"
    out = said("import_corpus", table, "--format=verses", "--slug=vulgate", "--books", *lists)
    assert "36,664 documents, 620,663 words" in out
    first = Document.objects.get(number=0)
    assert (first.external_id, first.genre) == ("Genesis_1_1", "old-testament")
    assert not Document.objects.filter(lemmata="").exists()
    file = f"{folder}/nt_ot_refs_gospels_acts.json"
    out = said("import_reference_topics", file, "--corpus=vulgate", "--slug=refs")
    assert 'Made: "refs", 204 topics, and "refs", 442 judgments.' in out
    assert "347 records: 274 of 204 sources, 73 refused" in out
    of = ("--corpus=vulgate", "--topics=refs", "--genre", "old-testament", "--depth=50")
    lemmas = ("--ranker=tfidf words=lemmas", "--fields", "wording:source")
    assert 'Stored: "lemmas" (tfidf), 10,200 rows' in said("search_corpus", *of, "--name=lemmas", *lemmas)
    builders.analyse()
    args = ("refs", "lemmas", "--corpus=vulgate", "--measures=MRR", "--resamples=100")
    rows = csv.DictReader(said("evaluate_runs", *args, "--format=csv").splitlines())
    found = {row["run"]: float(row["value"]) for row in rows if row["label"] == "MRR"}
    # The chance of a right verse in the first place is below one in ten thousand.
    assert min(found.values()) > 0.3
    written = said("export_run", "lemmas", "--corpus=vulgate").splitlines()
    assert written[0].split()[:4] == ["Matthew_1_23", "Q0", "Isaiah_7_14", "1"]
