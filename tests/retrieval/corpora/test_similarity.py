"""A corpus searched by the rankers of books: by tokens or lemmas, for any wording, block by block."""

import csv

import pytest
from django.core.management import CommandError
from django.urls import reverse

from common.errors import BadInput
from retrieval.corpora.models import Corpus, Ranked, Run, SearchJob, TopicSet
from retrieval.corpora.searching import jobs, plans, running, similarity
from retrieval.corpora.searching.plans import SimilarityPlan
from retrieval.engine.corpora import needs
from retrieval.engine.ranking import rankers
from retrieval.engine.words.tables import AS_GIVEN
from retrieval.models import Status, WordTable
from tests.retrieval.corpora.conftest import said

pytestmark = pytest.mark.django_db
TEXTS = {
    "o1": ("vox clamantis in deserto parate viam", "vox clamo in desertum paro via", "old"),
    "o2": ("ecce ego mitto angelum meum", "ecce ego mitto angelus meus", "old"),
    "o3": ("viae Domini rectae", "via dominus rectus", "old"),
    "o4": ("hae sunt generationes", "", "old"),
    "n1": ("vox in deserto", "vox in desertum", "new"),
}
TOPICS = (
    ("q1", "vox in deserto clamat", "vox in desertum clamo"),
    ("q2", "mittet angelos", "mitto angelus"),
    ("q3", "quid ergo", "quis ergo"),
)
OLD = ("--genre", "old")
SOURCE = ("--fields", "wording:source")


@pytest.fixture
def bible(written, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    rows = [
        {"id": name, "text": text, "lemmata": lemmata, "genre": genre}
        for name, (text, lemmata, genre) in TEXTS.items()
    ]
    said("import_corpus", written("bible.jsonl", *rows), "--slug", "bible")
    topics = [
        {"id": name, "title": text, "wordings": {"source": {"text": text, "lemmas": lemmas}}}
        for name, text, lemmas in TOPICS
    ]
    said("import_topics", written("t.jsonl", *topics), "--slug", "refs")
    return Corpus.objects.get()


def search(name, *args):
    return said("search_corpus", "--corpus=bible", "--topics=refs", "--name", name, *args)


def found(name):
    rows = Ranked.objects.filter(run__name=name).order_by("topic__topic__number", "rank")
    return [(row.topic.topic.external_id, row.document.external_id, row.score) for row in rows]


def scored(slug, texts, queries, **parameters):
    """Return what the ranker itself says of these texts, best first, without what it does not rank."""
    index = rankers.get(slug).prepare(list(texts.values()), parameters)
    rows = []
    for name, query in queries.items():
        scores = dict(zip(texts, index.scores([query])[0], strict=True))
        best = sorted(scores, key=lambda each: -scores[each])
        rows += [(name, each, scores[each]) for each in best if scores[each] not in (0.0, -float("inf"))]
    return rows


OLD_TEXTS = {name: text for name, (text, _, genre) in TEXTS.items() if genre == "old"}
OLD_LEMMAS = {name: lemmata for name, (_, lemmata, genre) in TEXTS.items() if genre == "old"}


@pytest.mark.parametrize("at_once", [1, 16])
def test_a_run_is_what_the_ranker_says_of_the_documents_that_are_searched(bible, monkeypatch, at_once):
    monkeypatch.setattr(similarity, "BLOCK", at_once)
    out = search("tokens", "--ranker=tfidf", *OLD)
    assert out.startswith('Stored: "tokens" (tfidf), 1 row.')
    assert "2 topics without a document: q2, q3." in out
    assert found("tokens") == scored("tfidf", OLD_TEXTS, {name: text for name, text, _ in TOPICS})


def test_lemmas_of_the_documents_are_compared_with_those_of_the_wording(bible):
    out = search("lemmas", "--ranker=tfidf words=lemmas", *OLD, *SOURCE)
    assert found("lemmas") == scored(
        "tfidf",
        OLD_LEMMAS,
        {name: lemmas for name, _, lemmas in TOPICS},
        words="lemmas",
        lemmas=AS_GIVEN,
    )
    assert [row[:2] for row in found("lemmas")][-1] == ("q2", "o2")
    assert "1 document without lemmas: not found." in out


def test_a_query_without_lemmas_is_read_by_a_table(bible, written):
    with pytest.raises(CommandError, match=r"the title of a topic has none: .*wording:NAME.*lemmas=NAME"):
        search("title", "--ranker=tfidf words=lemmas", *OLD)
    table = written("lemmas.tsv", "deserto\tdesertum", "clamat\tclamo", "mittet\tmitto", "angelos\tangelus")
    said("add_words", "lemmas", table, "--name", "latin")
    search("title", "--ranker=tfidf words=lemmas lemmas=latin", *OLD)
    search("source", "--ranker=tfidf words=lemmas", *OLD, *SOURCE)
    assert found("title") == found("source")
    made = Run.objects.get(name="title").parameters["similarity"]
    assert (made["words"], list(made["tables"])) == ("lemmas of the documents", ["lemmas/latin"])
    Corpus.objects.get().documents.update(lemmata="")
    search("table", "--ranker=tfidf words=lemmas lemmas=latin", *OLD)
    assert Run.objects.get(name="table").parameters["similarity"]["words"] == "lemmas by a table"
    assert ("q2", "o2") in [row[:2] for row in found("table")]


def test_a_document_that_the_ranker_does_not_rank_is_not_in_the_run(bible):
    search("tess", "--ranker=tesserae", *OLD)
    # Tesserae ranks what shares two words at least.
    assert [row[:2] for row in found("tess")] == [("q1", "o1")]


def test_a_run_says_how_it_was_made(bible, written):
    said("add_words", "stop-list", written("stop", "in"), "--name", "small")
    search("base", "--ranker=tfidf stop_list=small", *OLD, "--depth=1")
    run = Run.objects.get()
    made = run.parameters["similarity"]
    assert (run.ranker, made["ranker"], made["words"]) == ("tfidf", "tfidf", "tokens")
    assert made["parameters"] == {"lemmas": "", "stop_list": "small", "words": "tokens"}
    assert [(name, len(digest)) for name, digest in made["tables"].items()] == [("stop-list/small", 64)]
    assert run.parameters["subset"]["documents"] == 4
    assert run.parameters["ties"] == "score descending, then document number ascending"
    assert {"tokeniser", "variant", "version", "numpy"} <= set(run.made_with)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--ranker=soft-cosine",), "add_words vectors FILE --name NAME"),
        (("--ranker=tfidf power=3",), "no parameter 'power'"),
        (("--ranker=tfidf words=stems",), "must be one of: tokens, lemmas"),
        (("--ranker=nobody",), "no ranker called 'nobody'"),
        (("--ranker=tfidf", "--fields", "wording:none"), 'no wording "none"; they have: source'),
        (("--ranker=tfidf", "--fields", "wording:"), "or wording:NAME, not of 'wording:'"),
        (("--ranker=tfidf", "--k1=2"), "--k1 is about BM25"),
        (("--ranker=tfidf", "--feedback=old"), "feedback goes with --ranker bm25"),
        (("--ranker=tfidf", "--genre=apocrypha"), 'has no genre "apocrypha"'),
        (("--ranker=bm25 k1=2",), "options of their own: --variant, --k1, --b"),
    ],
)
def test_a_search_that_cannot_be_is_refused(bible, args, sentence):
    with pytest.raises(CommandError) as refused:
        search("x", *args)
    assert sentence in str(refused.value)
    assert not Run.everything.exists()


def test_documents_that_do_not_fit_into_memory_are_refused_before_the_job(bible, monkeypatch):
    monkeypatch.setattr(needs, "memory", lambda: 1_000)
    with pytest.raises(BadInput, match=r"5 documents with 20 words need about .* Search fewer documents"):
        jobs.submit(bible, TopicSet.objects.get(), "x", SimilarityPlan(ranker="bow"))
    assert not SearchJob.objects.exists()


def test_a_job_makes_the_run_and_goes_on_where_it_was_stopped(bible, monkeypatch):
    monkeypatch.setattr(similarity, "BLOCK", 1)
    monkeypatch.setattr(running.staging, "BLOCK_ROWS", 1)
    search("whole", "--ranker=bow", *OLD)
    plan = SimilarityPlan(ranker="bow", genres=("old",))
    job = jobs.submit(bible, TopicSet.objects.get(), "parts", plan)
    assert plans.from_json(job.plan) == similarity.written_out(bible, plan)
    monkeypatch.setattr(jobs, "BEAT", 0)
    assert jobs.attempt(
        job.pk, "one", go_on=lambda job: not Run.everything.filter(name="parts", n_topics__gt=1)
    )
    assert Run.everything.get(name="parts").n_topics == 1
    assert jobs.attempt(job.pk, "two")
    job.refresh_from_db()
    assert (job.status, job.run.name) == (Status.DONE, "parts")
    assert found("parts") == found("whole")


def test_a_job_ends_where_another_file_has_the_name_of_a_table_by_then(bible, written):
    said("add_words", "stop-list", written("stop", "in"), "--name", "small")
    plan = SimilarityPlan(ranker="bow", parameters={"stop_list": "small"})
    job = jobs.submit(bible, TopicSet.objects.get(), "x", plan)
    WordTable.objects.all().delete()
    said("add_words", "stop-list", written("other", "vox"), "--name", "small")
    assert jobs.attempt(job.pk, "one")
    job.refresh_from_db()
    assert job.status == Status.FAILED
    assert "is another file today" in job.error
    assert not Run.everything.exists()


def test_an_equal_text_is_found_where_0_is_the_best_score(bible, written):
    words = sorted({word for text, _, _ in TEXTS.values() for word in text.lower().split()})
    rows = [" ".join([word, *(str((n * k) % 7 - 3) for k in (1, 2, 3))]) for n, word in enumerate(words, 1)]
    said("add_words", "vectors", written("v.vec", *rows), "--name", "small")
    said("import_topics", written("same.tsv", f"s1\t{TEXTS['o2'][0]}"), "--slug", "same")
    said("search_corpus", "--corpus=bible", "--topics=same", "--name=wmd", "--ranker=wmd")
    assert found("wmd")[0] == ("s1", "o2", 0.0)
    assert len(found("wmd")) == 5


def test_such_runs_are_fused_pooled_evaluated_and_written(bible, written, tmp_path):
    search("tfidf", "--ranker=tfidf words=lemmas", *OLD, *SOURCE)
    search("bm25", *OLD, *SOURCE)
    file = written("q.qrels", "q1 0 o1 1", "q2 0 o2 1", "q3 0 o4 1")
    said("import_qrels", file, "--corpus=bible", "--topics=refs", "--name=known")
    assert "2 rows" in said("fuse_runs", "tfidf", "bm25", "--corpus=bible", "--name=both")
    said("make_pool", "tfidf", "bm25", "--corpus=bible", "--depth=2")
    more = ("--corpus=bible", "--measures=MRR", "--resamples=100", "--format=csv")
    lines = said("evaluate_runs", "known", "tfidf", "bm25", "both", *more).splitlines()
    values = {row["run"]: float(row["value"]) for row in csv.DictReader(lines) if row["label"] == "MRR"}
    # A topic that finds nothing counts with 0: of three, lemmas find two first and words one.
    assert values == pytest.approx({"tfidf": 2 / 3, "bm25": 1 / 3, "both": 2 / 3})
    said("export_run", "tfidf", "--corpus=bible", "--output", tmp_path / "out.run")
    assert [line.split()[2] for line in (tmp_path / "out.run").read_text().splitlines()] == ["o1", "o2"]


def test_bm25_searches_for_a_wording_too(bible):
    search("title", *OLD)
    search("wording", *OLD, *SOURCE)
    assert found("title") == found("wording")
    assert Run.objects.get(name="wording").parameters["fields"] == ["wording:source"]


def test_staff_launch_such_a_search_from_its_page(bible, stan, as_user):
    staff, address = as_user(stan), reverse("retrieval:corpus_searches", args=["bible"])
    shown = staff.get(address).text
    assert "Tf-idf, cosine · lemmas of the documents" in shown
    assert "wording source" in shown
    asked = {
        "name": "page", "topics": "refs", "fields_of_topic": ["wording:source"], "depth": "5",
        "ranker": "tfidf words=lemmas", "stop_list": "none", "stemmer": "none", "settings": "",
    }  # fmt: skip
    wrong = staff.post(address, asked | {"settings": "power"})
    assert wrong.status_code == 422
    assert "is not NAME=VALUE" in wrong.text
    wrong = staff.post(address, asked | {"ranker": "lucene", "settings": "power=3"})
    assert set(wrong.context["form"].errors) == {"settings"}
    wrong = staff.post(address, asked | {"fields_of_topic": ["title"]})
    assert "the title of a topic has none" in wrong.context["form"].errors["fields_of_topic"][0]
    answer = staff.post(address, asked | {"genres": ["old"]})
    job = SearchJob.objects.get()
    assert "tfidf words=lemmas" in staff.get(answer.url).text
    assert jobs.attempt(job.pk, "one")
    search("typed", "--ranker=tfidf words=lemmas", *OLD, *SOURCE, "--depth=5")
    assert found("page") == found("typed")
